#include "planner/placement/difference_search.h"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "planner/placement/lower_bound.h"
#include "tests/planner/placement/chain_cases.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

constexpr int64_t kPlenty = 1'000'000'000;
constexpr Branching kBoth[] = {Branching::kLowestItem, Branching::kTightestPair};

std::vector<int32_t> ByIndex(const DifferenceProblem& problem) {
  std::vector<int32_t> order(problem.num_items());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Few and small enough to try all offsets.
PlacementProblem SmallProblem(std::mt19937_64& random, int i) {
  if (i % 3 == 0) {
    ChainShape shape;
    shape.max_pieces = i % 2 == 0 ? 5 : 8;
    shape.max_size = 7;
    shape.pieces = i % 2 == 1;
    shape.alignments = i % 5 == 0;
    return RandomChainProblem(random, shape);
  }
  RandomShape shape;
  shape.alignments = i % 5 == 0;
  shape.max_storages = shape.alignments ? 4 : 5;
  shape.max_time = 8;
  shape.max_size = i % 4 == 0 ? 14 : 7;
  shape.pieces = i % 8 != 0;
  shape.pins = i % 7 < 2;
  shape.disjoint = i % 6 < 2;
  return RandomProblem(random, shape);
}

std::string FaultOf(const PlacementProblem& problem, const DifferenceProblem& differences,
                    const DifferenceSearch& search, int64_t capacity_bytes) {
  Placement placement;
  for (int64_t offset : search.offset()) placement.offset_bytes.push_back(offset * differences.unit_bytes);
  placement.chunk.assign(problem.storages.size(), 0);
  placement.chunk_bytes = {capacity_bytes};
  placement.total_bytes = placement.lower_bound_bytes = capacity_bytes;
  placement.optimal = true;
  return FindFault(problem, placement);
}

TEST(DifferenceSearchTest, AgreesWithAllOffsets) {
  std::mt19937_64 random(17);
  int above_bound = 0, tried = 0;
  for (int i = 0; i < 3000; ++i) {
    const PlacementProblem problem = SmallProblem(random, i);
    if (problem.storages.size() > 5) continue;
    ++tried;
    const int64_t bound = ComputeLowerBound(problem).bytes;
    int64_t least = bound;
    while (!HasRoom(problem, least)) ++least;
    above_bound += least > bound ? 1 : 0;
    const std::optional<DifferenceProblem> differences = MakeDifferenceProblem(problem, kPlenty);
    ASSERT_TRUE(differences.has_value());
    for (const Branching branching : kBoth) {
      DifferenceSearch search(*differences, 64);
      if (least > 0) {
        EXPECT_EQ(search.Run(least - 1, branching, ByIndex(*differences), kPlenty), SearchEnd::kNone) << i;
      }
      ASSERT_EQ(search.Run(least, branching, ByIndex(*differences), kPlenty), SearchEnd::kFound) << i;
      EXPECT_EQ(FaultOf(problem, *differences, search, least), "") << i;
      ASSERT_EQ(search.Run(least + 5, branching, ByIndex(*differences), kPlenty), SearchEnd::kFound) << i;
      EXPECT_EQ(FaultOf(problem, *differences, search, least + 5), "") << i;
    }
  }
  EXPECT_GT(tried, 2500);
  EXPECT_GT(above_bound, 400);
}

// Storage 0 has a hole; the others have one byte each, at odd places by their alignments of 4 and 2. In 10 bytes:
//
//   byte   0 1 2 3 4 5 6 7 8 9
//            0 0 0 0 1 0 0 0 2      0 lies at 1, as byte 5 is in its way at 0: that of storage 1, which lies at 4,
//                                   as byte 1 is in its way at 0: one of storage 0.
TEST(DifferenceSearchTest, SeesThatStoragesMayWaitForEachOther) {
  PlacementProblem problem;
  problem.storages = {{8, 1, {}, 0, 2}, {2, 4, {}, 2, 1}, {2, 2, {}, 3, 1}};
  problem.pieces = {{0, 1, 0, 4}, {0, 1, 5, 8}, {0, 1, 1, 2}, {0, 1, 1, 2}};
  ASSERT_TRUE(HasRoom(problem, 10));
  ASSERT_FALSE(HasRoom(problem, 9));
  const std::optional<DifferenceProblem> differences = MakeDifferenceProblem(problem, kPlenty);
  ASSERT_TRUE(differences.has_value());
  for (const Branching branching : kBoth) {
    for (const std::vector<int32_t>& order : {std::vector<int32_t>{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
      DifferenceSearch search(*differences, 64);
      EXPECT_EQ(search.Run(9, branching, order, kPlenty), SearchEnd::kNone);
      ASSERT_EQ(search.Run(10, branching, order, kPlenty), SearchEnd::kFound);
      EXPECT_EQ(FaultOf(problem, *differences, search, 10), "");
    }
  }
}

TEST(DifferenceSearchTest, GivesUpAtItsLimits) {
  std::mt19937_64 random(2);
  RandomShape shape;
  shape.max_storages = 60;
  shape.max_size = 500;
  shape.pieces = true;
  PlacementProblem problem;
  while (problem.storages.size() < 50) problem = RandomProblem(random, shape);
  const std::optional<DifferenceProblem> differences = MakeDifferenceProblem(problem, kPlenty);
  ASSERT_TRUE(differences.has_value());
  const int64_t bound = ComputeLowerBound(problem).bytes;
  for (const Branching branching : kBoth) {
    DifferenceSearch search(*differences, 64), again(*differences, 64), late(*differences, 64);
    EXPECT_EQ(search.Run(bound, branching, ByIndex(*differences), 100'000), SearchEnd::kGaveUp);
    EXPECT_EQ(again.Run(bound, branching, ByIndex(*differences), 100'000), SearchEnd::kGaveUp);
    EXPECT_EQ(search.work(), again.work());
    EXPECT_LT(search.work(), 130'000);
    const Deadline passed(std::chrono::steady_clock::time_point{});
    EXPECT_EQ(late.Run(bound, branching, ByIndex(*differences), kPlenty, passed), SearchEnd::kGaveUp);
    EXPECT_LT(late.work(), 100'000);
  }
}

}  // namespace
}  // namespace bufplan
