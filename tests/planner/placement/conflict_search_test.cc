#include "planner/placement/conflict_search.h"

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/lower_bound.h"
#include "tests/planner/placement/chain_cases.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr SearchLimits kPlenty = {.work = 1'000'000'000};

std::vector<int64_t> PlaceByIndex(const PlacementProblem& problem) {
  std::vector<int32_t> order(problem.storages.size());
  std::iota(order.begin(), order.end(), 0);
  return NaiveFirstFit(problem, order).offset_bytes;
}

TEST(ConflictSearchTest, SaysWhichProblemsItSearches) {
  PlacementProblem problem = FromIntervals({{0, 2, 8}, {1, 3, 8}});
  EXPECT_TRUE(CanSearchConflicts(problem));
  problem.max_chunk_bytes = 16;
  EXPECT_FALSE(CanSearchConflicts(problem));
}

TEST(ConflictSearchTest, NothingToPlace) {
  const PlacementProblem empty = FromIntervals({{0, 1, 0}, {0, 1, 0}}, 4);
  EXPECT_THAT(FindAmongConflicts(empty, 0, 0, kPlenty).offset_bytes, ElementsAre(0, 0));
  EXPECT_THAT(MinimizeAmongConflicts(empty, {0, 0}, 0, kPlenty).offset_bytes, ElementsAre(0, 0));
  // Nothing of it meets; it only has to be short enough.
  const PlacementProblem alone = FromIntervals({{0, 1, 7}, {1, 2, 9}});
  EXPECT_THAT(FindAmongConflicts(alone, 8, 0, kPlenty).offset_bytes, IsEmpty());
  EXPECT_THAT(FindAmongConflicts(alone, 9, 0, kPlenty).offset_bytes, ElementsAre(0, 0));
}

TEST(ConflictSearchTest, AgreesWithAllOffsets) {
  std::mt19937_64 random(23);
  int above_bound = 0, improved = 0, groups = 0;
  for (int i = 0; i < 1500; ++i) {
    PlacementProblem problem;
    if (i % 3 == 0) {
      ChainShape shape;
      shape.max_pieces = 8;
      shape.max_size = 7;
      shape.pieces = i % 2 == 1;
      problem = RandomChainProblem(random, shape);
      if (problem.storages.size() > 5) continue;
    } else {
      RandomShape shape;
      shape.max_storages = 5;
      shape.max_time = i % 4 == 0 ? 24 : 8;
      shape.max_size = 7;
      shape.pieces = true;
      shape.pins = i % 7 < 2;
      shape.disjoint = i % 6 < 2;
      problem = RandomProblem(random, shape);
    }
    const int64_t bound = ComputeLowerBound(problem).bytes;
    int64_t least = bound;
    while (!HasRoom(problem, least)) ++least;
    above_bound += least > bound ? 1 : 0;
    const std::vector<int64_t> start = PlaceByIndex(problem);
    const ExactPlacement best = MinimizeAmongConflicts(problem, start, bound, kPlenty);
    EXPECT_EQ(best.bytes, least) << i;
    EXPECT_EQ(best.lower_bound_bytes, least) << i;
    EXPECT_EQ(FindFault(problem, best), "") << i;
    improved += best.offset_bytes != start ? 1 : 0;
    const ExactPlacement found = FindAmongConflicts(problem, least, bound, kPlenty);
    ASSERT_EQ(found.offset_bytes.size(), problem.storages.size()) << i;
    EXPECT_EQ(FindFault(problem, found), "") << i;
    EXPECT_EQ(found.bytes, least) << i;
    if (least == 0) continue;
    const ExactPlacement none = FindAmongConflicts(problem, least - 1, 0, kPlenty);
    EXPECT_THAT(none.offset_bytes, IsEmpty()) << i;
    EXPECT_EQ(none.lower_bound_bytes, least) << i;
    groups += problem.storages.size() > 3 ? 1 : 0;
  }
  EXPECT_GT(above_bound, 200);
  EXPECT_GT(improved, 200);
  EXPECT_GT(groups, 200);
}

TEST(ConflictSearchTest, AHigherWorkLimitOnlyAdds) {
  std::mt19937_64 random(4);
  RandomShape shape;
  shape.max_storages = 40;
  shape.max_size = 400;
  shape.pieces = true;
  PlacementProblem problem;
  while (problem.storages.size() < 35) problem = RandomProblem(random, shape);
  const int64_t bound = ComputeLowerBound(problem).bytes;
  const std::vector<int64_t> start = PlaceByIndex(problem);
  int64_t bytes = INT64_MAX, proven = 0, first_bytes = 0;
  for (int64_t limit : {0, 10'000, 100'000, 300'000, 1'000'000, 3'000'000}) {
    const ExactPlacement once = MinimizeAmongConflicts(problem, start, bound, {.work = limit});
    const ExactPlacement again = MinimizeAmongConflicts(problem, start, bound, {.work = limit});
    EXPECT_EQ(once.offset_bytes, again.offset_bytes);
    EXPECT_EQ(once.work, again.work);
    EXPECT_EQ(once.lower_bound_bytes, again.lower_bound_bytes);
    EXPECT_EQ(FindFault(problem, once), "");
    EXPECT_LE(once.work, limit + 20'000);
    EXPECT_LE(once.bytes, bytes);
    EXPECT_GE(once.lower_bound_bytes, proven);
    bytes = once.bytes;
    proven = once.lower_bound_bytes;
    if (limit == 0) first_bytes = bytes;
  }
  EXPECT_LT(bytes, first_bytes);
}

// Groups that are easy one by one, their product not.
TEST(ConflictSearchTest, SearchesGroupsOneByOne) {
  PlacementProblem problem;
  for (int64_t t = 0; t < 500; t += 10) {
    for (const Interval& i : {Interval{0, 2, 2}, {0, 1, 1}, {0, 3, 1}, {1, 4, 1}, {2, 5, 2}, {3, 6, 1}, {4, 6, 1}}) {
      problem.storages.push_back({i.size_bytes, 1, {}, static_cast<uint32_t>(problem.pieces.size()), 1});
      problem.pieces.push_back({t + i.begin, t + i.end, 0, i.size_bytes});
    }
    // A gap in one of them.
    problem.storages.back().num_pieces = 2;
    problem.pieces.push_back({t + 7, t + 8, 0, 1});
  }
  const ExactPlacement best =
      MinimizeAmongConflicts(problem, PlaceByIndex(problem), ComputeLowerBound(problem).bytes, kPlenty);
  EXPECT_EQ(best.bytes, best.lower_bound_bytes);
  EXPECT_EQ(FindFault(problem, best), "");
}

}  // namespace
}  // namespace bufplan
