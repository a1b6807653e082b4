#include "planner/liveness/overwritten.h"

#include <utility>

#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

// Of the last op's first result.
OverwrittenBytes OfLastOp(CaseGraph g) {
  const OpId op = g.last_op();
  absl::StatusOr<Graph> graph = std::move(g).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return {};
  return Overwritten(*graph, op, graph->writes(graph->op(op))[0]);
}

ValueId Write(CaseGraph& g, ValueId base, std::optional<Region> region, Cover cover = Cover::kAll) {
  ComputeSpec spec;
  Result& result = spec.writes.emplace_back();
  result.bytes = g.bytes(base);
  result.base = base;
  result.region = std::move(region);
  result.cover = cover;
  return g.Compute("", std::move(spec));
}

#define EXPECT_OVERWRITTEN(actual, low, high, is_exact)      \
  do {                                                       \
    const OverwrittenBytes overwritten = (actual);           \
    EXPECT_EQ(overwritten.span, (ByteRange{(low), (high)})); \
    EXPECT_EQ(overwritten.exact, (is_exact));                \
  } while (false)

TEST(Overwritten, ARegionOfACompute) {
  CaseGraph g;
  Write(g, g.Input("x", 256), Bytes(64, 32));
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 64, 96, true);
}

TEST(Overwritten, TheWholeWithoutARegion) {
  CaseGraph g;
  Write(g, g.Input("x", 256), std::nullopt);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 0, 256, true);
}

TEST(Overwritten, APartOfARegionIsNotExact) {
  CaseGraph g;
  Write(g, g.Input("x", 256), Bytes(64, 32), Cover::kPart);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 64, 96, false);
}

TEST(Overwritten, StridedAndSymbolicRegionsAreNotExact) {
  {
    CaseGraph g;
    Write(g, g.Input("x", 256), Region{16, 8, {Dim{4, 32}}});
    EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 16, 120, false);
  }
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 1, 3);
  Write(g, g.Input("x", 256), Bytes(32 * t, 16));
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 32, 112, false);
}

TEST(Overwritten, ASymbolicSizeIsNotExact) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 3);
  Write(g, g.Input("x", 64 * t), std::nullopt);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 0, 192, false);
}

TEST(Overwritten, AnUpdateIsItsPart) {
  CaseGraph g;
  const ValueId x = g.Input("x", 256), row = g.Input("row", 64);
  g.Update("u", x, row, 128);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 128, 192, true);
}

TEST(Overwritten, TwoPartsOfACopyAreSpannedButNotExact) {
  CaseGraph g;
  const ValueId x = g.Input("x", 256), row = g.Input("row", 16);
  g.Copy("c", {{row, std::nullopt, Bytes(32, 16)}, {row, std::nullopt, Bytes(96, 16)}}, x, 256);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 32, 112, false);
}

TEST(Overwritten, NothingOfACopyWithoutBytes) {
  CaseGraph g;
  const ValueId x = g.Input("x", 256), row = g.Input("row", 0);
  g.Update("u", x, row, 64);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 0, 0, true);
}

TEST(Overwritten, AFill) {
  CaseGraph g;
  const ValueId x = g.Input("x", 256);
  g.Fill("f", x, Bytes(8, 8), 256);
  EXPECT_OVERWRITTEN(OfLastOp(std::move(g)), 8, 16, true);
}

}  // namespace
}  // namespace bufplan
