#include "io/tool/kernel_attrs.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gpu_runtime/kernels/half.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

// A graph of one op with that attribute, over a symbol s.
Graph WithKernel(const std::string& attrs) {
  GraphBuilder b;
  b.AddSymbol("s", 1, 9);
  OpOptions options;
  options.attrs_json = attrs;
  Result result;
  result.bytes = 256;
  b.Compute("op", {.reads = {b.Input("x", 256)}, .writes = {result}, .options = options});
  return *std::move(b).Build();
}
std::string FaultOf(const std::string& attrs) {
  const auto specs = KernelSpecsOf(WithKernel(attrs));
  EXPECT_EQ(specs.status().code(), absl::StatusCode::kInvalidArgument) << attrs;
  return std::string(specs.status().message());
}

Graph WithContents(const std::string& attrs) {
  GraphBuilder b;
  ValueOptions options;
  options.attrs_json = attrs;
  b.Output(b.Input("x", 64, options));
  return *std::move(b).Build();
}
std::string ContentFaultOf(const std::string& attrs) {
  const auto specs = ContentSpecsOf(WithContents(attrs));
  EXPECT_EQ(specs.status().code(), absl::StatusCode::kInvalidArgument) << attrs;
  return std::string(specs.status().message());
}

TEST(KernelAttrs, ReadsWhatItWrites) {
  const Expr s = Expr::FromSymbol(SymbolId(0));
  const runtime::KernelSpec spec = {
      .kernel = "attention",
      .integers = {{"rows", 1}, {"heads", 4}, {"kv_heads", 2}, {"head_dim", 8}, {"length", s + 1}, {"k_offset", 16}},
      .reals = {{"scale", 0.25}},
      .types = {{"type", runtime::ElementType::kBF16}}};
  const Graph graph = WithKernel(KernelAttrs(spec, WithKernel("").symbols()));
  const auto specs = KernelSpecsOf(graph);
  ASSERT_TRUE(specs.ok()) << specs.status();
  ASSERT_TRUE((*specs)[0].has_value());
  EXPECT_EQ((*specs)[0]->kernel, spec.kernel);
  EXPECT_EQ((*specs)[0]->integers, spec.integers);
  EXPECT_EQ((*specs)[0]->reals, spec.reals);
  EXPECT_EQ((*specs)[0]->types, spec.types);
}

TEST(KernelAttrs, OpsWithoutAKernelHaveNoSpec) {
  for (const char* attrs : {"", "{}", "{\"color\": \"red\"}"}) {
    const auto specs = KernelSpecsOf(WithKernel(attrs));
    ASSERT_TRUE(specs.ok()) << specs.status();
    EXPECT_FALSE((*specs)[0].has_value()) << attrs;
  }
}

TEST(KernelAttrs, TrueIsOne) {
  const auto specs = KernelSpecsOf(WithKernel(R"({"kernel": {"name": "attention", "rows": 1, "heads_first": true}})"));
  ASSERT_TRUE(specs.ok()) << specs.status();
  EXPECT_EQ((*specs)[0]->integers.at("heads_first"), Expr(1));
}

TEST(KernelAttrs, FaultsNameOpAndParameter) {
  EXPECT_THAT(FaultOf(R"({"kernel": 3})"), HasSubstr("op \"op\", attribute \"kernel\": is no object"));
  EXPECT_THAT(FaultOf(R"({"kernel": {"rows": 3}})"), HasSubstr("has no \"name\""));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "rms_nrm"}})"), HasSubstr("there is no kernel \"rms_nrm\""));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "rms_nrm"}})"), HasSubstr("did you mean \"rms_norm\"?"));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "zzz"}})"),
              HasSubstr("there is no kernel \"zzz\"; there are add, argsort,"));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "rms_norm", "row": 1}})"),
              HasSubstr("\"rms_norm\" has no parameter \"row\"; did you mean \"rows\"?"));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "rms_norm", "rows": 1.5}})"),
              HasSubstr("\"rows\" is a fraction, must be an integer or an expression"));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "rms_norm", "rows": "t + 1"}})"), HasSubstr("\"rows\": "));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "rms_norm", "epsilon": "small"}})"),
              HasSubstr("\"epsilon\" is a string, must be a number"));
  EXPECT_THAT(FaultOf(R"({"kernel": {"name": "matmul", "type": "f64"}})"),
              HasSubstr("\"type\" is \"f64\", must be \"f32\", \"f16\" or \"bf16\""));
}

TEST(ContentAttrs, DefaultsAndFaults) {
  const auto none = ContentSpecsOf(WithContents(""));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ((*none)[0].type, ContentSpec::Type::kF32);
  EXPECT_EQ((*none)[0].min, -1);
  EXPECT_EQ((*none)[0].max, 1);
  const auto some = ContentSpecsOf(WithContents(R"({"contents": {"type": "i32", "min": 0, "max": 99}})"));
  ASSERT_TRUE(some.ok());
  EXPECT_EQ((*some)[0].type, ContentSpec::Type::kI32);
  EXPECT_EQ((*some)[0].max, 99);
  EXPECT_THAT(ContentFaultOf(R"({"contents": []})"), HasSubstr("value \"x\", attribute \"contents\": is no object"));
  EXPECT_THAT(ContentFaultOf(R"({"contents": {"type": "u8"}})"), HasSubstr("must be f32, f16, bf16 or i32"));
  EXPECT_THAT(ContentFaultOf(R"({"contents": {"min": 2}})"), HasSubstr("\"min\" is above \"max\""));
  EXPECT_THAT(ContentFaultOf(R"({"contents": {"mean": 2}})"), HasSubstr("does not take \"mean\" as an integer"));
}

TEST(RandomContent, StaysInItsRangeAndFillsIt) {
  constexpr int64_t kCount = 4000;
  int32_t low = 100, high = -100;
  const std::vector<std::byte> ints = RandomContent({ContentSpec::Type::kI32, -3, 4}, 4 * kCount, 1);
  for (int64_t i = 0; i < kCount; ++i) {
    int32_t x = 0;
    std::memcpy(&x, &ints[static_cast<size_t>(4 * i)], 4);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  EXPECT_EQ(low, -3);
  EXPECT_EQ(high, 4);
  float least = 10, most = -10;
  const std::vector<std::byte> halves = RandomContent({ContentSpec::Type::kF16, 0.5, 2}, 2 * kCount, 1);
  for (int64_t i = 0; i < kCount; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, &halves[static_cast<size_t>(2 * i)], 2);
    least = std::min(least, runtime::WidenF16(bits));
    most = std::max(most, runtime::WidenF16(bits));
  }
  EXPECT_GE(least, 0.5f);
  EXPECT_LT(least, 0.51f);
  EXPECT_LE(most, 2.0f);
  EXPECT_GT(most, 1.99f);
}

TEST(RandomContent, DependsOnTheSeedAlone) {
  const ContentSpec spec;
  EXPECT_EQ(RandomContent(spec, 64, 5), RandomContent(spec, 64, 5));
  EXPECT_NE(RandomContent(spec, 64, 5), RandomContent(spec, 64, 6));
  EXPECT_EQ(RandomContent(spec, 7, 5).size(), 7u);
  EXPECT_EQ(RandomContent(spec, 7, 5)[6], std::byte{0});
}

}  // namespace
}  // namespace bufplan
