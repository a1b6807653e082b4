#include "planner/placement/free_list.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(FreeListTest, TakesTheSmallestRangeThatFits) {
  FreeList list;
  for (int64_t i = 0; i < 7; ++i) EXPECT_EQ(list.Take(10, 1), 10 * i);
  list.Give(0, 30);
  list.Give(40, 50);
  EXPECT_EQ(list.Take(10, 1), 40);
  EXPECT_EQ(list.Take(15, 1), 0);
  EXPECT_EQ(list.Take(16, 1), 70);
  EXPECT_EQ(list.top(), 86);
  list.Give(70, 86);
  EXPECT_EQ(list.top(), 70);
}

TEST(FreeListTest, NeighboursGrowTogether) {
  FreeList list;
  list.Take(40, 1);
  list.Give(0, 10);
  list.Give(20, 30);
  list.Give(10, 20);
  EXPECT_EQ(list.Take(30, 1), 0);
  list.Give(0, 30);
  list.Give(30, 40);
  EXPECT_EQ(list.top(), 0);
}

TEST(FreeListTest, AlignedPlacesLeaveTheRestFree) {
  FreeList list;
  EXPECT_EQ(list.Take(10, 1), 0);
  EXPECT_EQ(list.Take(10, 64), 64);
  EXPECT_EQ(list.Take(54, 1), 10);
  list.Give(10, 64);
  EXPECT_EQ(list.Take(8, 32), 32);
  EXPECT_EQ(list.Take(24, 8), 40);
}

// Against plain arrays of bytes; thousands of ranges, so that both representations are in use.
TEST(FreeListTest, BestFitOfAnArrayOfBytes) {
  std::mt19937_64 random(6);
  for (const size_t blocks : {size_t{20}, size_t{1500}}) {
    for (const int64_t alignment : {1, 8}) {
      FreeList list;
      std::vector<std::pair<int64_t, int64_t>> used;  // sorted
      for (size_t step = 0; step < 4 * blocks; ++step) {
        if (used.size() > blocks || (!used.empty() && random() % 3 == 0)) {
          const size_t i = random() % used.size();
          list.Give(used[i].first, used[i].second);
          used.erase(used.begin() + static_cast<std::ptrdiff_t>(i));
          continue;
        }
        const int64_t bytes = 1 + static_cast<int64_t>(random() % 30);
        int64_t best = -1, best_gap = INT64_MAX, end = 0;
        for (const auto& [low, high] : used) {
          const int64_t offset = (end + alignment - 1) / alignment * alignment;
          if (offset + bytes <= low && low - end < best_gap) {
            best = offset;
            best_gap = low - end;
          }
          end = high;
        }
        if (best < 0) best = (end + alignment - 1) / alignment * alignment;
        const int64_t offset = list.Take(bytes, alignment);
        // Among many ranges an aligned place may be a larger range's.
        if (alignment == 1 || blocks == 20) {
          ASSERT_EQ(offset, best);
        }
        ASSERT_EQ(offset % alignment, 0);
        const auto next = std::lower_bound(used.begin(), used.end(), std::make_pair(offset, offset));
        ASSERT_TRUE(next == used.end() || offset + bytes <= next->first);
        ASSERT_TRUE(next == used.begin() || std::prev(next)->second <= offset);
        used.insert(next, {offset, offset + bytes});
      }
    }
  }
}

}  // namespace
}  // namespace bufplan
