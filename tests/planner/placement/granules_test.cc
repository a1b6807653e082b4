#include "planner/placement/granules.h"

#include <algorithm>
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/placement.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

// At every place where the storage may lie: the granules of which the piece holds the first byte, and of the counted
// ones, from the first on, what is unused of the last.
TEST(GranulesTest, AreTheFewestOverAllPlaces) {
  for (int64_t granule = 1; granule <= 16; granule *= 2) {
    for (int64_t alignment = 1; alignment <= 32; alignment *= 2) {
      for (int64_t low = 0; low < 20; ++low) {
        for (int64_t high = low + 1; high < 60; ++high) {
          const Granules granules = CountGranules({0, 1, low, high}, alignment, granule);
          int64_t fewest = INT64_MAX, tail = 0;
          for (int64_t base = 0; base < 2 * granule; base += alignment) {
            // Without what comes before the first multiple in it that is sure to be one.
            const int64_t begin = base + AlignUp(low, std::min(alignment, granule)), end = base + high;
            int64_t count = 0, last = 0;
            for (int64_t byte = begin; byte < end; ++byte) {
              if (byte % granule != 0) continue;
              ++count;
              if (count * granule == granules.bytes) last = byte;
            }
            fewest = std::min(fewest, count * granule);
            if (granules.bytes > 0) tail = std::max(tail, granule - (end - last));
          }
          ASSERT_EQ(granules.bytes, fewest) << low << " " << high << " at " << alignment << ", granule " << granule;
          ASSERT_EQ(granules.tail, tail) << low << " " << high << " at " << alignment << ", granule " << granule;
        }
      }
    }
  }
}

TEST(GranulesTest, WorthCounting) {
  const auto problem_of = [](int64_t size_at_8, int64_t size_at_64, int64_t size_at_256) {
    PlacementProblem problem = FromIntervals({{0, 1, size_at_8}, {1, 2, size_at_64}, {0, 2, size_at_256}});
    problem.storages[0].alignment_bytes = 8;
    problem.storages[1].alignment_bytes = 64;
    problem.storages[2].alignment_bytes = 256;
    return problem;
  };
  EXPECT_THAT(GranulesWorthCounting({}), ElementsAre(1));
  EXPECT_THAT(GranulesWorthCounting(problem_of(5, 64, 256)), ElementsAre(8));
  EXPECT_THAT(GranulesWorthCounting(problem_of(5, 65, 256)), ElementsAre(8, 64));
  EXPECT_THAT(GranulesWorthCounting(problem_of(5, 64, 320)), ElementsAre(8, 256));
  EXPECT_THAT(GranulesWorthCounting(problem_of(5, 64, 257)), ElementsAre(8, 64, 256));
  EXPECT_THAT(GranulesWorthCounting(problem_of(0, 64, 0)), ElementsAre(64));
  PlacementProblem problem = problem_of(5, 64, 257);
  problem.pieces[1].low = 1;
  EXPECT_THAT(GranulesWorthCounting(problem), ElementsAre(1, 8, 64, 256));
  problem.max_chunk_bytes = 1000;
  EXPECT_THAT(GranulesWorthCounting(problem), ElementsAre(1));
}

}  // namespace
}  // namespace bufplan
