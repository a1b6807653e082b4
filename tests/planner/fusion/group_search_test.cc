#include "planner/fusion/group_search.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// `layers` times: x is read first and last, two ops in the middle may be fused, which costs 64 bytes in odd layers and
// saves 64 in even ones.
struct Layers {
  GraphBuilder b;
  ValueId x = b.Input("x", 64);
  int ops = 0;

  ValueId Op(std::vector<Operand> reads, int64_t bytes) {
    ++ops;
    Result r;
    r.bytes = bytes;
    ComputeSpec spec;
    spec.reads = std::move(reads);
    spec.writes = {r};
    return b.Compute("", spec);
  }
  void Group(std::vector<int> members, double benefit) {
    Fusion f;
    f.name = absl::StrCat("g", ops, "_", members.size());
    for (int m : members) f.ops.push_back(OpId(m));
    f.benefit = benefit;
    b.AddFusion(f);
  }
  // The group keeps `in` until it ends: 64 + 64 + 64 bytes at once instead of 64 + 64.
  void Costly(double benefit) {
    const ValueId a = Op({x}, 8), y = Op({}, 64);
    x = Op({a, y}, 64);
    Group({ops - 3, ops - 1}, benefit);
  }
  // What is used inside the group only is large.
  void Cheap(double benefit) {
    const ValueId a = Op({x}, 64);
    x = Op({a}, 64);
    Group({ops - 2, ops - 1}, benefit);
  }
  Graph Build() {
    b.Output(x);
    return *std::move(b).Build();
  }
};

TEST(GroupSearch, WithoutACapacityThatBindsThereIsOnePlan) {
  Layers layers;
  for (int i = 0; i < 40; ++i) i % 2 == 0 ? layers.Cheap(1) : layers.Costly(2);
  const Graph graph = layers.Build();
  for (const Effort effort : {Effort::kFast, Effort::kDefault, Effort::kMax}) {
    const PlanOptions options{.effort = effort};
    GroupTrials trials(graph, options);
    EXPECT_TRUE(SearchGroups(graph, options, trials));
    EXPECT_THAT(trials.best_set(), SizeIs(40));
    EXPECT_EQ(trials.plans(), 1);
  }
}

TEST(GroupSearch, WithoutGroupsThereIsOnePlan) {
  Layers layers;
  layers.Op({layers.x}, 8);
  const Graph graph = layers.Build();
  const PlanOptions options;
  GroupTrials trials(graph, options);
  EXPECT_TRUE(SearchGroups(graph, options, trials));
  EXPECT_EQ(trials.plans(), 1);
  EXPECT_THAT(trials.best_set(), IsEmpty());
}

// Far more sets than plans: whatever does not fit by itself is left, all else is taken.
TEST(GroupSearch, AmongManyGroupsThoseThatDoNotFitAreFound) {
  for (const Effort effort : {Effort::kDefault, Effort::kMax}) {
    Layers layers;
    for (int i = 0; i < 60; ++i) i % 15 == 7 ? layers.Costly(2) : layers.Cheap(1);
    const Graph graph = layers.Build();
    const PlanOptions options{.effort = effort, .capacity_bytes = 191};
    GroupTrials trials(graph, options);
    EXPECT_FALSE(SearchGroups(graph, options, trials));
    ASSERT_TRUE(trials.found());
    EXPECT_THAT(trials.best_set(), SizeIs(56));
    EXPECT_LE(trials.plans(), MaxPlans(graph, options));
  }
}

TEST(GroupSearch, AFewPlansAtEffortFast) {
  Layers layers;
  for (int i = 0; i < 60; ++i) i % 15 == 7 ? layers.Costly(2) : layers.Cheap(1);
  const Graph graph = layers.Build();
  const PlanOptions options{.effort = Effort::kFast, .capacity_bytes = 191};
  GroupTrials trials(graph, options);
  EXPECT_FALSE(SearchGroups(graph, options, trials));
  EXPECT_TRUE(trials.found());
  EXPECT_LE(trials.plans(), 6);
}

// No group by itself saves enough, all of benefit below zero: only all together fit.
TEST(GroupSearch, GroupsThatSaveMemoryAreTakenWhereNothingFitsOtherwise) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  std::vector<ValueId> kept;
  int op = 0;
  for (int i = 0; i < 30; ++i) {
    const ValueId a = b.Compute("", {.reads = {x}, .writes = {{.bytes = 100}}});
    kept.push_back(b.Compute("", {.reads = {a}, .writes = {{.bytes = 8}}}));
    Fusion f;
    f.name = absl::StrCat(i);
    f.ops = {OpId(op), OpId(op + 1)};
    f.benefit = -1;
    op += 2;
    b.AddFusion(f);
  }
  for (ValueId v : kept) b.Output(v);
  const Graph graph = *std::move(b).Build();
  const PlanOptions options{.capacity_bytes = 8 + 30 * 8};
  GroupTrials trials(graph, options);
  EXPECT_FALSE(SearchGroups(graph, options, trials));
  ASSERT_TRUE(trials.found());
  // At the pair i, x, the kept results of those before and of this one are there, and separately a's 100 bytes instead
  // of this one's 8 first: so only those from the eighteenth on must be fused.
  EXPECT_THAT(trials.best_set(), SizeIs(13));
}

// More than a few groups of which some can never be fused: they are dropped, and the rest is solved exactly but for
// that.
TEST(GroupSearch, ImpossibleGroupsAreDropped) {
  GraphBuilder b;
  int op = 0;
  for (int i = 0; i < 20; ++i) {
    const ValueId a = b.Compute("", {.reads = {}, .writes = {{.bytes = 8}}});
    b.Compute("", {});
    b.Output(b.Compute("", {.reads = {a}, .writes = {{.bytes = 8}}}));
    if (i % 4 == 0) b.KeepAliveUntil(a, OpId(op + 1));
    Fusion f;
    f.name = absl::StrCat(i);
    f.ops = {OpId(op), OpId(op + 2)};
    op += 3;
    b.AddFusion(f);
  }
  const Graph graph = *std::move(b).Build();
  const PlanOptions options;
  GroupTrials trials(graph, options);
  SearchGroups(graph, options, trials);
  ASSERT_TRUE(trials.found());
  EXPECT_THAT(trials.best_set(), SizeIs(15));
  EXPECT_LE(trials.plans(), 2);
}

}  // namespace
}  // namespace bufplan
