#include "planner/placement/preference_order.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/section_problem.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

SectionProblem Group(const std::vector<Interval>& intervals) {
  return MakeSectionProblems(FromIntervals(intervals))[0];
}

TEST(PreferenceOrderTest, PlainOrdersComeFirst) {
  // 3, 1 and 2 sections long.
  const SectionProblem problem = Group({{0, 9, 3}, {0, 2, 8}, {3, 9, 5}, {4, 5, 8}, {5, 7, 1}});
  EXPECT_THAT(PreferenceOrder(problem, 0), ElementsAre(1, 3, 2, 0, 4));
  EXPECT_THAT(PreferenceOrder(problem, 1), ElementsAre(0, 2, 1, 3, 4));
  EXPECT_THAT(PreferenceOrder(problem, 2), ElementsAre(2, 0, 1, 3, 4));
  EXPECT_THAT(PreferenceOrder(problem, 3), ElementsAre(4, 0, 2, 1, 3));
}

TEST(PreferenceOrderTest, EachNamesAllBarsOnceAndIsUnlikeTheOthers) {
  std::vector<Interval> intervals;
  for (int64_t i = 0; i < 20; ++i) intervals.push_back({i, 2 * i + 2, 1000 + i * i});
  const SectionProblem problem = Group(intervals);
  std::set<std::vector<int32_t>> orders;
  for (int64_t attempt = 0; attempt < 100; ++attempt) {
    std::vector<int32_t> order = PreferenceOrder(problem, attempt);
    EXPECT_EQ(order, PreferenceOrder(problem, attempt));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int32_t>(i));
    EXPECT_EQ(order.size(), intervals.size());
  }
  EXPECT_GT(orders.size(), 90u);
}

TEST(PreferenceOrderTest, StaysNear) {
  std::vector<int64_t> offset;
  for (int64_t i = 0; i < 50; ++i) offset.push_back(980 - 20 * i);
  std::set<std::vector<int32_t>> orders;
  for (int64_t attempt = 0; attempt < 20; ++attempt) {
    const std::vector<int32_t> order = OrderNear(offset, 1000, attempt);
    ASSERT_EQ(order.size(), offset.size());
    orders.insert(order);
    // The noise moves a bar by a quarter of the height at most, so past bars that are half of it away at most.
    std::vector<int64_t> place(offset.size(), -1);
    for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    for (size_t bar = 0; bar < offset.size(); ++bar) {
      EXPECT_GE(place[bar], 0);
      EXPECT_LE(std::abs(place[bar] - static_cast<int64_t>(offset.size() - 1 - bar)), 25);
    }
  }
  EXPECT_GT(orders.size(), 15u);
  EXPECT_THAT(OrderNear({40, 0, 20}, 1, 0), ElementsAre(1, 2, 0));
}

TEST(PreferenceOrderTest, RunsGrow) {
  std::vector<int64_t> lengths;
  for (int64_t run = 0; run < 15; ++run) lengths.push_back(RunLength(run));
  EXPECT_THAT(lengths, ElementsAre(1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8));
}

}  // namespace
}  // namespace bufplan
