#include "gpu_runtime/registry/bind_kernels.h"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gpu_runtime/kernels/half.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/gpu_runtime/registry/emulated_device.h"
#include "tests/gpu_runtime/registry/graph_run.h"

namespace bufplan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
void Put(GraphRun& run, ValueId v, const std::vector<T>& data) {
  std::memcpy(run.data(v), data.data(), data.size() * sizeof(T));
}

class BindKernelsTest : public ::testing::Test {
 protected:
  BindKernelsTest() : device_(MakeEmulatedDevice({.team_size = 3, .seed = 5})) {
    b_.AddSpace("device", {.alignment_bytes = 4});
  }
  Graph Build() {
    absl::StatusOr<Graph> graph = std::move(b_).Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *std::move(graph);
  }
  KernelTable Bind(const Graph& graph) {
    absl::StatusOr<KernelTable> table = BindKernels(graph, specs_);
    EXPECT_TRUE(table.ok()) << table.status();
    return *std::move(table);
  }

  GraphBuilder b_{"g"};
  std::vector<std::optional<KernelSpec>> specs_;
  std::unique_ptr<Device> device_;
};

TEST_F(BindKernelsTest, OpsWithoutASpecHaveNoCall) {
  b_.Compute("a", {.writes = {{.bytes = 4}}});
  specs_.emplace_back();
  const KernelTable table = Bind(Build());
  ASSERT_EQ(table.of_op.size(), 1u);
  EXPECT_FALSE(table.of_op[0]);
}

// Which rows are added up, and where they begin, depends on the step.
TEST_F(BindKernelsTest, ParametersAreEvaluatedAtEachCall) {
  const Expr s = b_.AddSymbol("s", 0, 2);
  const ValueId x = b_.Input("x", 40);
  const ValueId y =
      b_.Compute("sum", {.reads = {{x, Region{8 * s, 8 * s + 8, {}}}}, .writes = {{.name = "y", .bytes = 8}}});
  b_.Output(y);
  specs_.push_back(KernelSpec{.kernel = "sum_groups",
                              .integers = {{"groups", 1}, {"members", s + 1}, {"columns", 2}, {"x_offset", 8 * s}}});
  const Graph graph = Build();
  const KernelTable table = Bind(graph);
  const std::vector<std::vector<float>> expected = {{1, 2}, {3 + 5, 4 + 6}, {5 + 7 + 9, 6 + 8 + 10}};
  for (int64_t step : {0, 1, 2}) {
    GraphRun run(graph, {step});
    Put<float>(run, x, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    run.RunAll(*device_, table);
    EXPECT_EQ(run.floats(y), expected[static_cast<size_t>(step)]);
  }
}

// One row of a cache, at the step, lies on the cache's own bytes.
TEST_F(BindKernelsTest, ARowOfACache) {
  const Expr s = b_.AddSymbol("s", 0, 3);
  const ValueId x = b_.Input("x", 8), cache = b_.Variable("cache", 16);
  const ValueId next = b_.Compute(
      "store",
      {.reads = {x}, .writes = {{.name = "next", .bytes = 16, .base = cache, .region = Region{4 * s, 4, {}}}}});
  b_.Commit("commit", next, cache);
  specs_ = {KernelSpec{.kernel = "convert",
                       .integers = {{"rows", 1}, {"columns", 2}, {"y_offset", 4 * s}},
                       .types = {{"y_type", ElementType::kF16}}},
            std::nullopt};
  const Graph graph = Build();
  const KernelTable table = Bind(graph);
  for (int64_t step : {0, 2, 3}) {
    GraphRun run(graph, {step});
    Put<float>(run, x, {1.5f, -2.0f});
    run.RunOp(*device_, table, OpId(0));
    std::vector<uint16_t> expected(8, 0xa5a5), found(8);
    expected[static_cast<size_t>(2 * step)] = NarrowF16(1.5f);
    expected[static_cast<size_t>(2 * step + 1)] = NarrowF16(-2.0f);
    std::memcpy(found.data(), run.bytes(next).data(), 16);
    EXPECT_EQ(found, expected) << step;
  }
}

// Keys of two heads and s + 1 positions lie in the cache position by position, though the value has its heads first.
TEST_F(BindKernelsTest, AttentionTakesStrides) {
  const Expr s = b_.AddSymbol("s", 0, 3);
  const auto operand = [&](const char* name) {
    return bufplan::Operand(b_.Input(name, 16 * (s + 1)), Region{0, 16 * (s + 1), {}}, /*strides_ok=*/true);
  };
  const ValueId q = b_.Input("q", 16);
  const bufplan::Operand k = operand("k"), v = operand("v");
  const ValueId y = b_.Compute("attention", {.reads = {q, k, v}, .writes = {{.name = "y", .bytes = 16}}});
  b_.Output(y);
  specs_.push_back(KernelSpec{
      .kernel = "attention",
      .integers = {
          {"rows", 1}, {"heads", 2}, {"kv_heads", 2}, {"head_dim", 2}, {"length", s + 1}, {"heads_first", 1}}});
  const Graph graph = Build();
  const KernelTable table = Bind(graph);
  const std::vector<float> query = {0.5f, -1, 2, 0.25f};
  // [position][head][2]
  std::vector<float> keys, values;
  for (int i = 0; i < 16; ++i)
    keys.push_back(0.1f * static_cast<float>(i % 7)), values.push_back(static_cast<float>(i));
  for (int64_t step : {0, 1, 3}) {
    GraphRun dense(graph, {step}), strided(graph, {step});
    Put(dense, q, query), Put(strided, q, query);
    Put(strided, k.value, keys), Put(strided, v.value, values);
    strided.SetStrides(k.value, {8, 16}, 8), strided.SetStrides(v.value, {8, 16}, 8);
    std::vector<float> k_first, v_first;
    for (size_t head : {0, 1}) {
      for (size_t t = 0; t <= static_cast<size_t>(step); ++t) {
        for (size_t d : {0, 1})
          k_first.push_back(keys[4 * t + 2 * head + d]), v_first.push_back(values[4 * t + 2 * head + d]);
      }
    }
    Put(dense, k.value, k_first), Put(dense, v.value, v_first);
    dense.RunAll(*device_, table), strided.RunAll(*device_, table);
    EXPECT_EQ(strided.floats(y), dense.floats(y)) << step;
    if (step == 0) {
      EXPECT_THAT(dense.floats(y), ElementsAre(0, 1, 2, 3));
    }
  }
}

TEST_F(BindKernelsTest, AFusionThatNoKernelDoesHasNoCall) {
  const ValueId x = b_.Input("x", 84);
  const ValueId a = b_.Compute("a", {.reads = {x}, .writes = {{.bytes = 84}}});
  b_.Output(b_.Compute("b", {.reads = {a}, .writes = {{.bytes = 84}}}));
  b_.AddFusion({.name = "f", .ops = {OpId(0), OpId(1)}});
  const KernelSpec silu{.kernel = "silu", .integers = {{"rows", 3}, {"columns", 7}}};
  specs_ = {silu, silu};
  const KernelTable table = Bind(Build());
  ASSERT_EQ(table.of_fusion.size(), 1u);
  EXPECT_FALSE(table.of_fusion[0]);
  EXPECT_TRUE(table.of_op[1]);
}

// The weight has one row, which all rows still read.
TEST_F(BindKernelsTest, AFusionThatDeclaresTooMuchInPlace) {
  const ValueId x = b_.Input("x", 84), w = b_.Input("w", 28);
  const ValueId norm = b_.Compute("norm", {.reads = {x}, .writes = {{.bytes = 84}}});
  const ValueId y = b_.Compute("mul", {.reads = {norm, w}, .writes = {{.name = "y", .bytes = 84}}});
  b_.Output(y);
  b_.AddFusion({.name = "f", .ops = {OpId(0), OpId(1)}, .in_place = {{y, x}, {y, w}}});
  specs_ = {KernelSpec{.kernel = "rms_norm", .integers = {{"rows", 3}, {"columns", 7}}},
            KernelSpec{.kernel = "mul", .integers = {{"rows", 3}, {"columns", 7}, {"b_rows", 1}}}};
  const Graph graph = Build();
  const absl::StatusOr<KernelTable> table = BindKernels(graph, specs_);
  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(table.status().message(),
              HasSubstr("fusion \"f\", kernel \"rms_norm_mul\": result \"y\" may not lie on value \"w\""));
}

// The fused kernel writes the row of the cache that the two ops write.
TEST_F(BindKernelsTest, RopeStraightIntoTheCache) {
  const Expr s = b_.AddSymbol("s", 0, 3);
  const ValueId x = b_.Input("x", 32), positions = b_.Input("positions", 4), cache = b_.Variable("cache", 64);
  const ValueId k = b_.Compute("rope", {.reads = {x, positions}, .writes = {{.bytes = 32}}});
  const ValueId next =
      b_.Compute("store", {.reads = {k}, .writes = {{.bytes = 64, .base = cache, .region = Region{16 * s, 16, {}}}}});
  b_.Commit("commit", next, cache);
  b_.AddFusion({.name = "f", .ops = {OpId(0), OpId(1)}, .required = true});
  specs_ = {KernelSpec{.kernel = "rope", .integers = {{"rows", 1}, {"heads", 2}, {"head_dim", 4}}},
            KernelSpec{.kernel = "convert",
                       .integers = {{"rows", 1}, {"columns", 8}, {"y_offset", 16 * s}},
                       .types = {{"y_type", ElementType::kF16}}},
            std::nullopt};
  const Graph graph = Build();
  const KernelTable table = Bind(graph);
  for (int64_t step : {0, 3}) {
    GraphRun fused(graph, {step}), apart(graph, {step});
    for (GraphRun* run : {&fused, &apart}) {
      Put<float>(*run, x, {1, 2, 3, 4, 5, 6, 7, 8});
      Put<int32_t>(*run, positions, {17});
    }
    fused.RunFusion(*device_, table, FusionId(0));
    apart.RunOp(*device_, table, OpId(0)), apart.RunOp(*device_, table, OpId(1));
    EXPECT_EQ(fused.bytes(next), apart.bytes(next));
  }
}

}  // namespace
}  // namespace bufplan::runtime
