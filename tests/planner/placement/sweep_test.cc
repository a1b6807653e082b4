#include "planner/placement/sweep.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

Placement Swept(const PlacementProblem& problem) {
  Placement placement;
  placement.total_bytes = SweepBestFit(problem, placement.offset_bytes);
  placement.chunk.assign(problem.storages.size(), 0);
  placement.chunk_bytes = {placement.total_bytes};
  placement.optimal = placement.total_bytes == 0;
  return placement;
}

TEST(SweepTest, ReusesWhatHasDied) {
  const PlacementProblem problem = FromIntervals({{0, 2, 10}, {0, 9, 10}, {2, 4, 10}, {4, 6, 5}, {4, 6, 5}});
  EXPECT_THAT(Swept(problem).offset_bytes, ElementsAre(0, 10, 0, 0, 5));
}

TEST(SweepTest, DyingAndNewNeverMeetAtOneTime) {
  EXPECT_EQ(Swept(FromIntervals({{0, 3, 10}, {2, 4, 10}})).total_bytes, 20);
  EXPECT_EQ(Swept(FromIntervals({{0, 2, 10}, {2, 4, 10}})).total_bytes, 10);
}

TEST(SweepTest, TheTailOfAStaircaseIsGivenBack) {
  PlacementProblem problem;
  problem.storages = {{100, 32, {}, 0, 2}, {64, 32, {}, 2, 1}};
  problem.pieces = {{0, 4, 0, 100}, {3, 9, 0, 40}, {4, 9, 0, 64}};
  const Placement placement = Swept(problem);
  EXPECT_THAT(placement.offset_bytes, ElementsAre(0, 64));
  EXPECT_EQ(placement.total_bytes, 128);
}

TEST(SweepTest, NeverLiveLiesAtZero) {
  EXPECT_THAT(Swept(FromIntervals({{0, 4, 10}, {0, 0, 0}, {0, 2, 3}})).offset_bytes, ElementsAre(0, 0, 10));
}

TEST(SweepTest, RandomPlacementsAreValid) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const RandomShape shape = {
        .max_storages = 30, .max_time = 25, .max_size = 60, .pieces = round % 2 == 1, .alignments = round % 4 >= 2};
    const PlacementProblem problem = RandomProblem(random, shape);
    ASSERT_TRUE(CanSweep(problem));
    ASSERT_EQ(FindFault(problem, Swept(problem)), "") << "round " << round;
  }
}

TEST(SweepTest, ManyLiveAtOnceWithManyHoles) {
  std::mt19937_64 random(8);
  std::vector<Interval> intervals;
  for (int i = 0; i < 2500; ++i) {
    const int64_t begin = static_cast<int64_t>(random() % 1000);
    intervals.push_back(
        {begin, begin + 1 + static_cast<int64_t>(random() % 900), 1 + static_cast<int64_t>(random() % 500)});
  }
  const PlacementProblem problem = FromIntervals(intervals, 16);
  EXPECT_EQ(FindFault(problem, Swept(problem)), "");
}

TEST(SweepTest, PinsAndDisjointPairsAreNotForTheSweep) {
  PlacementProblem problem = FromIntervals({{0, 2, 10}, {2, 4, 10}});
  EXPECT_TRUE(CanSweep(problem));
  problem.disjoint.push_back({0, 1, 0, 10, 0, 10});
  EXPECT_FALSE(CanSweep(problem));
  problem.disjoint.clear();
  problem.storages[1].pinned_offset_bytes = 0;
  EXPECT_FALSE(CanSweep(problem));
}

}  // namespace
}  // namespace bufplan
