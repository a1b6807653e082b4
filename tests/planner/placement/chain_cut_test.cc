#include "planner/placement/chain_cut.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

std::vector<int64_t> WeightsOf(const PlacementProblem& problem) {
  std::vector<int64_t> weights;
  for (const Piece& piece : problem.pieces) weights.push_back(piece.high - piece.low);
  return weights;
}

// By the definition.
std::vector<int32_t> SlowLiveAt(const PlacementProblem& problem, const ChainSlots& slots, const ChainCut& cut) {
  const auto has_begun = [&](size_t p) { return slots.slot[p] < cut[static_cast<size_t>(problem.order->chain[p])]; };
  std::vector<int32_t> live;
  for (size_t p = 0; p < problem.pieces.size(); ++p) {
    bool is_live = has_begun(p);
    for (size_t q = 0; q < problem.pieces.size(); ++q) {
      is_live = is_live && !(has_begun(q) && problem.order->Before(p, q, problem.pieces[q].begin));
    }
    if (is_live) live.push_back(static_cast<int32_t>(p));
  }
  return live;
}

int64_t WeightOf(const std::vector<int32_t>& pieces, const std::vector<int64_t>& weights) {
  return std::accumulate(pieces.begin(), pieces.end(), int64_t{0},
                         [&](int64_t sum, int32_t p) { return sum + weights[static_cast<size_t>(p)]; });
}

TEST(ChainCutTest, LiveIsWhatHasBegunAndIsOverForNothing) {
  std::mt19937_64 random(41);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {});
    const ChainSlots slots = MakeChainSlots(problem);
    ChainCut cut;
    for (size_t c = 0; c + 1 < slots.first.size(); ++c) {
      const uint64_t places = static_cast<uint64_t>(slots.first[c + 1] - slots.first[c]) + 1;
      cut.push_back(slots.first[c] + static_cast<int32_t>(random() % places));
    }
    const std::vector<int32_t> live = LiveAt(slots, cut);
    ASSERT_EQ(live, SlowLiveAt(problem, slots, cut));
    // What is live pairwise meets, and is live at the cut right behind the last of it on each chain.
    ChainCut behind(slots.first.begin(), slots.first.end() - 1);
    for (int32_t p : live) {
      int32_t& place = behind[static_cast<size_t>(problem.order->chain[static_cast<size_t>(p)])];
      place = std::max(place, slots.slot[static_cast<size_t>(p)] + 1);
    }
    const std::vector<int32_t> live_behind = LiveAt(slots, behind);
    ASSERT_TRUE(std::includes(live_behind.begin(), live_behind.end(), live.begin(), live.end()));
  }
}

TEST(ChainCutTest, TheListPeakIsLive) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 20});
    const ChainSlots slots = MakeChainSlots(problem);
    const std::vector<int64_t> weights = WeightsOf(problem);
    std::vector<int32_t> peak;
    for (const Piece& now : problem.pieces) {
      std::vector<int32_t> live;
      for (size_t p = 0; p < problem.pieces.size(); ++p) {
        const Piece& piece = problem.pieces[p];
        if (piece.begin <= now.begin && now.begin < piece.end) live.push_back(static_cast<int32_t>(p));
      }
      const int64_t weight = WeightOf(live, weights), highest = WeightOf(peak, weights);
      if (weight > highest) peak = live;
    }
    const std::vector<int32_t> live = LiveAt(slots, ListPeak(problem, slots, weights));
    ASSERT_GE(WeightOf(live, weights), WeightOf(peak, weights));
  }
}

TEST(ChainCutTest, NoMoveOnOneChainGainsAfterImproving) {
  std::mt19937_64 random(43);
  int improved = 0;
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.max_pieces = 20});
    const ChainSlots slots = MakeChainSlots(problem);
    const std::vector<int64_t> weights = WeightsOf(problem);
    ChainCut cut = ListPeak(problem, slots, weights);
    const int64_t before = WeightOf(LiveAt(slots, cut), weights);
    int64_t work = 0;
    const int64_t weight = ImproveCut(slots, weights, INT64_MAX, cut, work);
    EXPECT_GT(work, 0);
    ASSERT_EQ(weight, WeightOf(LiveAt(slots, cut), weights));
    ASSERT_GE(weight, before);
    improved += weight > before;
    for (size_t c = 0; c < cut.size(); ++c) {
      ChainCut moved = cut;
      for (moved[c] = slots.first[c]; moved[c] <= slots.first[c + 1]; ++moved[c]) {
        ASSERT_LE(WeightOf(LiveAt(slots, moved), weights), weight) << "chain " << c << " at " << moved[c];
      }
    }
  }
  EXPECT_GT(improved, 50);
}

TEST(ChainCutTest, StaysAtALimitOfNoWork) {
  std::mt19937_64 random(44);
  const PlacementProblem problem = RandomChainProblem(random, {});
  const ChainSlots slots = MakeChainSlots(problem);
  ChainCut cut = ListPeak(problem, slots, WeightsOf(problem));
  const ChainCut before = cut;
  int64_t work = 0;
  ImproveCut(slots, WeightsOf(problem), 0, cut, work);
  EXPECT_EQ(cut, before);
  EXPECT_EQ(work, 0);
}

}  // namespace
}  // namespace bufplan
