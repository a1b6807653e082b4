#include "planner/fusion/group_trials.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Spec {
  std::vector<int32_t> ops;
  double benefit = 1;
  bool required = false;
};

// A chain of five ops.
Graph Chain(const std::vector<Spec>& groups) {
  GraphBuilder b;
  ValueId v = b.Input("x", 64);
  for (int i = 0; i < 5; ++i) v = b.Compute("", {.reads = {v}, .writes = {{.bytes = 64}}});
  b.Output(v);
  for (const Spec& s : groups) {
    Fusion f;
    f.name = std::string(1, static_cast<char>('a' + (&s - groups.data())));
    for (int32_t o : s.ops) f.ops.emplace_back(o);
    f.benefit = s.benefit;
    f.required = s.required;
    b.AddFusion(f);
  }
  return *std::move(b).Build();
}

TEST(GroupTrials, GroupsOverRequiredOnesAreNoCandidates) {
  const Graph graph = Chain({{{0, 1}, 1, true}, {{1, 2}, 9, false}, {{3, 4}, 1, false}});
  const PlanOptions options;
  GroupTrials trials(graph, options);
  EXPECT_THAT(trials.candidates(), ElementsAre(FusionId(2)));
  EXPECT_EQ(trials.RequiredOver(FusionId(1)), FusionId(0));
  EXPECT_EQ(trials.RequiredOver(FusionId(0)), std::nullopt);
  EXPECT_EQ(trials.RequiredOver(FusionId(2)), std::nullopt);
  EXPECT_THAT(trials.WithRequired({FusionId(2)}), ElementsAre(FusionId(0), FusionId(2)));
}

TEST(GroupTrials, APlanIsMadeOnceAndTheBestIsKept) {
  const Graph graph = Chain({{{0, 1}, 1}, {{1, 2}, 2}, {{3, 4}, 0}});
  const PlanOptions options;
  GroupTrials trials(graph, options);
  EXPECT_FALSE(trials.found());
  EXPECT_EQ(trials.Find({}), nullptr);
  EXPECT_TRUE(trials.Try({}).status.ok());
  EXPECT_THAT(trials.best_set(), IsEmpty());
  trials.Try({FusionId(1)});
  trials.Try({FusionId(0)});
  trials.Try({FusionId(0)});
  EXPECT_EQ(trials.plans(), 3);
  EXPECT_THAT(trials.best_set(), ElementsAre(FusionId(1)));
  // The one of benefit 0 saves nothing here: without it is better, whichever came first.
  trials.Try({FusionId(1), FusionId(2)});
  EXPECT_THAT(trials.best_set(), ElementsAre(FusionId(1)));
  EXPECT_EQ(trials.Find({FusionId(1), FusionId(2)})->bytes, trials.best().bytes);
}

TEST(GroupTrials, OfEqualBenefitTheEarlierGroupWins) {
  const Graph graph = Chain({{{0, 1}, 1}, {{1, 2}, 1}});
  const PlanOptions options;
  GroupTrials trials(graph, options);
  trials.Try({FusionId(1)});
  trials.Try({FusionId(0)});
  EXPECT_THAT(trials.best_set(), ElementsAre(FusionId(0)));
}

TEST(GroupTrials, AfterFreezingNoneIsKept) {
  const Graph graph = Chain({{{0, 1}, 1}});
  const PlanOptions options;
  GroupTrials trials(graph, options);
  trials.Try({});
  trials.Freeze();
  EXPECT_TRUE(trials.Try({FusionId(0)}).status.ok());
  EXPECT_THAT(trials.best_set(), IsEmpty());
}

TEST(GroupTrials, BenefitsThatDifferByRoundingAreEqual) {
  EXPECT_FALSE(ClearlyLess(0.3, 0.1 + 0.2));
  EXPECT_FALSE(ClearlyLess(0.1 + 0.2, 0.3));
  EXPECT_TRUE(ClearlyLess(0.3, 0.3001));
  EXPECT_TRUE(ClearlyLess(-1, 0));
  EXPECT_FALSE(ClearlyLess(0, 0));
  Fusion huge;
  huge.benefit = 1.7e308;
  EXPECT_TRUE(ClearlyLess(BenefitOf(huge), BenefitOf(huge) * 3));
}

}  // namespace
}  // namespace bufplan
