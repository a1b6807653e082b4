#include "planner/placement/infeasible_subset.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/first_fit.h"
#include "tests/planner/placement/chain_cases.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr SearchLimits kPlenty = {.work = 1'000'000'000};

PlacementProblem PartOf(const PlacementProblem& problem, const std::vector<int32_t>& storages) {
  PlacementProblem part = problem;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    if (std::find(storages.begin(), storages.end(), static_cast<int32_t>(s)) != storages.end()) continue;
    part.storages[s] = {0, 1, {}, part.storages[s].first_piece, 0};
  }
  std::erase_if(part.disjoint, [&](const DisjointStorages& pair) {
    return part.storages[static_cast<size_t>(pair.a)].size_bytes == 0 ||
           part.storages[static_cast<size_t>(pair.b)].size_bytes == 0;
  });
  return part;
}

// By first fit in all orders of the given storages: one of them is that of the offsets of a best placement.
int64_t LeastBytes(const PlacementProblem& problem, std::vector<int32_t> storages) {
  const PlacementProblem part = PartOf(problem, storages);
  FirstFit first_fit(part);
  std::vector<int32_t> order = storages;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    if (std::find(storages.begin(), storages.end(), static_cast<int32_t>(s)) == storages.end()) {
      order.push_back(static_cast<int32_t>(s));
    }
  }
  std::vector<int64_t> offset_bytes;
  int64_t least = INT64_MAX;
  do {
    least = std::min(least, first_fit.Run(order, least, INT64_MAX, offset_bytes).value_or(least));
  } while (std::next_permutation(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(storages.size())));
  return least;
}

std::vector<int32_t> AllOf(const PlacementProblem& problem) {
  std::vector<int32_t> all(problem.storages.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The subset does not fit, and is minimal if it says so.
void ExpectSubset(const PlacementProblem& problem, int64_t capacity, const InfeasibleSubset& subset) {
  ASSERT_FALSE(subset.storages.empty());
  ASSERT_NE(subset.proof, InfeasibilityProof::kNone);
  ASSERT_TRUE(std::is_sorted(subset.storages.begin(), subset.storages.end()));
  ASSERT_EQ(std::adjacent_find(subset.storages.begin(), subset.storages.end()), subset.storages.end());
  ASSERT_GT(LeastBytes(problem, subset.storages), capacity);
  if (!subset.minimal) return;
  for (size_t i = 0; i < subset.storages.size(); ++i) {
    std::vector<int32_t> rest = subset.storages;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    ASSERT_LE(LeastBytes(problem, rest), capacity) << "without " << subset.storages[i];
  }
}

TEST(InfeasibleSubsetTest, TheLargestOfThoseLiveAtThePeak) {
  const PlacementProblem problem = FromIntervals({{0, 9, 1}, {2, 5, 40}, {3, 8, 50}, {4, 5, 30}, {7, 9, 60}});
  const InfeasibleSubset two = FindInfeasibleSubset(problem, 80, kPlenty);
  EXPECT_THAT(two.storages, ElementsAre(1, 2));
  EXPECT_TRUE(two.minimal);
  EXPECT_EQ(two.proof, InfeasibilityProof::kLoad);
  EXPECT_THAT(FindInfeasibleSubset(problem, 119, kPlenty).storages, ElementsAre(1, 2, 3));
  EXPECT_THAT(FindInfeasibleSubset(problem, 120, kPlenty).storages, ElementsAre(0, 1, 2, 3));
  const InfeasibleSubset none = FindInfeasibleSubset(problem, 121, kPlenty);
  EXPECT_THAT(none.storages, IsEmpty());
  EXPECT_FALSE(none.minimal);
  EXPECT_EQ(none.proof, InfeasibilityProof::kNone);
  const InfeasibleSubset one = FindInfeasibleSubset(problem, 45, kPlenty);
  EXPECT_THAT(one.storages, ElementsAre(4));
  EXPECT_TRUE(one.minimal);
  EXPECT_EQ(one.proof, InfeasibilityProof::kEnd);
}

TEST(InfeasibleSubsetTest, PinsAndDisjointPairs) {
  PlacementProblem problem = FromIntervals({{0, 1, 10}, {5, 6, 20}, {7, 9, 5}});
  problem.disjoint.push_back({0, 1, 0, 10, 5, 20});
  const InfeasibleSubset pair = FindInfeasibleSubset(problem, 24, kPlenty);
  EXPECT_THAT(pair.storages, ElementsAre(0, 1));
  EXPECT_TRUE(pair.minimal);
  EXPECT_EQ(pair.proof, InfeasibilityProof::kDisjoint);
  problem.storages[2].pinned_offset_bytes = 96;
  const InfeasibleSubset pin = FindInfeasibleSubset(problem, 100, kPlenty);
  EXPECT_THAT(pin.storages, ElementsAre(2));
  EXPECT_EQ(pin.proof, InfeasibilityProof::kEnd);
}

// Nineteen bytes are live at once, and these eleven need twenty (see exact_search_test). Around them, what fits.
TEST(InfeasibleSubsetTest, FoundBySearchAmongMany) {
  std::vector<Interval> intervals = {{0, 2, 9}, {0, 1, 6}, {2, 7, 5}, {1, 6, 5}, {4, 5, 5}, {5, 10, 4},
                                     {5, 9, 3}, {1, 4, 3}, {3, 7, 2}, {0, 5, 2}, {2, 3, 2}};
  std::mt19937_64 random(9);
  for (int i = 0; i < 200; ++i) {
    const int64_t begin = 10 + static_cast<int64_t>(random() % 100);
    intervals.push_back({begin, begin + 1 + static_cast<int64_t>(random() % 4), 1});
  }
  const PlacementProblem problem = FromIntervals(intervals);
  const InfeasibleSubset subset = FindInfeasibleSubset(problem, 19, kPlenty);
  EXPECT_EQ(subset.proof, InfeasibilityProof::kSearch);
  EXPECT_TRUE(subset.minimal);
  EXPECT_LE(subset.storages.back(), 10);
  std::vector<Interval> left;
  for (int32_t s : subset.storages) left.push_back(intervals[static_cast<size_t>(s)]);
  EXPECT_THAT(FindPlacement(FromIntervals(left), 19, kPlenty).offset_bytes, IsEmpty());
  for (size_t i = 0; i < left.size(); ++i) {
    std::vector<Interval> rest = left;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(FindPlacement(FromIntervals(rest), 19, kPlenty).offset_bytes.size(), rest.size());
  }
  EXPECT_THAT(FindInfeasibleSubset(problem, 20, kPlenty).storages, IsEmpty());
  EXPECT_EQ(FindInfeasibleSubset(problem, 19, kPlenty).storages, subset.storages);
  // A short search proves nothing, or less.
  EXPECT_THAT(FindInfeasibleSubset(problem, 19, {}).storages, IsEmpty());
}

TEST(InfeasibleSubsetTest, AgainstAllOrders) {
  std::mt19937_64 random(21);
  int by_search = 0, minimal = 0, rounds = 0;
  for (int kind = 0; kind < 16; ++kind) {
    for (int round = 0; round < 120; ++round) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << ", round " << round);
      const RandomShape shape = OfKind({.max_storages = 7, .max_time = 8, .max_size = round % 2 == 0 ? 5 : 40}, kind);
      const PlacementProblem problem = RandomProblem(random, shape);
      const int64_t least = LeastBytes(problem, AllOf(problem));
      for (const int64_t capacity : {least - 1, least * 3 / 4, least / 3}) {
        if (capacity < 0 || capacity >= least) continue;
        const InfeasibleSubset subset = FindInfeasibleSubset(problem, capacity, kPlenty);
        if (subset.storages.empty()) {
          ASSERT_TRUE(shape.pieces || shape.disjoint) << "capacity " << capacity;
          continue;
        }
        ASSERT_NO_FATAL_FAILURE(ExpectSubset(problem, capacity, subset)) << "capacity " << capacity;
        by_search += subset.proof == InfeasibilityProof::kSearch ? 1 : 0;
        minimal += subset.minimal ? 1 : 0;
        ++rounds;
      }
      ASSERT_THAT(FindInfeasibleSubset(problem, least, kPlenty).storages, IsEmpty());
    }
  }
  EXPECT_GT(by_search, 50);
  EXPECT_GT(minimal, rounds * 9 / 10);
}

TEST(InfeasibleSubsetTest, OrderedInPart) {
  std::mt19937_64 random(22);
  int by_antichain = 0, minimal = 0, rounds = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem =
        RandomChainProblem(random, {.max_pieces = 7, .pieces = round % 2 == 0, .alignments = round % 3 == 0});
    if (problem.storages.size() > 7) continue;
    const int64_t least = LeastBytes(problem, AllOf(problem));
    ASSERT_THAT(FindInfeasibleSubset(problem, least, kPlenty).storages, IsEmpty());
    for (const int64_t capacity : {least - 1, least / 2}) {
      if (capacity < 0 || capacity >= least) continue;
      const InfeasibleSubset subset = FindInfeasibleSubset(problem, capacity, kPlenty);
      if (subset.storages.empty()) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectSubset(problem, capacity, subset)) << "capacity " << capacity;
      by_antichain += subset.proof == InfeasibilityProof::kAntichain ? 1 : 0;
      minimal += subset.minimal ? 1 : 0;
      ++rounds;
    }
  }
  EXPECT_GT(by_antichain, 20);
  EXPECT_GT(minimal, rounds * 9 / 10);
}

// Just below what is live at once: a few of those.
TEST(InfeasibleSubsetTest, OfTheData) {
  for (const DataFile& file : DataFiles()) {
    const PlacementProblem problem = FromIntervals(ReadCsv(file.path));
    const InfeasibleSubset subset = FindInfeasibleSubset(problem, file.load_bytes - 1, kPlenty);
    EXPECT_EQ(subset.proof, InfeasibilityProof::kLoad) << file.path;
    int64_t bytes = 0, least = INT64_MAX;
    for (int32_t s : subset.storages) {
      bytes += problem.storages[static_cast<size_t>(s)].size_bytes;
      least = std::min(least, problem.storages[static_cast<size_t>(s)].size_bytes);
    }
    EXPECT_GE(bytes, file.load_bytes) << file.path;
    EXPECT_LT(bytes - least, file.load_bytes) << file.path;
  }
}

}  // namespace
}  // namespace bufplan
