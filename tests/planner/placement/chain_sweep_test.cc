#include "planner/placement/chain_sweep.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "planner/placement/antichain.h"
#include "planner/placement/chain_pools.h"
#include "planner/placement/sweep.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

// What is wrong with the offsets; null: nothing.
const char* Fault(const PlacementProblem& problem, const std::vector<int64_t>& offsets, int64_t bytes) {
  for (size_t a = 0; a < problem.storages.size(); ++a) {
    const StorageSpec& x = problem.storages[a];
    if (offsets[a] < 0 || offsets[a] + x.size_bytes > bytes) return "outside";
    if (offsets[a] % x.alignment_bytes != 0) return "misaligned";
    for (size_t b = 0; b < a; ++b) {
      const StorageSpec& y = problem.storages[b];
      for (size_t p = x.first_piece; p < x.first_piece + x.num_pieces; ++p) {
        for (size_t q = y.first_piece; q < y.first_piece + y.num_pieces; ++q) {
          const Piece& u = problem.pieces[p];
          const Piece& v = problem.pieces[q];
          const bool bytes_meet = offsets[a] + u.low < offsets[b] + v.high && offsets[b] + v.low < offsets[a] + u.high;
          if (bytes_meet && problem.Meet(p, q)) return "two pieces that meet share bytes";
        }
      }
    }
  }
  return nullptr;
}

TEST(ChainSweep, PlacesRandomProblemsSafely) {
  std::mt19937_64 random(1);
  int in_line_is_better = 0, pools_are_better = 0;
  for (int i = 0; i < 4000; ++i) {
    ChainShape shape;
    shape.pieces = i % 2 == 1;
    shape.alignments = i % 3 == 1;
    const PlacementProblem problem = RandomChainProblem(random, shape);
    ASSERT_TRUE(CanSweep(problem));
    const int64_t bound = HeaviestAntichain(problem, 0).bytes;
    std::vector<int64_t> offsets;
    const std::optional<int64_t> in_line = ChainSweep(problem, offsets);
    ASSERT_TRUE(in_line.has_value());
    ASSERT_EQ(Fault(problem, offsets, *in_line), nullptr) << "in line, problem " << i;
    const int64_t pooled = PlaceInChainPools(problem, offsets);
    ASSERT_EQ(Fault(problem, offsets, pooled), nullptr) << "in pools, problem " << i;
    ASSERT_GE(std::min(*in_line, pooled), bound) << i;
    in_line_is_better += *in_line < pooled;
    pools_are_better += pooled < *in_line;
  }
  EXPECT_GT(in_line_is_better, 100);
  EXPECT_GT(pools_are_better, 100);
}

TEST(ChainPools, OneChainIsSweptAsIntervals) {
  const PlacementProblem problem = LargeChainProblem(LargeChains::kForkJoin, 2000, 1);
  std::vector<int64_t> offsets, swept;
  const int64_t pooled = PlaceInChainPools(problem, offsets);
  PlacementProblem intervals = problem;
  intervals.order = std::nullopt;
  EXPECT_EQ(pooled, SweepBestFit(intervals, swept));
  EXPECT_EQ(offsets, swept);
}

}  // namespace
}  // namespace bufplan
