#include "planner/placement/first_fit.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

std::vector<int32_t> ShuffledOrder(size_t n, std::mt19937_64& random) {
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

TEST(FirstFitTest, LowestPlaceInOrder) {
  const PlacementProblem problem = FromIntervals({{0, 4, 10}, {0, 4, 4}, {2, 6, 12}, {4, 8, 10}}, 4);
  FirstFit first_fit(problem);
  std::vector<int64_t> offsets;
  EXPECT_EQ(first_fit.Run({0, 1, 2, 3}, INT64_MAX, INT64_MAX, offsets), 28);
  EXPECT_THAT(offsets, ElementsAre(0, 12, 16, 0));
  EXPECT_GT(first_fit.work(), 0);
}

TEST(FirstFitTest, GivesUpAtTheLimits) {
  const PlacementProblem problem = FromIntervals({{0, 4, 10}, {0, 4, 10}});
  FirstFit first_fit(problem);
  std::vector<int64_t> offsets;
  EXPECT_EQ(first_fit.Run({0, 1}, 20, INT64_MAX, offsets), std::nullopt);
  EXPECT_EQ(first_fit.Run({0, 1}, 21, INT64_MAX, offsets), 20);
  EXPECT_EQ(first_fit.Run({0, 1}, INT64_MAX, first_fit.work(), offsets), std::nullopt);
}

TEST(FirstFitTest, ATimeThatIsOverCountsFromAStepOn) {
  const PlacementProblem problem = FromIntervals({{0, 4, 10}, {0, 4, 10}});
  FirstFit first_fit(problem);
  std::vector<int64_t> offsets;
  EXPECT_EQ(first_fit.Run({0, 1}, INT64_MAX, INT64_MAX, offsets), 20);
  const int64_t steps = first_fit.work();
  first_fit.StopAt(Deadline(std::chrono::steady_clock::time_point::min()), 3 * steps);
  EXPECT_FALSE(first_fit.TooLate());
  EXPECT_EQ(first_fit.Run({0, 1}, INT64_MAX, INT64_MAX, offsets), 20);
  EXPECT_EQ(first_fit.Run({0, 1}, INT64_MAX, INT64_MAX, offsets), std::nullopt);
  EXPECT_TRUE(first_fit.TooLate());
  EXPECT_EQ(first_fit.Run({0, 1}, INT64_MAX, INT64_MAX, offsets), std::nullopt);
  EXPECT_EQ(first_fit.work(), 3 * steps);
}

TEST(FirstFitTest, NextChunkRatherThanStraddle) {
  PlacementProblem problem = FromIntervals({{0, 4, 10}, {0, 4, 10}, {0, 4, 5}});
  problem.max_chunk_bytes = 16;
  FirstFit first_fit(problem);
  std::vector<int64_t> offsets;
  EXPECT_EQ(first_fit.Run({0, 1, 2}, INT64_MAX, INT64_MAX, offsets), 25);
  const Placement placement = first_fit.OnChunks(offsets);
  EXPECT_THAT(placement.chunk, ElementsAre(0, 1, 0));
  EXPECT_THAT(placement.offset_bytes, ElementsAre(0, 0, 10));
  EXPECT_THAT(placement.chunk_bytes, ElementsAre(15, 10));
}

TEST(FirstFitTest, PinConflictNamesBoth) {
  PlacementProblem problem = FromIntervals({{0, 4, 10}, {0, 4, 10}, {3, 6, 10}, {4, 6, 10}});
  problem.storages[0].pinned_offset_bytes = 0;
  problem.storages[1].pinned_offset_bytes = 10;
  problem.storages[2].pinned_offset_bytes = 20;
  for (ConflictSearch search : {ConflictSearch::kLists, ConflictSearch::kTree}) {
    problem.storages[3].pinned_offset_bytes = 5;
    EXPECT_EQ(FirstFit(problem, search).PinConflict(), std::nullopt);
    problem.storages[3].pinned_offset_bytes = 15;
    EXPECT_EQ(FirstFit(problem, search).PinConflict(), (std::pair<size_t, size_t>(2, 3)));
  }
}

// Lists and tree find exactly what trying all places finds, for each kind of problem.
TEST(FirstFitTest, SameOffsetsAsTheNaiveMethod) {
  std::mt19937_64 random(9);
  for (int kind = 0; kind < 32; ++kind) {
    const RandomShape shape = OfKind({.max_storages = 24, .max_time = 18, .max_size = 40}, kind);
    for (int round = 0; round < 60; ++round) {
      const PlacementProblem problem = RandomProblem(random, shape);
      const std::vector<int32_t> order = ShuffledOrder(problem.storages.size(), random);
      const Placement naive = NaiveFirstFit(problem, order);
      for (ConflictSearch search : {ConflictSearch::kLists, ConflictSearch::kTree}) {
        FirstFit first_fit(problem, search);
        std::vector<int64_t> offsets;
        const std::optional<int64_t> bytes = first_fit.Run(order, INT64_MAX, INT64_MAX, offsets);
        ASSERT_EQ(bytes, naive.total_bytes) << "kind " << kind << ", round " << round;
        const Placement placement = first_fit.OnChunks(offsets);
        ASSERT_EQ(placement.offset_bytes, naive.offset_bytes) << "kind " << kind << ", round " << round;
        ASSERT_EQ(placement.chunk, naive.chunk);
        ASSERT_EQ(placement.chunk_bytes, naive.chunk_bytes);
      }
    }
  }
}

// What a pass that gave up had placed is not there for the next one.
TEST(FirstFitTest, EveryPassBeginsAnew) {
  std::mt19937_64 random(13);
  const RandomShape shape = {.pieces = true, .pins = true, .disjoint = true, .chunks = true};
  for (int round = 0; round < 300; ++round) {
    const PlacementProblem problem = RandomProblem(random, shape);
    const std::vector<int32_t> order = ShuffledOrder(problem.storages.size(), random);
    for (ConflictSearch search : {ConflictSearch::kLists, ConflictSearch::kTree}) {
      FirstFit first_fit(problem, search), fresh(problem, search);
      std::vector<int64_t> offsets, expected;
      first_fit.Run(ShuffledOrder(problem.storages.size(), random), 1 + static_cast<int64_t>(random() % 60), INT64_MAX,
                    offsets);
      ASSERT_EQ(first_fit.Run(order, INT64_MAX, INT64_MAX, offsets), fresh.Run(order, INT64_MAX, INT64_MAX, expected));
      ASSERT_EQ(offsets, expected) << "round " << round;
    }
  }
}

// Enough storages for long lists of ranges and for several passes of one object.
TEST(FirstFitTest, ListsAndTreeAgreeOnLargeProblems) {
  std::mt19937_64 random(10);
  for (const int64_t longest : {20, 3000}) {
    std::vector<Interval> intervals;
    for (int i = 0; i < 3000; ++i) {
      const int64_t begin = static_cast<int64_t>(random() % 3000);
      intervals.push_back({begin, begin + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(longest)),
                           1 + static_cast<int64_t>(random() % 5000)});
    }
    const PlacementProblem problem = FromIntervals(intervals, 8);
    FirstFit lists(problem, ConflictSearch::kLists), tree(problem, ConflictSearch::kTree);
    EXPECT_NE(lists.lists(), nullptr);
    EXPECT_EQ(tree.lists(), nullptr);
    std::vector<int64_t> offsets_a, offsets_b;
    for (int pass = 0; pass < 2; ++pass) {
      const std::vector<int32_t> order = ShuffledOrder(problem.storages.size(), random);
      ASSERT_EQ(lists.Run(order, INT64_MAX, INT64_MAX, offsets_a), tree.Run(order, INT64_MAX, INT64_MAX, offsets_b));
      ASSERT_EQ(offsets_a, offsets_b);
    }
  }
}

}  // namespace
}  // namespace bufplan
