#include "planner/placement/interval_order.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

bool Before(const PlacementProblem& problem, size_t a, size_t b) {
  return problem.order->Before(a, b, problem.pieces[b].begin);
}

// Whether two pairs of the order have nothing to do with each other.
bool HasTwoPlusTwo(const PlacementProblem& problem) {
  const size_t n = problem.pieces.size();
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < n; ++b) {
      if (Before(problem, a, b)) pairs.emplace_back(a, b);
    }
  }
  for (const auto& [a, c] : pairs) {
    for (const auto& [b, d] : pairs) {
      if (!Before(problem, a, d) && !Before(problem, b, c)) return true;
    }
  }
  return false;
}

void ExpectSameOrder(const PlacementProblem& problem, const std::vector<Piece>& intervals) {
  ASSERT_EQ(intervals.size(), problem.pieces.size());
  for (size_t a = 0; a < intervals.size(); ++a) {
    ASSERT_LT(intervals[a].begin, intervals[a].end);
    ASSERT_EQ(intervals[a].low, problem.pieces[a].low);
    ASSERT_EQ(intervals[a].high, problem.pieces[a].high);
    for (size_t b = 0; b < intervals.size(); ++b) {
      ASSERT_EQ(intervals[a].end <= intervals[b].begin, Before(problem, a, b)) << a << " and " << b;
    }
  }
}

TEST(IntervalOrderTest, ExactlyTheOrdersWithoutTwoPlusTwo) {
  std::mt19937_64 random(21);
  int found = 0, several_chains = 0;
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const PlacementProblem problem = RandomChainProblem(random, {.pieces = round % 2 == 1});
    const auto intervals = AsIntervals(problem);
    ASSERT_EQ(intervals.has_value(), !HasTwoPlusTwo(problem));
    if (!intervals.has_value()) continue;
    ++found;
    several_chains += problem.order->num_chains > 1;
    ExpectSameOrder(problem, *intervals);
  }
  EXPECT_GT(kRounds - found, kRounds / 20);
  EXPECT_GT(several_chains, kRounds / 10);
}

TEST(IntervalOrderTest, OneChainIsOne) {
  const PlacementProblem problem = LargeChainProblem(LargeChains::kSparse, 200, 1);
  const auto intervals = AsIntervals(problem);
  ASSERT_TRUE(intervals.has_value());
  ExpectSameOrder(problem, *intervals);
}

TEST(IntervalOrderTest, TwoChainsThatNeverWaitAreNone) {
  ChainProgram program;
  program.num_chains = 2;
  program.ops = {{0, {}}, {0, {}}, {1, {}}, {1, {}}};
  program.lives = {{0, 0, {}, 0, 1}, {1, 1, {}, 0, 1}, {2, 2, {}, 0, 1}, {3, 3, {}, 0, 1}};
  EXPECT_FALSE(AsIntervals(FromProgram(program)).has_value());
  program.ops[3].after = {0};
  EXPECT_TRUE(AsIntervals(FromProgram(program)).has_value());
}

TEST(IntervalOrderTest, WithoutAnOrderTimesStay) {
  PlacementProblem problem;
  problem.storages.push_back({4, 1, {}, 0, 1});
  problem.pieces = {{3, 9, 0, 4}};
  const auto intervals = AsIntervals(problem);
  ASSERT_TRUE(intervals.has_value());
  ASSERT_EQ(intervals->size(), 1u);
  EXPECT_EQ((*intervals)[0].begin, 3);
  EXPECT_EQ((*intervals)[0].end, 9);
}

TEST(IntervalOrderTest, NoPieces) {
  PlacementProblem problem;
  problem.order.emplace().num_chains = 3;
  EXPECT_TRUE(AsIntervals(problem).has_value());
}

}  // namespace
}  // namespace bufplan
