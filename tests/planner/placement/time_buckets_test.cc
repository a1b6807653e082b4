#include "planner/placement/time_buckets.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "planner/placement/slot_lives.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

PlacementProblem ManyLives(std::mt19937_64& random, int count) {
  std::vector<Interval> intervals;
  for (int i = 0; i < count; ++i) {
    const int64_t begin = static_cast<int64_t>(random() % 300);
    const int64_t life = 1 + static_cast<int64_t>(random() % (random() % 8 == 0 ? 300 : 10));
    intervals.push_back({begin, begin + life, 1 + static_cast<int64_t>(random() % 50)});
  }
  PlacementProblem problem = FromIntervals(intervals);
  for (StorageSpec& storage : problem.storages) storage.alignment_bytes = int64_t{1} << random() % 4;
  return problem;
}

TEST(SlotLivesTest, KeepWhoMeetsWhomAndTheLoad) {
  std::mt19937_64 random(1);
  const PlacementProblem problem = ManyLives(random, 400);
  const SlotLives lives = MakeSlotLives(problem);
  ASSERT_EQ(lives.size(), problem.storages.size());
  const std::vector<int64_t> highest = HighestLoads(lives);
  for (size_t a = 0; a < lives.size(); ++a) {
    const size_t p = static_cast<size_t>(lives.storage[a]);
    for (size_t b = 0; b < lives.size(); ++b) {
      ASSERT_EQ(lives.life[a].Meets(lives.life[b]), problem.Meet(p, static_cast<size_t>(lives.storage[b])));
    }
    int64_t most = 0;
    for (int32_t slot = lives.life[a].first; slot < lives.life[a].end; ++slot) {
      int64_t load = 0;
      for (size_t b = 0; b < lives.size(); ++b) {
        const int64_t alignment = int64_t{1} << lives.log_alignment[b];
        const bool live = lives.life[b].first <= slot && slot < lives.life[b].end;
        if (live) load += (lives.size_bytes[b] + alignment - 1) / alignment * alignment;
      }
      ASSERT_EQ(load, lives.load[static_cast<size_t>(slot)]);
      most = std::max(most, load);
    }
    ASSERT_EQ(highest[a], most);
  }
}

// Against trying place after place, with storages going in and out.
TEST(TimeBucketsTest, LowestFreeAndCollectAgreeWithAllPairs) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 10; ++round) {
    const PlacementProblem problem = ManyLives(random, 300);
    const SlotLives lives = MakeSlotLives(problem);
    std::optional<TimeBuckets> buckets = TimeBuckets::Build(lives);
    ASSERT_TRUE(buckets.has_value());
    std::vector<int64_t> low(lives.size(), -1);
    for (int step = 0; step < 1500; ++step) {
      const size_t rank = random() % lives.size();
      if (low[rank] >= 0) {
        buckets->Remove(rank, low[rank]);
        low[rank] = -1;
        continue;
      }
      std::vector<int32_t> expected, collected;
      for (size_t other = 0; other < lives.size(); ++other) {
        if (low[other] >= 0 && lives.life[rank].Meets(lives.life[other]))
          expected.push_back(static_cast<int32_t>(other));
      }
      const int64_t alignment = int64_t{1} << lives.log_alignment[rank];
      int64_t place = 0;
      const auto taken = [&](int32_t other) {
        const size_t o = static_cast<size_t>(other);
        return low[o] < place + lives.size_bytes[rank] && place < low[o] + lives.size_bytes[o];
      };
      while (std::any_of(expected.begin(), expected.end(), taken)) place += alignment;
      std::vector<TimeBuckets::Entry> met;
      buckets->Collect(lives.life[rank], met);
      for (const TimeBuckets::Entry& entry : met) {
        collected.push_back(entry.rank);
        ASSERT_EQ(entry.low, low[static_cast<size_t>(entry.rank)]);
        ASSERT_EQ(entry.high, entry.low + lives.size_bytes[static_cast<size_t>(entry.rank)]);
      }
      std::sort(collected.begin(), collected.end());
      ASSERT_EQ(collected, expected);
      ASSERT_EQ(buckets->LowestFree(lives.life[rank], lives.size_bytes[rank], alignment), place);
      ASSERT_EQ(buckets->InsertLowest(rank), place);
      low[rank] = place;
    }
  }
}

}  // namespace
}  // namespace bufplan
