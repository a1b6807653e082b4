#include "gpu_runtime/steps/sizes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/gpu_runtime/steps/naive_shape.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {
namespace {

// x of 16*s bytes, and a compute op that reads its even rows of t bytes.
Graph Rows() {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 12, 4);
  const Expr t = b.AddSymbol("t", 1, 8);
  const ValueId x = b.Input("x", 16 * s);
  b.Compute("read", {.reads = {Operand(x, Region{0, t, {{s, 16}}})},
                     .writes = {{.name = "y", .bytes = s * t}},
                     .options = {.scratch_bytes = 32 * t}});
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

std::string MessageAt(const Graph& graph, const std::vector<int64_t>& symbols) {
  const absl::StatusOr<Sizes> sizes = SizesOf(graph, symbols);
  EXPECT_EQ(sizes.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(sizes.status().message());
}

TEST(SizesTest, AreTheExpressionsValues) {
  const Graph graph = Rows();
  const absl::StatusOr<Sizes> sizes = SizesOf(graph, {8, 3});
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ(sizes->symbol_values, (std::vector<int64_t>{8, 3}));
  EXPECT_EQ(sizes->value_bytes, (std::vector<int64_t>{128, 24}));
  EXPECT_EQ(sizes->scratch_bytes, (std::vector<int64_t>{96}));
  const Read& read = graph.reads(graph.ops()[0])[0];
  const Shape rows = sizes->ShapeOf(read.value, read.region);
  EXPECT_EQ(rows.bytes(), 24);
  EXPECT_EQ(rows.end(), 7 * 16 + 3);
  ASSERT_EQ(rows.dims.size(), 1u);
  EXPECT_EQ(rows.dims[0].count, 8);
  const Shape whole = sizes->ShapeOf(read.value, std::nullopt);
  EXPECT_EQ(whole.at, 0);
  EXPECT_EQ(whole.bytes(), 128);
  EXPECT_TRUE(whole.dims.empty());
}

TEST(SizesTest, NothingAtZero) {
  const Graph graph = Rows();
  const absl::StatusOr<Sizes> sizes = SizesOf(graph, {0, 3});
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  const Read& read = graph.reads(graph.ops()[0])[0];
  const Shape rows = sizes->ShapeOf(read.value, read.region);
  EXPECT_EQ(rows.bytes(), 0);
  EXPECT_EQ(rows.end(), rows.at);
  EXPECT_TRUE(rows.dims.empty());
}

TEST(SizesTest, RefusesSymbolValues) {
  const Graph graph = Rows();
  EXPECT_EQ(MessageAt(graph, {4}), "the graph has 2 symbols, values are given for 1");
  EXPECT_EQ(MessageAt(graph, {4, 1, 1}), "the graph has 2 symbols, values are given for 3");
  EXPECT_EQ(MessageAt(graph, {16, 1}), "symbol \"s\"=16, must be in [0, 12] and a multiple of 4");
  EXPECT_EQ(MessageAt(graph, {-4, 1}), "symbol \"s\"=-4, must be in [0, 12] and a multiple of 4");
  EXPECT_EQ(MessageAt(graph, {6, 1}), "symbol \"s\"=6, must be in [0, 12] and a multiple of 4");
  EXPECT_EQ(MessageAt(graph, {4, 0}), "symbol \"t\"=0, must be in [1, 8] and a multiple of 1");
}

TEST(ShapeTest, KeepsTheSequenceOfBytes) {
  Rng rng(3);
  for (int round = 0; round < 5000; ++round) {
    const int64_t at = rng.Between(0, 20), run = rng.Between(0, 6);
    std::vector<Shape::Dim> raw;
    std::vector<Dim> dims;
    int64_t inner = run;
    for (int64_t d = rng.Between(0, 4); d > 0; --d) {
      const int64_t count = rng.Percent(10) ? 0 : rng.Between(1, 4);
      // Often so that runs or dims lie together.
      const int64_t stride = rng.Percent(60) ? inner : rng.Between(0, 2 * inner + 2);
      inner = count * stride;
      raw.insert(raw.begin(), {count, stride});
      dims.insert(dims.begin(), {Expr(count), Expr(stride)});
    }
    const std::optional<Shape> shape = ShapeAt(at, run, dims, {});
    ASSERT_TRUE(shape.has_value());
    const std::vector<int64_t> expected = BytesOfRuns(at, run, raw);
    ASSERT_EQ(BytesOfShape(*shape), expected) << round;
    ASSERT_EQ(shape->bytes(), static_cast<int64_t>(expected.size()));
    int64_t end = shape->at;
    for (int64_t b : expected) end = std::max(end, b + 1);
    ASSERT_EQ(shape->end(), end);
    for (size_t d = 0; d < shape->dims.size(); ++d) {
      ASSERT_GT(shape->dims[d].count, 1);
      const bool last = d + 1 == shape->dims.size();
      const int64_t together = last ? shape->run_bytes : shape->dims[d + 1].count * shape->dims[d + 1].stride;
      ASSERT_NE(shape->dims[d].stride, together) << "could be one";
    }
  }
}

// What comes of a dim that counts once is nothing, however wide its stride.
TEST(ShapeTest, OneRunMayHaveAnyStride) {
  const bufplan::Dim wide = {1, INT64_MAX};
  const std::optional<Shape> shape = ShapeAt(8, 8, {&wide, 1}, {});
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->at, 8);
  EXPECT_EQ(shape->bytes(), 8);
  EXPECT_EQ(shape->end(), 16);
}

TEST(ShapeTest, NoValueIsNoShape) {
  EXPECT_FALSE(ShapeAt(0, -1, {}, {}).has_value());
  EXPECT_FALSE(ShapeAt(0, 4, {{Expr(-1), Expr(4)}}, {}).has_value());
  EXPECT_FALSE(ShapeAt(0, 4, {{Expr(2), Expr(-4)}}, {}).has_value());
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 8);
  EXPECT_FALSE(ShapeAt(s, 4, {}, {}).has_value());
  EXPECT_EQ(ShapeAt(s - 9, 4, {}, {{2}})->at, -7) << "whether it leaves its memory is for others to say";
}

}  // namespace
}  // namespace bufplan::runtime
