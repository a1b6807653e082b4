#include "planner/placement/range_list.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

int64_t NextFree(const RangeList& list, int64_t from, int64_t bytes) {
  RangeList::Position position;
  int64_t work = 0;
  return list.NextFree(from, bytes, position, work);
}

TEST(RangeListTest, FindsTheNextGap) {
  RangeList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(NextFree(list, 5, 100), 5);
  list.Add({10, 20}, 1);
  list.Add({30, 40}, 1);
  EXPECT_EQ(NextFree(list, 0, 10), 0);
  EXPECT_EQ(NextFree(list, 0, 11), 40);
  EXPECT_EQ(NextFree(list, 1, 10), 20);
  EXPECT_EQ(NextFree(list, 35, 1), 40);
  list.Clear();
  EXPECT_TRUE(list.empty());
}

TEST(RangeListTest, SmallGapsCloseUp) {
  RangeList list;
  list.Add({0, 10}, 5);
  list.Add({14, 20}, 5);
  EXPECT_EQ(NextFree(list, 0, 5), 20);
  list.Add({25, 30}, 5);
  EXPECT_EQ(NextFree(list, 0, 5), 20);
}

// Against an array of bytes, with few and with many ranges, and searches that go on where they stopped.
TEST(RangeListTest, AgreesWithAnArrayOfBytes) {
  std::mt19937_64 random(5);
  for (const int64_t size : {60, 3000, 12000}) {
    for (int round = 0; round < 20; ++round) {
      RangeList list;
      std::vector<bool> used(static_cast<size_t>(size) + 100, false);
      for (int64_t i = 0; i < size / 6; ++i) {
        const int64_t low = static_cast<int64_t>(random() % static_cast<uint64_t>(size));
        const int64_t high = low + 1 + static_cast<int64_t>(random() % 3);
        list.Add({low, high}, 1);
        std::fill(used.begin() + low, used.begin() + high, true);
        if (i % 16 != 0) continue;
        RangeList::Position position;
        int64_t work = 0, from = 0;
        const int64_t bytes = 1 + static_cast<int64_t>(random() % 12);
        while (from < size) {
          int64_t expected = from, run = 0;
          for (int64_t at = from; run < bytes; ++at) {
            const bool is_used = at < static_cast<int64_t>(used.size()) && used[static_cast<size_t>(at)];
            run = is_used ? 0 : run + 1;
            if (is_used) expected = at + 1;
          }
          ASSERT_EQ(list.NextFree(from, bytes, position, work), expected) << "size " << size << ", round " << round;
          from = expected + 1 + static_cast<int64_t>(random() % 200);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bufplan
