#include "planner/liveness/uses.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"
#include "tests/planner/cases/stages.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Row = std::tuple<int32_t, UseKind, int64_t, int64_t>;  // time, kind, begin, end

std::vector<Row> UsesOf(const Stages& s, ValueId v) {
  std::vector<Row> rows;
  for (const Use& use : s.uses().of(v)) rows.emplace_back(use.time, use.kind, use.range.begin, use.range.end);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Uses, ReadsBasesKeepAlivesAndTheEnd) {
  CaseGraph g;
  const ValueId x = g.Input("x", 100, {.preserve = true});
  g.R("r", x, 10, 20);
  const ValueId y = g.W("w", x, 0, 50);
  const OpId b = g.Barrier("b");
  g.KeepAliveUntil(x, b);
  g.Output(y);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(UsesOf(s, x), ElementsAre(Row{0, UseKind::kRead, 10, 30}, Row{1, UseKind::kBase, 50, 100},
                                        Row{2, UseKind::kKeepAlive, 0, 100}, Row{3, UseKind::kEnd, 0, 100}));
  EXPECT_THAT(UsesOf(s, y), ElementsAre(Row{3, UseKind::kEnd, 0, 100}));
}

TEST(Uses, AViewIsAnAliasAndNoUse) {
  CaseGraph g;
  const ValueId x = g.Input("x", 100);
  const ValueId v = g.View("v", x, 20, 60);
  const ValueId w = g.View("w", v, 10, 30);
  g.R("r", w, 5, 10);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(UsesOf(s, x), ElementsAre(Row{2, UseKind::kRead, 35, 45}));
  EXPECT_EQ(s.uses().root(w), x);
  EXPECT_EQ(s.uses().offset(w), Expr(30));
  EXPECT_EQ(s.uses().range(w), (ByteRange{30, 60}));
  EXPECT_FALSE(s.uses().is_root(v));
  EXPECT_TRUE(s.uses().is_root(x));
  EXPECT_EQ(s.uses().of(x)[0].through, w);
  const Region region = s.uses().RegionOf(s.uses().of(x)[0]);
  EXPECT_EQ(region, (Region{35, 10, {}}));
}

TEST(Uses, SymbolicPlacesAreBounded) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 1, 4);
  const ValueId x = g.Input("x", 100);
  const ValueId v = g.View("v", x, 10 * t, 10);
  g.R("r", {v});
  g.R("r2", x, 5 * t, 20);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(UsesOf(s, x), ElementsAre(Row{1, UseKind::kRead, 10, 50}, Row{2, UseKind::kRead, 5, 40}));
  EXPECT_EQ(s.uses().RegionOf(s.uses().of(x)[0]).at, 10 * t);
}

TEST(Uses, VariablesWithoutACommitAreNeededAtTheEnd) {
  CaseGraph g;
  const ValueId kept = g.Variable("kept", 8), committed = g.Variable("committed", 8);
  const ValueId y = g.Op("f", {}, 8);
  g.Commit("c", y, committed);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(UsesOf(s, kept), ElementsAre(Row{2, UseKind::kEnd, 0, 8}));
  EXPECT_THAT(UsesOf(s, committed), IsEmpty());
  EXPECT_THAT(UsesOf(s, y), ElementsAre(Row{1, UseKind::kRead, 0, 8}));
}

TEST(Uses, AGroupReadsWhatItDoesNotWriteAtItsOwnTime) {
  CaseGraph g;
  const ValueId x = g.Input("x", 8);
  const ValueId a = g.Op("a", {x}, 8);
  const OpId first = g.last_op();
  g.Barrier("between");
  g.Op("b", {a}, 8);
  Fusion fusion;
  fusion.name = "f";
  fusion.ops = {first, g.last_op()};
  fusion.required = true;
  g.AddFusion(fusion);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(UsesOf(s, x), ElementsAre(Row{2, UseKind::kRead, 0, 8}));
  EXPECT_THAT(UsesOf(s, a), IsEmpty());
}

// The view's source has no bytes, so the group writes the view itself.
TEST(Uses, AViewOfWhatAGroupSwallowsIsARootOfItsOwn) {
  CaseGraph g;
  const ValueId a = g.Op("a", {}, 64);
  Fusion fusion;
  fusion.name = "f";
  fusion.ops.push_back(g.last_op());
  const ValueId v = g.View("v", a, 16, 32);
  fusion.ops.push_back(g.last_op());
  fusion.required = true;
  g.AddFusion(fusion);
  g.R("r", {v});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.uses().is_root(v));
  EXPECT_EQ(s.uses().offset(v), Expr(0));
  EXPECT_EQ(s.StorageWith(v).size_bytes, 32);
  EXPECT_EQ(s.StorageOf(a), Sharing::kNoStorage);
}

}  // namespace
}  // namespace bufplan
