#include "planner/placement/chain_cover.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

// The weight of the heaviest cut, by trying all.
int64_t HeaviestOfAllCuts(const ChainSlots& slots, const std::vector<int64_t>& weights) {
  ChainCut cut(slots.first.begin(), slots.first.end() - 1);
  int64_t heaviest = 0;
  for (;;) {
    int64_t weight = 0;
    for (int32_t p : LiveAt(slots, cut)) weight += weights[static_cast<size_t>(p)];
    heaviest = std::max(heaviest, weight);
    size_t c = 0;
    for (; c < cut.size() && cut[c] == slots.first[c + 1]; ++c) cut[c] = slots.first[c];
    if (c == cut.size()) return heaviest;
    ++cut[c];
  }
}

// From nothing, from a middling cut, and from the heaviest.
TEST(ChainCoverTest, ProvesTheHeaviestCut) {
  std::mt19937_64 random(51);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 24, .max_ops = 24});
    const ChainSlots slots = MakeChainSlots(problem);
    std::vector<int64_t> weights;
    for (size_t p = 0; p < problem.pieces.size(); ++p) weights.push_back(static_cast<int64_t>(random() % 8));
    const int64_t heaviest = HeaviestOfAllCuts(slots, weights);
    WeighedCut best = {ChainCut(slots.first.begin(), slots.first.end() - 1), 0};
    for (int start = 0; start < 2; ++start) {
      int64_t work = 0, live = 0;
      ASSERT_TRUE(ProveHeaviest(slots, weights, INT64_MAX, best, work));
      for (int32_t p : LiveAt(slots, best.cut)) live += weights[static_cast<size_t>(p)];
      ASSERT_EQ(best.weight, heaviest);
      ASSERT_EQ(live, heaviest);
      const ChainCut proven = best.cut;
      ASSERT_TRUE(ProveHeaviest(slots, weights, INT64_MAX, best, work));
      ASSERT_EQ(best.cut, proven);
      // What is live in list order is somewhere between.
      best.cut = ListPeak(problem, slots, weights);
      best.weight = 0;
      for (int32_t p : LiveAt(slots, best.cut)) best.weight += weights[static_cast<size_t>(p)];
      ASSERT_LE(best.weight, heaviest);
    }
  }
}

// s is before r alone, p before r and q. r begins first and takes what p has free; so that q needs no fresh bytes, r
// has to take from s instead.
TEST(ChainCoverTest, ReroutesWhatWasHandedOn) {
  ChainProgram program;
  program.num_chains = 2;
  program.ops = {{0, {}}, {0, {}}, {0, {}}, {0, {}}, {1, {1}}};
  program.lives = {{0, 0, {2}, 0, 5}, {1, 1, {}, 0, 5}, {2, 3, {}, 0, 5}, {3, 4, {}, 0, 5}};
  const ChainSlots slots = MakeChainSlots(FromProgram(program));
  WeighedCut best;
  best.cut.assign(slots.first.begin(), slots.first.end() - 1);
  int64_t work = 0;
  EXPECT_TRUE(ProveHeaviest(slots, {5, 5, 5, 5}, INT64_MAX, best, work));
  EXPECT_EQ(best.weight, 10);
}

TEST(ChainCoverTest, AtTheLimitTheCutKnownIsReturned) {
  std::mt19937_64 random(52);
  int unproven = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 24, .max_ops = 24});
    const ChainSlots slots = MakeChainSlots(problem);
    const std::vector<int64_t> weights(problem.pieces.size(), 1);
    const int64_t heaviest = HeaviestOfAllCuts(slots, weights);
    for (const int64_t limit : {0, 50, 100, 200}) {
      WeighedCut best = {ChainCut(slots.first.begin(), slots.first.end() - 1), 0};
      int64_t work = 0;
      const bool proven = ProveHeaviest(slots, weights, limit, best, work);
      ASSERT_EQ(best.weight, static_cast<int64_t>(LiveAt(slots, best.cut).size()));
      ASSERT_LE(best.weight, heaviest);
      ASSERT_TRUE(!proven || best.weight == heaviest);
      unproven += !proven;
    }
  }
  EXPECT_GT(unproven, 0);
}

}  // namespace
}  // namespace bufplan
