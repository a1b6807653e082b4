#include "planner/placement/time_order.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int32_t> Order(const std::vector<int64_t>& times) {
  std::vector<int32_t> order = {7};  // overwritten
  OrderByTime(times, order);
  return order;
}

TEST(OrderByTimeTest, OrdersByTimeThenIndex) {
  EXPECT_THAT(Order({}), IsEmpty());
  EXPECT_THAT(Order({5, 2, 2, 9}), ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(Order({1, 1, 3}), ElementsAre(0, 1, 2));
}

TEST(OrderByTimeTest, TakesTheWholeRangeOfTimes) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Order({kMax, kMin, 0, kMin}), ElementsAre(1, 3, 2, 0));
}

TEST(OrderByTimeTest, DenseAndSparseTimesAgreeWithAStableSort) {
  std::mt19937_64 random(1);
  for (uint64_t range : {uint64_t{3}, uint64_t{1000}, uint64_t{1} << 40}) {
    std::vector<int64_t> times(500);
    for (int64_t& time : times) time = static_cast<int64_t>(random() % range) - 100;
    std::vector<int32_t> expected(times.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
      return times[static_cast<size_t>(a)] < times[static_cast<size_t>(b)];
    });
    EXPECT_EQ(Order(times), expected) << "range " << range;
  }
}

}  // namespace
}  // namespace bufplan
