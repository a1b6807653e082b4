#include "planner/placement/orders.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/first_fit.h"
#include "planner/placement/local_search.h"
#include "planner/placement/lowest_first.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

TEST(TraitsTest, OfOneAndOfSeveralPieces) {
  PlacementProblem problem = FromIntervals({{0, 4, 10}, {2, 6, 20}, {6, 9, 5}, {0, 0, 0}});
  problem.storages.push_back({8, 1, {}, static_cast<uint32_t>(problem.pieces.size()), 2});
  problem.pieces.push_back({8, 10, 0, 8});
  problem.pieces.push_back({5, 6, 0, 4});
  const StorageTraits traits = ComputeTraits(problem);
  EXPECT_THAT(traits.size_bytes, ElementsAre(10, 20, 5, 0, 8));
  EXPECT_THAT(traits.begin, ElementsAre(0, 2, 6, 0, 5));
  EXPECT_THAT(traits.end, ElementsAre(4, 6, 9, 0, 10));
  EXPECT_THAT(traits.area, ElementsAre(40, 80, 15, 0, 20));
  EXPECT_THAT(traits.busiest, ElementsAre(30, 30, 13, 0, 24));
}

TEST(TraitsTest, BusiestAgreesWithAScan) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const PlacementProblem problem = RandomProblem(random, {.max_storages = 40, .max_time = 60});
    const StorageTraits traits = ComputeTraits(problem);
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      int64_t busiest = 0;
      for (const Piece& piece : problem.PiecesOf(s)) {
        for (int64_t t = piece.begin; t < piece.end; ++t) {
          int64_t load = 0;
          for (const Piece& p : problem.pieces) load += p.begin <= t && t < p.end ? p.high - p.low : 0;
          busiest = std::max(busiest, load);
        }
      }
      ASSERT_EQ(traits.busiest[s], busiest) << "round " << round << ", storage " << s;
    }
  }
}

TEST(MakeOrderTest, ByEachCriterionTiesByIndex) {
  const StorageTraits traits =
      ComputeTraits(FromIntervals({{0, 4, 10}, {2, 12, 10}, {6, 9, 50}, {5, 9, 10}, {2, 6, 20}}));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kSize), ElementsAre(2, 4, 0, 1, 3));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kArea), ElementsAre(2, 1, 4, 0, 3));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kDuration), ElementsAre(1, 0, 3, 4, 2));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kStart), ElementsAre(0, 1, 4, 3, 2));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kSizeDuration), ElementsAre(2, 4, 1, 0, 3));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kDurationSize), ElementsAre(1, 4, 0, 3, 2));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kEnd), ElementsAre(1, 2, 3, 4, 0));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kReverseStart), ElementsAre(2, 3, 1, 4, 0));
  // Loads: 40 where 0, 1 and 4 meet; 70 where 1, 2 and 3 do.
  EXPECT_THAT(MakeOrder(traits, OrderKind::kBusiest), ElementsAre(2, 1, 3, 4, 0));
  EXPECT_THAT(MakeOrder(traits, OrderKind::kBusiestArea), ElementsAre(2, 1, 3, 4, 0));
}

TEST(LowestFirstTest, FillsFromBelow) {
  // The first goes to 0; then the third, which does not meet it, before the second, which would lie at 10.
  const PlacementProblem problem = FromIntervals({{0, 4, 10}, {2, 6, 5}, {5, 8, 10}});
  const auto lowest = OrderLowestFirst(problem, {0, 1, 2}, INT64_MAX);
  ASSERT_TRUE(lowest.has_value());
  EXPECT_THAT(lowest->order, ElementsAre(0, 2, 1));
  EXPECT_GT(lowest->work, 0);
  EXPECT_FALSE(OrderLowestFirst(problem, {0, 1, 2}, 1).has_value());
}

TEST(LowestFirstTest, IsAPermutationOfAnyProblem) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 300; ++round) {
    const PlacementProblem problem =
        RandomProblem(random, {.pieces = true, .alignments = true, .pins = true, .disjoint = true, .chunks = true});
    std::vector<int32_t> all(problem.storages.size());
    std::iota(all.begin(), all.end(), 0);
    auto lowest = OrderLowestFirst(problem, all, INT64_MAX);
    ASSERT_TRUE(lowest.has_value());
    std::sort(lowest->order.begin(), lowest->order.end());
    ASSERT_EQ(lowest->order, all);
  }
}

TEST(LocalSearchTest, ImprovesNeverWorsensAndStopsAtTheTarget) {
  const PlacementProblem problem = FromIntervals(ReadCsv("benchmarks/data/minimalloc/F.1048576.csv"));
  const StorageTraits traits = ComputeTraits(problem);
  FirstFit first_fit(problem);
  OrderedPlacement best;
  best.order = MakeOrder(traits, OrderKind::kSize);
  best.bytes = *first_fit.Run(best.order, INT64_MAX, INT64_MAX, best.line_offset);
  const int64_t before = best.bytes;
  ImproveOrder(problem, traits, 1048576, first_fit.work() + 1'000'000, first_fit, best);
  EXPECT_LT(best.bytes, before);
  std::vector<int64_t> offsets;
  EXPECT_EQ(first_fit.Run(best.order, INT64_MAX, INT64_MAX, offsets), best.bytes);
  EXPECT_EQ(offsets, best.line_offset);

  const int64_t work = first_fit.work();
  ImproveOrder(problem, traits, best.bytes, INT64_MAX, first_fit, best);
  EXPECT_EQ(first_fit.work(), work);
}

TEST(LocalSearchTest, EndsWhenNothingCanBeMoved) {
  const PlacementProblem problem = FromIntervals({{0, 1, 10}, {2, 3, 5}});
  const StorageTraits traits = ComputeTraits(problem);
  FirstFit first_fit(problem);
  OrderedPlacement best;
  best.order = {0, 1};
  best.bytes = *first_fit.Run(best.order, INT64_MAX, INT64_MAX, best.line_offset);
  ImproveOrder(problem, traits, 0, INT64_MAX, first_fit, best);
  EXPECT_EQ(best.bytes, 10);
}

// A few large storages that stand at the front of a long order: first fit gives up after them, whatever follows.
TEST(LocalSearchTest, LongOrdersCostNoMoreThanTheirVariedFronts) {
  std::mt19937_64 random(12);
  for (const int64_t small : {1000, 8000}) {
    std::vector<Interval> intervals;
    for (int i = 0; i < 12; ++i) {
      const int64_t begin = static_cast<int64_t>(random() % 20);
      intervals.push_back({begin, begin + 10, 1'000'000 + static_cast<int64_t>(random() % 1'000'000)});
    }
    for (int64_t i = 0; i < small; ++i) intervals.push_back({30 + i, 31 + i, 8});
    const PlacementProblem problem = FromIntervals(intervals);
    const StorageTraits traits = ComputeTraits(problem);
    FirstFit first_fit(problem);
    OrderedPlacement best;
    best.order = MakeOrder(traits, OrderKind::kSize);
    best.bytes = *first_fit.Run(best.order, INT64_MAX, INT64_MAX, best.line_offset);
    constexpr int64_t kSteps = 1'000'000;
    const int64_t visited = ImproveOrder(problem, traits, 0, first_fit.work() + kSteps, first_fit, best);
    EXPECT_LE(visited, kSteps) << small;
  }
}

}  // namespace
}  // namespace bufplan
