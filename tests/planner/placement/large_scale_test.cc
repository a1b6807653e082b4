#include "planner/placement/large_scale.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/tensor_lives.h"
#include "gtest/gtest.h"
#include "planner/placement/lower_bound.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

constexpr int64_t kMuchWork = 20'000'000;

Placement AsPlacement(const LargeScalePlacement& placed, int64_t lower_bound_bytes) {
  Placement placement;
  placement.offset_bytes = placed.offset_bytes;
  placement.chunk.assign(placed.offset_bytes.size(), 0);
  placement.chunk_bytes = {placed.bytes};
  placement.total_bytes = placed.bytes;
  placement.lower_bound_bytes = lower_bound_bytes;
  placement.optimal = placed.bytes == lower_bound_bytes;
  return placement;
}

// Placed and held against all pairs.
LargeScalePlacement Checked(const PlacementProblem& problem, int64_t max_work = kMuchWork) {
  const int64_t bound = ComputeLowerBound(problem).bytes;
  std::optional<LargeScalePlacement> placed = PlaceLargeScale(problem, bound, max_work);
  EXPECT_TRUE(placed.has_value());
  if (!placed.has_value()) return {};
  EXPECT_EQ(FindFault(problem, AsPlacement(*placed, bound)), "");
  return *std::move(placed);
}

TEST(LargeScaleTest, RandomPlacementsAreValid) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 1000; ++round) {
    const RandomShape shape = {.max_storages = 40, .max_time = 30, .max_size = 90, .alignments = round % 2 == 1};
    const PlacementProblem problem = RandomProblem(random, shape);
    if (problem.pieces.empty()) continue;
    ASSERT_TRUE(CanPlaceLargeScale(problem));
    Checked(problem, 100'000);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(LargeScaleTest, RandomLivesWithAlignment) {
  for (const int64_t alignment : {1, 64, 4096}) {
    const LargeScalePlacement placed =
        Checked(RandomTensorLives({.num_storages = 1500, .seed = 9, .alignment_bytes = alignment}));
    EXPECT_GT(placed.bytes, 0);
  }
}

// A block of `bytes` over `time`, cut in two again and again, is a problem that the block's bytes are enough for.
std::vector<Interval> CutBlock(std::mt19937_64& random, int64_t time, int64_t bytes, size_t count) {
  std::vector<Interval> blocks = {{0, time, bytes}};
  while (blocks.size() < count) {
    const size_t i = random() % blocks.size();
    Interval& block = blocks[i];
    if (block.end - block.begin < 2 || block.size_bytes < 2) continue;
    Interval rest = block;
    if (random() % 2 == 0) {
      block.end = rest.begin =
          block.begin + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(block.end - block.begin - 1));
    } else {
      block.size_bytes = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(block.size_bytes - 1));
      rest.size_bytes -= block.size_bytes;
    }
    blocks.push_back(rest);
  }
  return blocks;
}

TEST(LargeScaleTest, CutBlocksStayNearTheBlock) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    const LargeScalePlacement placed = Checked(FromIntervals(CutBlock(random, 1000, 1 << 20, 300)), 2'000'000);
    EXPECT_GE(placed.bytes, 1 << 20);
    EXPECT_LE(placed.bytes, (1 << 20) + (1 << 18));
  }
}

// A thousand nest around the peak, as activations do that are kept for the way back; the others come and go beside it.
TEST(LargeScaleTest, OnePeakIsMet) {
  std::vector<Interval> intervals;
  for (int64_t i = 0; i < 1000; ++i) intervals.push_back({i, 2001 - i, 100 + i % 7});
  for (int64_t i = 0; i < 900; ++i) intervals.push_back({i, i + 2, 50});
  const PlacementProblem problem = FromIntervals(intervals);
  EXPECT_EQ(Checked(problem).bytes, ComputeLowerBound(problem).bytes);
}

TEST(LargeScaleTest, NeverWorseThanTheFirstOrderWhichAlwaysRuns) {
  const PlacementProblem problem = RandomTensorLives({.num_storages = 3000, .seed = 1});
  const LargeScalePlacement first = Checked(problem, 0);
  EXPECT_EQ(first.work, 0);
  LargeScalePlacement last;
  for (const int64_t work : {1, 1'000'000, 5'000'000, 20'000'000}) {
    last = Checked(problem, work);
    EXPECT_LE(last.bytes, first.bytes) << work;
  }
  EXPECT_LT(last.bytes, first.bytes);
  EXPECT_LE(static_cast<double>(last.bytes), 1.01 * static_cast<double>(ComputeLowerBound(problem).bytes));
}

TEST(LargeScaleTest, ATimeThatIsOverLeavesTheFirstOrder) {
  const Deadline past(std::chrono::steady_clock::time_point::min());
  for (const size_t num_storages : {3000, 70000}) {
    const PlacementProblem problem = RandomTensorLives({.num_storages = num_storages, .seed = 1});
    const int64_t bound = ComputeLowerBound(problem).bytes;
    const auto first = PlaceLargeScale(problem, bound, 0), cut = PlaceLargeScale(problem, bound, kMuchWork, past);
    ASSERT_TRUE(first.has_value() && cut.has_value());
    EXPECT_EQ(cut->offset_bytes, first->offset_bytes);
    EXPECT_EQ(cut->work, 0);
    EXPECT_FALSE(PlaceLargeScale(problem, bound, kMuchWork, past, past).has_value());
  }
}

TEST(LargeScaleTest, TwoRunsAreEqual) {
  const PlacementProblem problem = RandomTensorLives({.num_storages = 3000, .seed = 1});
  const int64_t bound = ComputeLowerBound(problem).bytes;
  const auto first = PlaceLargeScale(problem, bound, kMuchWork), second = PlaceLargeScale(problem, bound, kMuchWork);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->offset_bytes, second->offset_bytes);
  EXPECT_EQ(first->work, second->work);
}

// A sweep over time with the placed ranges in order of their offsets: valid iff neighbours never overlap.
bool ValidBySweep(const PlacementProblem& problem, const std::vector<int64_t>& offset_bytes) {
  std::vector<std::tuple<int64_t, int, int32_t>> events;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const Piece& piece = problem.pieces[problem.storages[s].first_piece];
    events.emplace_back(piece.begin, 1, static_cast<int32_t>(s));
    events.emplace_back(piece.end, 0, static_cast<int32_t>(s));
  }
  std::sort(events.begin(), events.end());
  std::vector<std::pair<int64_t, int64_t>> live;  // low, high; sorted
  for (const auto& [time, begins, s] : events) {
    const int64_t low = offset_bytes[static_cast<size_t>(s)];
    const std::pair<int64_t, int64_t> range = {low, low + problem.storages[static_cast<size_t>(s)].size_bytes};
    const auto at = std::lower_bound(live.begin(), live.end(), range);
    if (begins == 0) {
      live.erase(at);
      continue;
    }
    if (at != live.end() && at->first < range.second) return false;
    if (at != live.begin() && (at - 1)->second > range.first) return false;
    live.insert(at, range);
  }
  return true;
}

TEST(LargeScaleTest, HundredThousandByLoadsLivedThrough) {
  const PlacementProblem problem = RandomTensorLives({.num_storages = 100'000, .seed = 5});
  const int64_t bound = ComputeLowerBound(problem).bytes;
  const auto placed = PlaceLargeScale(problem, bound, 100'000'000);
  ASSERT_TRUE(placed.has_value());
  EXPECT_TRUE(ValidBySweep(problem, placed->offset_bytes));
  EXPECT_GE(placed->bytes, bound);
  EXPECT_LE(static_cast<double>(placed->bytes), 1.01 * static_cast<double>(bound));
  int64_t top = 0;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    top = std::max(top, placed->offset_bytes[s] + problem.storages[s].size_bytes);
  }
  EXPECT_EQ(placed->bytes, top);
}

TEST(LargeScaleTest, KnownProblemsMeetTheirLoad) {
  int met = 0;
  for (const DataFile& file : DataFiles()) {
    const std::string path = file.path;
    if (path.find("minimalloc") != std::string::npos) continue;
    const PlacementProblem problem = FromIntervals(ReadCsv(path));
    ASSERT_FALSE(problem.storages.empty()) << path;
    const auto placed = PlaceLargeScale(problem, file.load_bytes, 300'000'000);
    ASSERT_TRUE(placed.has_value());
    EXPECT_TRUE(ValidBySweep(problem, placed->offset_bytes)) << path;
    EXPECT_EQ(placed->bytes, file.load_bytes) << path;
    ++met;
  }
  EXPECT_EQ(met, 4);
}

TEST(LargeScaleTest, WhatItIsNotFor) {
  PlacementProblem problem = FromIntervals({{0, 2, 10}, {1, 4, 10}});
  EXPECT_TRUE(CanPlaceLargeScale(problem));
  problem.storages[1].pinned_offset_bytes = 0;
  EXPECT_FALSE(CanPlaceLargeScale(problem));
  problem = FromIntervals({{0, 2, 10}, {1, 4, 10}});
  problem.pieces[1].high = 8;
  EXPECT_FALSE(CanPlaceLargeScale(problem));
}

TEST(LargeScaleTest, TooManyAliveAtATime) {
  std::vector<Interval> intervals;
  for (int64_t i = 0; i < 9000; ++i) intervals.push_back({i, 9000 + i, 1});
  EXPECT_FALSE(PlaceLargeScale(FromIntervals(intervals), 9000, kMuchWork).has_value());
}

}  // namespace
}  // namespace bufplan
