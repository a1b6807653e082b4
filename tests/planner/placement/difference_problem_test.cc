#include "planner/placement/difference_problem.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kPlenty = 1'000'000;

// Whether storages a and b may lie `difference` bytes apart, by the intervals.
bool Allows(const DifferenceProblem& problem, size_t a, size_t b, int64_t difference) {
  for (const DifferenceProblem::Arc& arc : problem.ArcsOf(a)) {
    if (static_cast<size_t>(arc.other) != b) continue;
    for (const DifferenceProblem::Range& range : problem.RangesOf(arc)) {
      if (range.low * problem.unit_bytes < difference && difference < range.high * problem.unit_bytes) return false;
    }
  }
  return true;
}

TEST(DifferenceProblemTest, PiecesForbidDifferences) {
  // Storage 0 has its upper 4 of 10 bytes at another time than the lower 6; storage 1 is there at both.
  PlacementProblem placement;
  placement.storages = {{10, 1, {}, 0, 2}, {3, 1, {}, 2, 1}, {5, 1, {}, 3, 1}};
  placement.pieces = {{0, 2, 0, 3}, {2, 4, 6, 10}, {1, 3, 0, 3}, {7, 9, 0, 5}};
  const std::optional<DifferenceProblem> problem = MakeDifferenceProblem(placement, kPlenty);
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->unit_bytes, 1);
  ASSERT_EQ(problem->ArcsOf(0).size(), 1);
  const DifferenceProblem::Arc arc = problem->ArcsOf(0)[0];
  EXPECT_EQ(arc.other, 1);
  ASSERT_EQ(arc.num_ranges, 2);
  EXPECT_EQ(problem->RangesOf(arc)[0].low, -10);
  EXPECT_EQ(problem->RangesOf(arc)[0].high, -3);
  EXPECT_EQ(problem->RangesOf(arc)[1].low, -3);
  EXPECT_EQ(problem->RangesOf(arc)[1].high, 3);
  EXPECT_EQ(problem->arcs[static_cast<size_t>(arc.reverse)].other, 0);
  EXPECT_THAT(problem->ArcsOf(2), IsEmpty());
}

TEST(DifferenceProblemTest, UnitsAreWhatAllOffsetsAreMultiplesOf) {
  const std::optional<DifferenceProblem> sixes =
      MakeDifferenceProblem(FromIntervals({{0, 2, 12}, {0, 2, 18}, {9, 10, 7}}, 2), kPlenty);
  ASSERT_TRUE(sixes.has_value());
  EXPECT_EQ(sixes->unit_bytes, 6);
  EXPECT_THAT(sixes->multiple, ElementsAre(1, 1, 1));
  EXPECT_EQ(sixes->HighestOffset(2, 21), 2);
  EXPECT_EQ(sixes->HighestOffset(1, 17), -1);
  EXPECT_EQ(sixes->NextTotal(18), 19);  // 7 bytes at 12
  EXPECT_EQ(sixes->NextTotal(19), 24);

  PlacementProblem mixed = FromIntervals({{0, 2, 12}, {0, 2, 18}}, 2);
  mixed.storages[0].alignment_bytes = 4;
  const std::optional<DifferenceProblem> twos = MakeDifferenceProblem(mixed, kPlenty);
  ASSERT_TRUE(twos.has_value());
  EXPECT_EQ(twos->unit_bytes, 2);
  EXPECT_THAT(twos->multiple, ElementsAre(2, 1));
}

TEST(DifferenceProblemTest, TakesWhatItKnows) {
  PlacementProblem chunks = FromIntervals({{0, 2, 8}});
  chunks.max_chunk_bytes = 8;
  EXPECT_FALSE(MakeDifferenceProblem(chunks, kPlenty).has_value());
  const PlacementProblem three = FromIntervals({{0, 2, 8}, {0, 2, 8}, {0, 2, 8}});
  EXPECT_FALSE(MakeDifferenceProblem(three, 2).has_value());
  EXPECT_TRUE(MakeDifferenceProblem(three, 3).has_value());
}

TEST(DifferenceProblemTest, FindsTwins) {
  PlacementProblem placement = FromIntervals({{0, 2, 8}, {0, 2, 8}, {1, 2, 8}, {0, 2, 8}, {0, 2, 8}});
  placement.storages[4].pinned_offset_bytes = 40;
  const std::optional<DifferenceProblem> problem = MakeDifferenceProblem(placement, kPlenty);
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(problem->twin, ElementsAre(-1, 0, -1, 1, -1));
}

// An item is easy only if it fits wherever the others lie; groups have no conflict with each other.
TEST(DifferenceProblemTest, SplitsOffWhatIsEasy) {
  // The first of 1 byte has 21 offsets, of which the two others can take 10 each; for the second they take 12 and 9.
  const PlacementProblem placement =
      FromIntervals({{0, 4, 10}, {0, 4, 10}, {2, 3, 1}, {6, 9, 12}, {6, 9, 9}, {7, 8, 1}});
  const std::optional<DifferenceProblem> problem = MakeDifferenceProblem(placement, kPlenty);
  ASSERT_TRUE(problem.has_value());
  const DifferenceParts parts = SplitDifferenceProblem(*problem, 21);
  EXPECT_THAT(parts.easy, ElementsAre(2));
  ASSERT_EQ(parts.groups.size(), 2);
  EXPECT_THAT(parts.groups[0].storage, ElementsAre(0, 1));
  EXPECT_THAT(parts.groups[1].storage, ElementsAre(3, 4, 5));
  EXPECT_EQ(parts.groups[0].arcs.size(), 2);
  EXPECT_EQ(parts.groups[1].arcs.size(), 6);
  ASSERT_EQ(parts.groups[1].num_cliques(), 1);
  EXPECT_EQ(parts.groups[1].TasksOf(0).size(), 3);
}

// Intervals allow exactly the differences at which the checker of the tests finds no fault; cliques hold only what
// cannot share bytes.
TEST(DifferenceProblemTest, IntervalsAreExact) {
  std::mt19937_64 random(5);
  int forbidden = 0, allowed = 0, with_gaps = 0, pairs_in_cliques = 0;
  for (int i = 0; i < 12000; ++i) {
    RandomShape shape;
    shape.max_storages = i % 2 == 0 ? 2 : 5;
    shape.max_time = 8;
    shape.max_size = 12;
    shape.pieces = true;
    shape.alignments = i % 3 == 0;
    shape.disjoint = i % 5 == 0;
    const PlacementProblem placement = RandomProblem(random, shape);
    const std::optional<DifferenceProblem> problem = MakeDifferenceProblem(placement, kPlenty);
    ASSERT_TRUE(problem.has_value());
    for (size_t c = 0; c < problem->num_cliques(); ++c) {
      for (const DifferenceProblem::Task& a : problem->TasksOf(c)) {
        for (const DifferenceProblem::Task& b : problem->TasksOf(c)) {
          if (a.item >= b.item) continue;
          ++pairs_in_cliques;
          // Where their first bytes meet.
          const int64_t difference = (b.low - a.low) * problem->unit_bytes;
          const int64_t most = std::max(placement.storages[static_cast<size_t>(a.item)].alignment_bytes,
                                        placement.storages[static_cast<size_t>(b.item)].alignment_bytes);
          if (difference % most != 0) continue;
          EXPECT_FALSE(Allows(*problem, static_cast<size_t>(a.item), static_cast<size_t>(b.item), difference)) << i;
        }
      }
    }
    if (placement.storages.size() != 2) continue;
    const int64_t step_a = placement.storages[0].alignment_bytes;
    bool was_forbidden = false, left = false;
    for (int64_t at = 0; at <= 96; at += step_a) {
      const int64_t base = 48;  // a multiple of all alignments
      Placement at_both;
      at_both.offset_bytes = {at, base};
      at_both.chunk = {0, 0};
      at_both.chunk_bytes = {200};
      at_both.total_bytes = 200;
      const bool is_free = FindFault(placement, at_both).empty();
      EXPECT_EQ(is_free, Allows(*problem, 0, 1, at - base)) << i << " at " << at;
      EXPECT_EQ(is_free, Allows(*problem, 1, 0, base - at)) << i << " at " << at;
      forbidden += is_free ? 0 : 1;
      allowed += is_free ? 1 : 0;
      with_gaps += left && !is_free ? 1 : 0;
      left = left || (was_forbidden && is_free);
      was_forbidden = was_forbidden || !is_free;
    }
  }
  EXPECT_GT(forbidden, 1000);
  EXPECT_GT(allowed, 1000);
  EXPECT_GT(with_gaps, 5);
  EXPECT_GT(pairs_in_cliques, 500);
}

}  // namespace
}  // namespace bufplan
