#include "planner/placement/ejection.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "benchmarks/tensor_lives.h"
#include "gtest/gtest.h"
#include "planner/placement/peak_first.h"
#include "planner/placement/slot_lives.h"
#include "planner/placement/time_buckets.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

int64_t TopOf(const SlotLives& lives, const std::vector<int64_t>& offset) {
  int64_t top = 0;
  for (size_t rank = 0; rank < lives.size(); ++rank) top = std::max(top, offset[rank] + lives.size_bytes[rank]);
  return top;
}

bool NonePairMeets(const SlotLives& lives, const std::vector<int64_t>& offset) {
  for (size_t a = 0; a < lives.size(); ++a) {
    for (size_t b = a + 1; b < lives.size() && lives.life[b].first < lives.life[a].end; ++b) {
      if (offset[a] < offset[b] + lives.size_bytes[b] && offset[b] < offset[a] + lives.size_bytes[a]) return false;
    }
  }
  return true;
}

// First fit in the listed order, 2 then lies on top of 1; the limit is met only if 1 makes room.
TEST(EjectionTest, WhatIsInTheWayFindsAnotherPlace) {
  const PlacementProblem problem = FromIntervals({{0, 4, 10}, {4, 9, 10}, {2, 6, 10}, {6, 9, 10}});
  const SlotLives lives = MakeSlotLives(problem);
  std::optional<TimeBuckets> buckets = TimeBuckets::Build(lives);
  ASSERT_TRUE(buckets.has_value());
  // By rank: 0, 2, 1, 3. The second lies too high, above the first and below nothing.
  std::vector<int64_t> offset = {10, 20, 0, 10};
  for (size_t rank = 0; rank < 4; ++rank) buckets->Insert(rank, offset[rank]);
  Ejection ejection(lives, 20, *buckets, offset);
  EXPECT_TRUE(ejection.Lower(20, 1'000'000));
  EXPECT_EQ(TopOf(lives, offset), 20);
  EXPECT_TRUE(NonePairMeets(lives, offset));
}

TEST(EjectionTest, LowersOrLeavesAllAsItWas) {
  const SlotLives lives = MakeSlotLives(RandomTensorLives({.num_storages = 3000, .seed = 1}));
  std::optional<TimeBuckets> buckets = TimeBuckets::Build(lives);
  ASSERT_TRUE(buckets.has_value());
  const int64_t load = *std::max_element(lives.load.begin(), lives.load.end());
  std::vector<int64_t> offset;
  const int64_t before = PlacePeakFirst(lives, load, PeakOrder::kLongest, 1, *buckets, offset);
  ASSERT_EQ(TopOf(lives, offset), before);
  ASSERT_GT(before, load);
  Ejection ejection(lives, load, *buckets, offset);
  // Next to no work: nothing is found, and all is put back.
  const std::vector<int64_t> old = offset;
  EXPECT_FALSE(ejection.Lower(load, buckets->work() + 1000));
  EXPECT_EQ(offset, old);
  const int64_t limit = load + (before - load) / 2;
  EXPECT_TRUE(ejection.Lower(limit, buckets->work() + 20'000'000));
  EXPECT_LE(TopOf(lives, offset), limit);
  EXPECT_TRUE(NonePairMeets(lives, offset));
  // The buckets are in step: each storage's own place is the only one in its way.
  for (size_t rank = 0; rank < lives.size(); ++rank) {
    buckets->Remove(rank, offset[rank]);
    ASSERT_LE(buckets->LowestFree(lives.life[rank], lives.size_bytes[rank], 1), offset[rank]);
    buckets->Insert(rank, offset[rank]);
  }
}

TEST(EjectionTest, MorePassesFromThePeakAreNeverWorse) {
  const SlotLives lives = MakeSlotLives(RandomTensorLives({.num_storages = 3000, .seed = 1}));
  std::optional<TimeBuckets> buckets = TimeBuckets::Build(lives);
  ASSERT_TRUE(buckets.has_value());
  const int64_t load = *std::max_element(lives.load.begin(), lives.load.end());
  for (const PeakOrder order : kPeakOrders) {
    int64_t before = INT64_MAX;
    for (const int passes : {1, 2, 8}) {
      std::vector<int64_t> offset;
      const int64_t top = PlacePeakFirst(lives, load, order, passes, *buckets, offset);
      EXPECT_EQ(top, TopOf(lives, offset));
      EXPECT_TRUE(NonePairMeets(lives, offset));
      EXPECT_LE(top, before);
      before = top;
    }
  }
}

}  // namespace
}  // namespace bufplan
