#include "planner/placement/placement.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/shortfall.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr PlacementEffort kAllEfforts[] = {PlacementEffort::kFast, PlacementEffort::kDefault, PlacementEffort::kMax};

// First fit of one-piece storages without alignment: look at all pairs, sort, take the first gap.
int64_t QuadraticFirstFit(const std::vector<Interval>& intervals, const std::vector<size_t>& order) {
  std::vector<std::pair<size_t, int64_t>> placed;
  int64_t total = 0;
  for (size_t i : order) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const auto& [k, offset] : placed) {
      if (intervals[k].begin < intervals[i].end && intervals[i].begin < intervals[k].end) {
        taken.emplace_back(offset, offset + intervals[k].size_bytes);
      }
    }
    std::sort(taken.begin(), taken.end());
    int64_t lowest = 0;
    for (const auto& [low, high] : taken) {
      if (low >= lowest + intervals[i].size_bytes) break;
      lowest = std::max(lowest, high);
    }
    placed.emplace_back(i, lowest);
    total = std::max(total, lowest + intervals[i].size_bytes);
  }
  return total;
}

int64_t BestNamedFirstFit(const std::vector<Interval>& intervals) {
  const std::function<double(const Interval&)> keys[] = {
      [](const Interval& i) { return -static_cast<double>(i.size_bytes); },
      [](const Interval& i) { return -static_cast<double>(i.size_bytes) * static_cast<double>(i.end - i.begin); },
      [](const Interval& i) { return -static_cast<double>(i.end - i.begin); },
      [](const Interval& i) { return static_cast<double>(i.begin); }};
  int64_t best = INT64_MAX;
  for (const auto& key : keys) {
    std::vector<size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return key(intervals[a]) < key(intervals[b]); });
    best = std::min(best, QuadraticFirstFit(intervals, order));
  }
  return best;
}

TEST(PlaceTest, Empty) {
  for (PlacementEffort effort : kAllEfforts) {
    const auto placement = Place({}, {effort});
    ASSERT_TRUE(placement.ok());
    EXPECT_EQ(placement->total_bytes, 0);
    EXPECT_TRUE(placement->optimal);
    EXPECT_THAT(placement->chunk_bytes, ElementsAre(0));
  }
}

TEST(PlaceTest, NothingHasBytes) {
  const auto placement = Place(FromIntervals({{0, 3, 0}, {1, 2, 0}}, 64), {});
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->total_bytes, 0);
  EXPECT_TRUE(placement->optimal);
}

TEST(PlaceTest, PublishedSmallProblems) {
  struct Case {
    std::vector<Interval> intervals;
    int64_t bytes;
  };
  const Case cases[] = {
      {{{0, 3, 4}, {3, 9, 4}, {0, 9, 4}, {9, 21, 4}, {0, 21, 4}}, 12},
      {{{1, 3, 256}, {2, 4, 64}, {3, 5, 320}}, 384},
      {{{1, 4, 192}, {2, 4, 64}, {2, 4, 192}, {3, 5, 64}, {4, 6, 512}}, 576},
      {{{0, 9, int64_t{1} << 34}}, int64_t{1} << 34},
  };
  for (const Case& c : cases) {
    const PlacementProblem problem = FromIntervals(c.intervals);
    const auto placement = Place(problem, {});
    ASSERT_TRUE(placement.ok());
    EXPECT_EQ(placement->total_bytes, c.bytes);
    EXPECT_TRUE(placement->optimal);
    EXPECT_EQ(FindFault(problem, *placement), "");
  }
}

TEST(PlaceTest, APinIsLeftAlone) {
  PlacementProblem problem = FromIntervals({{0, 9, 512}, {0, 2, 512}});
  problem.storages[0].pinned_offset_bytes = 0;
  for (PlacementEffort effort : kAllEfforts) {
    const auto placement = Place(problem, {effort});
    ASSERT_TRUE(placement.ok());
    EXPECT_THAT(placement->offset_bytes, ElementsAre(0, 512));
  }
}

TEST(PlaceTest, PinsThatMeetAreRefused) {
  PlacementProblem problem = FromIntervals({{0, 9, 512}, {0, 2, 64}, {1, 2, 64}});
  problem.storages[0].pinned_offset_bytes = 0;
  problem.storages[2].pinned_offset_bytes = 448;
  for (PlacementEffort effort : kAllEfforts) {
    const auto placement = Place(problem, {effort});
    EXPECT_EQ(placement.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(placement.status().message()), HasSubstr("storages 0 and 2"));
  }
}

TEST(PlaceTest, OneChunkEachWhenTwoDoNotFit) {
  PlacementProblem problem = FromIntervals({{0, 9, 900}, {0, 9, 900}, {0, 9, 900}});
  problem.max_chunk_bytes = 1024;
  for (PlacementEffort effort : kAllEfforts) {
    const auto placement = Place(problem, {effort});
    ASSERT_TRUE(placement.ok());
    EXPECT_THAT(placement->chunk_bytes, ElementsAre(900, 900, 900));
    EXPECT_TRUE(placement->optimal);
  }
}

TEST(PlaceTest, CapacityIsAProofOrAGivingUp) {
  PlacementProblem problem = FromIntervals({{0, 5, 100}, {3, 9, 156}});
  problem.capacity_bytes = 256;
  EXPECT_TRUE(Place(problem, {}).ok());
  problem.capacity_bytes = 255;
  const auto refused = Place(problem, {});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("256 bytes are needed"));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("time 3"));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("capacity=255"));
  const std::optional<Shortfall> shortfall = ShortfallOf(refused.status());
  ASSERT_TRUE(shortfall.has_value());
  EXPECT_EQ(shortfall->capacity_bytes, 255);
  EXPECT_EQ(shortfall->lower_bound_bytes, 256);
  EXPECT_EQ(shortfall->best_bytes, std::nullopt);

  // A load of 1048576, which no greedy method reaches.
  problem = FromIntervals(ReadCsv("benchmarks/data/minimalloc/K.1048576.csv"));
  problem.capacity_bytes = 1048576;
  const auto missed = Place(problem, {.work_limit = 1000});
  EXPECT_EQ(missed.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(missed.status().message()), HasSubstr("at least 1048576"));
  EXPECT_EQ(ShortfallOf(missed.status())->lower_bound_bytes, 1048576);
  EXPECT_GT(ShortfallOf(missed.status())->best_bytes, 1048576);
  const auto found = Place(problem, {.work_limit = 100'000'000});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->total_bytes, 1048576);
  EXPECT_TRUE(found->optimal);
  EXPECT_EQ(found->bound, BoundMethod::kLoad);
}

TEST(PlaceTest, ProvesMoreThanTheLoad) {
  PlacementProblem problem = FromIntervals({{0, 2, 9},
                                            {0, 1, 6},
                                            {2, 7, 5},
                                            {1, 6, 5},
                                            {4, 5, 5},
                                            {5, 10, 4},
                                            {5, 9, 3},
                                            {1, 4, 3},
                                            {3, 7, 2},
                                            {0, 5, 2},
                                            {2, 3, 2}});
  const auto placement = Place(problem, {});
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->total_bytes, 20);
  EXPECT_EQ(placement->lower_bound_bytes, 20);
  EXPECT_EQ(placement->bound, BoundMethod::kSearch);
  EXPECT_TRUE(placement->optimal);

  problem.capacity_bytes = 19;
  const auto refused = Place(problem, {});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("at least 20 bytes are needed (by exhaustive search)"));
}

TEST(PlaceTest, FastTriesHarderWhenTheSweepMissesTheCapacity) {
  // The sweep puts the small one between the two that the large one needs.
  PlacementProblem problem = FromIntervals({{0, 2, 10}, {1, 5, 4}, {2, 4, 14}});
  const int64_t fast = Place(problem, {PlacementEffort::kFast})->total_bytes, best = Place(problem, {})->total_bytes;
  ASSERT_EQ(best, 18);
  ASSERT_GT(fast, best);
  problem.capacity_bytes = best;
  const auto placement = Place(problem, {PlacementEffort::kFast});
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->total_bytes, best);
}

TEST(PlaceTest, SumsAndArgumentsAreChecked) {
  const auto refused = [](const PlacementProblem& problem, const std::string& text) {
    const auto placement = Place(problem, {});
    EXPECT_EQ(placement.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(placement.status().message()), HasSubstr(text));
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  refused(FromIntervals({{0, 1, kHuge}, {0, 1, kHuge}}), "storage 1: size=4611686018427387904");
  refused(FromIntervals({{0, 1, INT64_MAX - 7}}, 64), "storage 0");
  refused(FromIntervals({{0, 1, 8}}, 3), "alignment=3, must be a power of two");
  PlacementProblem problem = FromIntervals({{0, 1, 8}}, 4);
  problem.storages[0].pinned_offset_bytes = 6;
  refused(problem, "pinned offset=6, must be a multiple of the alignment 4");
  problem.storages[0].pinned_offset_bytes = -4;
  refused(problem, "pinned offset=-4");
  problem.storages[0].pinned_offset_bytes = INT64_MAX - 3;
  refused(problem, "storage 0");
  problem.storages[0].pinned_offset_bytes = 12;
  problem.max_chunk_bytes = 19;
  refused(problem, "a chunk has at most 19");
  EXPECT_TRUE(Place(FromIntervals({{0, 1, kHuge}, {1, 2, 8}}), {}).ok());
}

TEST(PlaceTest, RandomPlacementsAreValid) {
  std::mt19937_64 random(13);
  for (int kind = 0; kind < 32; ++kind) {
    const RandomShape shape = OfKind({.max_storages = 25, .max_time = 20, .max_size = 50}, kind);
    for (int round = 0; round < 40; ++round) {
      const PlacementProblem problem = RandomProblem(random, shape);
      int64_t fast_bytes = 0;
      for (PlacementEffort effort : {PlacementEffort::kFast, PlacementEffort::kDefault}) {
        const auto placement = Place(problem, {effort, 20000});
        ASSERT_TRUE(placement.ok()) << placement.status();
        ASSERT_EQ(FindFault(problem, *placement), "") << "kind " << kind << ", round " << round;
        if (effort == PlacementEffort::kFast) fast_bytes = placement->total_bytes;
        ASSERT_LE(placement->total_bytes, fast_bytes);
      }
    }
  }
}

const Deadline kPast(std::chrono::steady_clock::time_point::min());
const Deadline kNextYear(std::chrono::steady_clock::now() + std::chrono::hours(9000));

TEST(PlaceTest, ATimeThatIsOverLeavesWhatIsFirst) {
  std::mt19937_64 random(15);
  for (int kind = 0; kind < 32; ++kind) {
    const RandomShape shape = OfKind({.max_storages = 40, .max_time = 30, .max_size = 50}, kind);
    for (int round = 0; round < 20; ++round) {
      const PlacementProblem problem = RandomProblem(random, shape);
      for (PlacementEffort effort : kAllEfforts) {
        const auto placement = Place(problem, {.effort = effort, .deadline = kPast});
        ASSERT_TRUE(placement.ok()) << placement.status();
        ASSERT_EQ(FindFault(problem, *placement), "") << "kind " << kind << ", round " << round;
      }
    }
  }
}

TEST(PlaceTest, ATimeThatIsOverLeavesTheNamedOrdersAndNoSearch) {
  int worse = 0;
  for (const DataFile& file : DataFiles()) {
    const std::vector<Interval> intervals = ReadCsv(file.path);
    const PlacementProblem problem = FromIntervals(intervals);
    const auto cut = Place(problem, {.effort = PlacementEffort::kMax, .deadline = kPast});
    ASSERT_TRUE(cut.ok()) << file.path;
    EXPECT_EQ(FindFault(problem, *cut), "") << file.path;
    EXPECT_LE(cut->total_bytes, Place(problem, {PlacementEffort::kFast})->total_bytes) << file.path;
    if (intervals.size() > 2000) continue;
    EXPECT_LE(cut->total_bytes, BestNamedFirstFit(intervals)) << file.path;
    worse += cut->total_bytes > Place(problem, {.work_limit = 1'000'000})->total_bytes;
  }
  EXPECT_GT(worse, 5);
}

TEST(PlaceTest, ATimeThatIsNotReachedChangesNothing) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 20; ++round) {
    const PlacementProblem problem = RandomProblem(random, {.max_storages = 60, .pieces = true, .alignments = true});
    EXPECT_EQ(Place(problem, {.deadline = kNextYear})->offset_bytes, Place(problem, {})->offset_bytes);
  }
}

// Without any limit but the time the search ends when the placement is proven to be the best.
TEST(PlaceTest, UntilProven) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 50; ++round) {
    const PlacementProblem problem = RandomProblem(random, {.max_storages = 20, .max_time = 20, .max_size = 30});
    const auto placement = Place(problem, {.effort = PlacementEffort::kMax, .deadline = kNextYear});
    ASSERT_TRUE(placement.ok());
    EXPECT_TRUE(placement->optimal);
  }
}

TEST(PlaceTest, SameInputSamePlacement) {
  std::mt19937_64 random(14);
  for (int round = 0; round < 20; ++round) {
    const PlacementProblem problem = RandomProblem(random, {.max_storages = 60, .pieces = true, .alignments = true});
    EXPECT_EQ(Place(problem, {})->offset_bytes, Place(problem, {})->offset_bytes);
  }
}

TEST(PlaceTest, DataIsNeverAboveTheNamedOrders) {
  for (const DataFile& file : DataFiles()) {
    const std::vector<Interval> intervals = ReadCsv(file.path);
    ASSERT_FALSE(intervals.empty()) << file.path;
    if (intervals.size() > 2000) continue;
    const PlacementProblem problem = FromIntervals(intervals);
    const int64_t named = BestNamedFirstFit(intervals);
    for (PlacementEffort effort : {PlacementEffort::kFast, PlacementEffort::kDefault}) {
      const auto placement = Place(problem, {effort});
      ASSERT_TRUE(placement.ok()) << file.path;
      EXPECT_EQ(FindFault(problem, *placement), "") << file.path;
      EXPECT_EQ(placement->lower_bound_bytes, file.load_bytes) << file.path;
      if (effort == PlacementEffort::kDefault) {
        EXPECT_LE(placement->total_bytes, named) << file.path;
      }
    }
  }
}

}  // namespace
}  // namespace bufplan
