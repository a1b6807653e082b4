// The generators of problems: what they promise of them.
#include <algorithm>
#include <cstdint>
#include <set>

#include "benchmarks/baselines/overlaps.h"
#include "benchmarks/cut_rectangle.h"
#include "benchmarks/random_problem.h"
#include "gtest/gtest.h"
#include "ir/checker.h"

namespace bufplan {
namespace {

TEST(CutRectangleTest, TheLoadIsTheHeightAtAllTimes) {
  for (int64_t n : {1, 2, 3, 10, 100, 777}) {
    for (uint64_t seed : {1, 2, 3}) {
      const int64_t duration = 4 * n, height = 10'000;
      const CutRectangle cut = CutIntoBuffers(n, duration, height, seed);
      ASSERT_EQ(cut.problem.buffers.size(), static_cast<size_t>(n));
      EXPECT_TRUE(ValidateProblem(cut.problem).ok());
      EXPECT_EQ(CountOverlaps(cut.problem).load, height);
      int64_t area = 0;
      for (const Buffer& b : cut.problem.buffers) {
        EXPECT_GT(b.bytes, 0);
        EXPECT_LT(b.begin, b.end);
        area += b.bytes * (b.end - b.begin);
      }
      EXPECT_EQ(area, duration * height);  // with the load: full at all times
    }
  }
}

TEST(CutRectangleTest, ThePlacesItWasCutFromAreAPlacement) {
  const CutRectangle cut = CutIntoBuffers(200, 800, 1 << 16, 5);
  const absl::StatusOr<CheckReport> report = CheckProblemPlan(cut.problem, {cut.offsets, 1 << 16, 1 << 16, true});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->ok()) << report->violations[0].message;
}

// The least sides that are allowed: pieces of one time step or one byte are cut the other way.
TEST(CutRectangleTest, SmallSides) {
  const CutRectangle cut = CutIntoBuffers(50, 200, 200, 9);
  EXPECT_EQ(CountOverlaps(cut.problem).load, 200);
}

TEST(CutRectangleTest, SeedsDecide) {
  EXPECT_EQ(CutIntoBuffers(30, 120, 999, 1).problem, CutIntoBuffers(30, 120, 999, 1).problem);
  EXPECT_NE(CutIntoBuffers(30, 120, 999, 1).problem, CutIntoBuffers(30, 120, 999, 2).problem);
}

TEST(RandomProblemTest, IsValidAndDependsOnTheSeedAlone) {
  for (int64_t n : {0, 1, 10, 1000}) {
    const Problem problem = RandomProblem(n, 3);
    EXPECT_EQ(problem.buffers.size(), static_cast<size_t>(n));
    EXPECT_TRUE(ValidateProblem(problem).ok());
    EXPECT_EQ(problem, RandomProblem(n, 3));
  }
  EXPECT_NE(RandomProblem(10, 3), RandomProblem(10, 4));
}

TEST(RandomProblemTest, AHundredPairsABuffer) {
  const Problem problem = RandomProblem(20'000, 1);
  const OverlapCounts counts = CountOverlaps(problem);
  EXPECT_GT(counts.pairs, 80 * 20'000);
  EXPECT_LT(counts.pairs, 120 * 20'000);
  // Sizes of all octaves, from 64 bytes to below 4 MiB.
  std::set<int64_t> octaves;
  for (const Buffer& b : problem.buffers) {
    EXPECT_EQ(b.bytes % 64, 0);
    EXPECT_GE(b.bytes, 64);
    EXPECT_LT(b.bytes, int64_t{4} << 20);
    octaves.insert(63 - __builtin_clzll(static_cast<uint64_t>(b.bytes)));
  }
  EXPECT_EQ(octaves.size(), 16u);
}

}  // namespace
}  // namespace bufplan
