#include "planner/fusion/load_change.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/fusion/plan_groups.h"
#include "planner/order/schedule.h"
#include "tests/oracle/random_graph.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

Fusion Group(std::vector<int32_t> ops, std::vector<FusionInPlace> in_place = {}) {
  Fusion f;
  static int number = 0;
  f.name = std::to_string(number++);
  for (int32_t o : ops) f.ops.emplace_back(o);
  f.in_place = std::move(in_place);
  return f;
}

Result New(int64_t bytes, std::vector<InPlaceOf> in_place = {}) {
  Result r;
  r.bytes = bytes;
  r.in_place = std::move(in_place);
  return r;
}

struct Change {
  std::vector<int64_t> estimate, truth;
};

// From the plan with `fused`: `fuse` as well, `separate` not.
Change ChangeOf(const Graph& graph, std::vector<FusionId> fused, std::optional<FusionId> fuse,
                const std::vector<FusionId>& separate) {
  int64_t work = 0;
  const absl::StatusOr<GroupPlan> plan = PlanGroups(graph, fused, {}, work);
  const absl::StatusOr<Schedule> schedule = Schedule::Create(graph, fused);
  EXPECT_TRUE(plan.ok() && schedule.ok());
  LoadChange load(graph, *schedule, plan->plan, plan->problems);
  Change change;
  change.estimate = load.If(fuse, separate);
  EXPECT_EQ(load.If(fuse, separate), change.estimate) << "the curve is left changed";
  std::vector<int64_t> before = *LoadOfGroups(graph, fused, {});
  std::erase_if(fused, [&](FusionId f) { return std::find(separate.begin(), separate.end(), f) != separate.end(); });
  if (fuse.has_value()) fused.push_back(*fuse);
  std::sort(fused.begin(), fused.end());
  const absl::StatusOr<std::vector<int64_t>> after = LoadOfGroups(graph, fused, {});
  if (!after.ok()) return change;
  for (size_t i = 0; i < before.size(); ++i) change.truth.push_back((*after)[i] - before[i]);
  return change;
}

// Both ways, and that is the truth.
void ExpectExact(const Graph& graph, int64_t change) {
  const Change on = ChangeOf(graph, {}, FusionId(0), {}),
               off = ChangeOf(graph, {FusionId(0)}, std::nullopt, {FusionId(0)});
  EXPECT_THAT(on.truth, ElementsAre(change));
  EXPECT_THAT(on.estimate, ElementsAre(change));
  EXPECT_THAT(off.truth, ElementsAre(-change));
  EXPECT_THAT(off.estimate, ElementsAre(-change));
}

TEST(LoadChange, InputsLiveLongerAndResultsAreNotInPlace) {
  GraphBuilder b;
  const ValueId x = b.Compute("x", {.reads = {}, .writes = {New(64)}});
  const ValueId small = b.Compute("small", {.reads = {x}, .writes = {New(8)}});
  const ValueId y = b.Compute("y", {.reads = {}, .writes = {New(64)}});
  b.Output(b.Compute("z", {.reads = {small, y}, .writes = {New(64, {y})}}));
  b.AddFusion(Group({1, 3}));
  ExpectExact(*std::move(b).Build(), 120);
}

TEST(LoadChange, WhatIsUsedInsideOnlyGoes) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64);
  const ValueId a = b.Compute("a", {.reads = {x}, .writes = {New(256)}});
  b.Output(b.Compute("b", {.reads = {a}, .writes = {New(64)}}));
  b.AddFusion(Group({0, 1}));
  ExpectExact(*std::move(b).Build(), -192);
}

TEST(LoadChange, AMemberUsedOutsideBeginsWithTheGroup) {
  GraphBuilder b;
  const ValueId a = b.Compute("a", {.reads = {}, .writes = {New(100)}});
  const ValueId big = b.Compute("big", {.reads = {}, .writes = {New(300)}});
  b.Compute("r", {.reads = {big}});
  const ValueId c = b.Compute("c", {.reads = {a}, .writes = {New(10)}});
  b.Compute("end", {.reads = {a, c}});
  b.AddFusion(Group({0, 3}));
  ExpectExact(*std::move(b).Build(), -100);
}

TEST(LoadChange, ThePermissionOfTheGroupCounts) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64), y = b.Input("y", 64);
  const ValueId a = b.Compute("a", {.reads = {x}, .writes = {New(64, {x})}});
  const ValueId z = b.Compute("z", {.reads = {a, y}, .writes = {New(64, {a})}});
  b.Output(z);
  b.AddFusion(Group({0, 1}, {{z, y, InPlaceMode::kSameIndex}}));
  ExpectExact(*std::move(b).Build(), 0);
}

TEST(LoadChange, ScratchMovesWithItsOp) {
  GraphBuilder b;
  const ValueId a = b.Compute("a", {.reads = {}, .writes = {New(8)}, .options = {.scratch_bytes = 100}});
  const ValueId big = b.Compute("big", {.reads = {}, .writes = {New(50)}});
  b.Output(b.Compute("c", {.reads = {a, big}, .writes = {New(8)}}));
  b.AddFusion(Group({0, 2}));
  ExpectExact(*std::move(b).Build(), 50);
}

TEST(LoadChange, AGroupThatOverlapsMakesRoom) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64);
  const ValueId p = b.Compute("p", {.reads = {x}, .writes = {New(256)}});
  const ValueId q = b.Compute("q", {.reads = {p}, .writes = {New(128)}});
  b.Output(b.Compute("r", {.reads = {q}, .writes = {New(64)}}));
  b.AddFusion(Group({0, 1}));
  b.AddFusion(Group({1, 2}));
  const Graph graph = *std::move(b).Build();
  const Change change = ChangeOf(graph, {FusionId(0)}, FusionId(1), {FusionId(0)});
  EXPECT_THAT(change.truth, ElementsAre(128));
  EXPECT_THAT(change.estimate, ElementsAre(128));
}

// An estimate, but not just any number: over random graphs of compute ops, mostly on whole values, it is mostly the
// truth.
TEST(LoadChange, IsCloseOnRandomGraphs) {
  int64_t all = 0, exact = 0, error = 0, size = 0;
  RandomGraphOptions options = RandomGraphOptions::Fusions();
  options.max_streams = 1;
  options.movements = options.caller_owned = options.strided = options.cover_part = false;
  options.zero_bytes = options.alignments = options.disjoint = false;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
    ASSERT_TRUE(graph.ok());
    for (size_t i = 0; i < graph->fusions().size(); ++i) {
      const FusionId f(static_cast<int32_t>(i));
      for (const bool on : {true, false}) {
        const Change change = on ? ChangeOf(*graph, {}, f, {}) : ChangeOf(*graph, {f}, std::nullopt, {f});
        if (change.truth.empty()) continue;
        ++all;
        exact += change.truth == change.estimate;
        error += std::abs(change.truth[0] - change.estimate[0]);
        size += std::abs(change.truth[0]);
      }
    }
  }
  EXPECT_GT(all, 300);
  EXPECT_GT(exact * 10, all * 7) << exact << " of " << all;
  EXPECT_LT(error * 10, size * 7) << error << " of " << size << " bytes";
}

}  // namespace
}  // namespace bufplan
