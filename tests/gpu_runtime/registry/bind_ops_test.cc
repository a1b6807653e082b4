#include "gpu_runtime/registry/bind_ops.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan::runtime {
namespace {

using ::testing::HasSubstr;

// Three rows of seven, one op "op" that reads x and writes y.
class BindOpsTest : public ::testing::Test {
 protected:
  BindOpsTest() { b_.AddSpace("device", {.alignment_bytes = 4}); }

  void Add(ComputeSpec compute, KernelSpec spec) {
    b_.Compute("op", std::move(compute));
    specs_.push_back(std::move(spec));
  }
  // "" or the message.
  std::string Found() {
    absl::StatusOr<Graph> graph = std::move(b_).Build();
    if (!graph.ok()) return "no graph: " + graph.status().ToString();
    const auto bound = BindOps(*graph, specs_);
    if (bound.ok()) return "";
    EXPECT_EQ(bound.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(bound.status().message());
  }
  static KernelSpec Norm(Expr rows = 3, Expr columns = 7) {
    return {.kernel = "rms_norm", .integers = {{"rows", rows}, {"columns", columns}}};
  }

  GraphBuilder b_{"g"};
  std::vector<std::optional<KernelSpec>> specs_;
};

TEST_F(BindOpsTest, AcceptsWhatFits) {
  Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 84}}}, Norm());
  EXPECT_EQ(Found(), "");
}

TEST_F(BindOpsTest, FillsInDefaults) {
  Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 84}}}, Norm());
  const absl::StatusOr<Graph> graph = std::move(b_).Build();
  ASSERT_TRUE(graph.ok());
  const auto bound = BindOps(*graph, specs_);
  ASSERT_TRUE(bound.ok()) << bound.status();
  const BoundOp& op = *bound->at(0);
  EXPECT_EQ(RealOf(op.spec, "epsilon"), 1e-5);
  EXPECT_EQ(IntegerOf(op.spec, "x_offset"), Expr(0));
  EXPECT_EQ(op.num_reads, 1u);
}

TEST_F(BindOpsTest, OpsWithoutASpecStayWithoutAKernel) {
  b_.Compute("op", {.writes = {{.name = "y", .bytes = 1}}});
  specs_.emplace_back();
  const absl::StatusOr<Graph> graph = std::move(b_).Build();
  ASSERT_TRUE(graph.ok());
  const auto bound = BindOps(*graph, specs_);
  ASSERT_TRUE(bound.ok());
  EXPECT_FALSE(bound->at(0).has_value());
}

TEST_F(BindOpsTest, NumberOfSpecs) {
  b_.Compute("op", {.writes = {{.name = "y", .bytes = 1}}});
  EXPECT_EQ(Found(), "kernels for 0 ops, the graph has 1");
}

TEST_F(BindOpsTest, UnknownKernel) {
  Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 84}}}, {.kernel = "rms_nrom"});
  EXPECT_EQ(Found(), "op \"op\", kernel \"rms_nrom\": there is no such kernel");
}

TEST_F(BindOpsTest, OnlyComputeOps) {
  b_.Clone("op", b_.Input("x", 84));
  specs_.push_back(Norm());
  EXPECT_THAT(Found(), HasSubstr("only compute ops run kernels, this one is a clone"));
}

TEST_F(BindOpsTest, ParametersAreGivenKnownAndInRange) {
  const auto found = [this](KernelSpec spec) {
    b_ = GraphBuilder("g");
    b_.AddSpace("device", {.alignment_bytes = 4});
    specs_.clear();
    Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 84}}}, std::move(spec));
    return Found();
  };
  EXPECT_THAT(found({.kernel = "rms_norm", .integers = {{"rows", 3}}}), HasSubstr("\"columns\" is missing"));
  EXPECT_THAT(found({.kernel = "rms_norm", .integers = {{"rows", 3}, {"columns", 7}, {"colums", 7}}}),
              HasSubstr("has no parameter \"colums\""));
  EXPECT_THAT(found({.kernel = "rms_norm", .integers = {{"rows", 3}, {"columns", 7}}, .reals = {{"eps", 1}}}),
              HasSubstr("has no parameter \"eps\""));
  EXPECT_THAT(
      found({.kernel = "rms_norm", .integers = {{"rows", 3}, {"columns", 7}}, .types = {{"type", ElementType::kF16}}}),
      HasSubstr("has no parameter \"type\""));
  EXPECT_THAT(found(Norm(0)), HasSubstr("parameter \"rows\" must be in [1, "));
  EXPECT_THAT(found(Norm(3, int64_t{1} << 41)), HasSubstr("can be 2199023255552"));
}

TEST_F(BindOpsTest, ParametersTogether) {
  Add({.reads = {b_.Input("x", 84), b_.Input("p", 12)}, .writes = {{.name = "y", .bytes = 84}}},
      {.kernel = "rope", .integers = {{"rows", 3}, {"heads", 1}, {"head_dim", 7}}});
  EXPECT_THAT(Found(), HasSubstr("\"dims\" is odd: 7"));
}

TEST_F(BindOpsTest, BytesOfAnOperand) {
  Add({.reads = {b_.Input("x", 80)}, .writes = {{.name = "y", .bytes = 84}}}, Norm());
  EXPECT_EQ(Found(),
            "op \"op\", kernel \"rms_norm\": operand 0 (\"x\", value \"x\"): expected 84 bytes from 0, the op reads "
            "bytes [0, 80)");
}

TEST_F(BindOpsTest, BytesOfAResult) {
  Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 88}}}, Norm());
  EXPECT_EQ(Found(),
            "op \"op\", kernel \"rms_norm\": result 0 (\"y\", value \"y\"): expected 84 bytes from 0, the op writes "
            "bytes [0, 88)");
}

TEST_F(BindOpsTest, ARegionWithItsOffset) {
  KernelSpec spec = Norm();
  spec.integers["x_offset"] = 28;
  Add({.reads = {{b_.Input("x", 1000), Region{28, 84, {}}}}, .writes = {{.name = "y", .bytes = 84}}}, spec);
  EXPECT_EQ(Found(), "");
}

TEST_F(BindOpsTest, ARegionWithAnotherOffset) {
  Add({.reads = {{b_.Input("x", 1000), Region{28, 84, {}}}}, .writes = {{.name = "y", .bytes = 84}}}, Norm());
  EXPECT_THAT(Found(), HasSubstr("expected 84 bytes from 0, the op reads bytes [28, 112)"));
}

TEST_F(BindOpsTest, SizesThatDependOnSymbols) {
  const Expr s = b_.AddSymbol("s", 0, 9);
  KernelSpec spec = Norm(s + 1);
  Add({.reads = {b_.Input("x", 28 * s + 28)}, .writes = {{.name = "y", .bytes = 28 * s + 28}}}, spec);
  EXPECT_EQ(Found(), "");
}

TEST_F(BindOpsTest, SizesThatAreTooSmallAtSomeSymbolValues) {
  const Expr s = b_.AddSymbol("s", 0, 9);
  Add({.reads = {b_.Input("x", 28 * s)}, .writes = {{.name = "y", .bytes = 28 * s + 28}}}, Norm(s + 1));
  EXPECT_THAT(Found(), HasSubstr("expected 28*s + 28 bytes from 0, the op reads bytes [0, 28*s)"));
}

TEST_F(BindOpsTest, SymbolsThatMakeAParameterZero) {
  const Expr s = b_.AddSymbol("s", 0, 9);
  Add({.reads = {b_.Input("x", 28 * s)}, .writes = {{.name = "y", .bytes = 28 * s}}}, Norm(s));
  EXPECT_THAT(Found(), HasSubstr("\"rows\" must be in [1, 1099511627776], can be 0"));
}

TEST_F(BindOpsTest, NumberOfOperandsAndResults) {
  Add({.reads = {b_.Input("x", 84), b_.Input("z", 84)}, .writes = {{.name = "y", .bytes = 84}}}, Norm());
  EXPECT_THAT(Found(), HasSubstr("reads 1 operands, the op has 2"));
}

TEST_F(BindOpsTest, OptionalOperands) {
  Add({.reads = {b_.Input("x", 84), b_.Input("mask", 84)}, .writes = {{.name = "y", .bytes = 84}}},
      {.kernel = "softmax", .integers = {{"rows", 3}, {"columns", 7}}});
  EXPECT_EQ(Found(), "");
}

TEST_F(BindOpsTest, NumberOfResults) {
  Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 84}, {.name = "z", .bytes = 84}}}, Norm());
  EXPECT_THAT(Found(), HasSubstr("writes 1 results, the op has 2"));
}

TEST_F(BindOpsTest, Alignment) {
  GraphBuilder b;
  b.AddSpace("device", {.alignment_bytes = 2});
  b_ = std::move(b);
  Add({.reads = {b_.Input("x", 84)}, .writes = {{.name = "y", .bytes = 84}}}, Norm());
  EXPECT_THAT(Found(), HasSubstr("must be aligned to 4 bytes, its alignment is 2"));
}

TEST_F(BindOpsTest, AlignmentOfAnOffset) {
  KernelSpec spec = Norm();
  spec.integers["x_offset"] = 2;
  Add({.reads = {b_.Input("x", 88)}, .writes = {{.name = "y", .bytes = 84}}}, spec);
  EXPECT_THAT(Found(), HasSubstr("\"x_offset\" must be a multiple of 4, is 2"));
}

TEST_F(BindOpsTest, StridesThatTheKernelDoesNotTake) {
  Add({.reads = {{b_.Input("x", 84), Region{0, 84, {}}, /*strides_ok=*/true}}, .writes = {{.name = "y", .bytes = 84}}},
      Norm());
  EXPECT_THAT(Found(), HasSubstr("has strides_ok, the kernel takes none"));
}

TEST_F(BindOpsTest, InPlaceThatTheKernelAllows) {
  const ValueId x = b_.Input("x", 84);
  Add({.reads = {x}, .writes = {{.name = "y", .bytes = 84, .in_place = {x}}}}, Norm());
  EXPECT_EQ(Found(), "");
}

TEST_F(BindOpsTest, InPlaceAnyhow) {
  const ValueId x = b_.Input("x", 84);
  Add({.reads = {x}, .writes = {{.name = "y", .bytes = 84, .in_place = {{x, InPlaceMode::kAny}}}}}, Norm());
  EXPECT_THAT(Found(), HasSubstr("result 0 (\"y\") may not lie on value \"x\" anyhow, the op says so"));
}

// A value that is the full operand as well as the repeated one: others still read it when it is overwritten.
TEST_F(BindOpsTest, InPlaceInEverySlot) {
  const ValueId x = b_.Input("x", 84);
  Add({.reads = {x, {x, Region{0, 28, {}}}}, .writes = {{.name = "y", .bytes = 84, .in_place = {x}}}},
      {.kernel = "add", .integers = {{"rows", 3}, {"columns", 7}, {"b_rows", 1}}});
  EXPECT_THAT(Found(), HasSubstr("may not lie on value \"x\""));
}

// Element i of y would lie where element i + 7 of x is.
TEST_F(BindOpsTest, InPlaceAtAnotherOffset) {
  const ValueId x = b_.Input("x", 112);
  KernelSpec spec = Norm();
  spec.integers["x_offset"] = 28;
  Add({.reads = {x}, .writes = {{.name = "y", .bytes = 84, .in_place = {x}}}}, spec);
  EXPECT_THAT(Found(), HasSubstr("may not lie on value \"x\""));
}

}  // namespace
}  // namespace bufplan::runtime
