#include "benchmarks/baselines/baselines.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/baselines/gap_fit.h"
#include "benchmarks/baselines/overlaps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

struct Row {
  int64_t bytes, begin, end;
};

// Buffers a, b, c, ...
Problem Make(std::initializer_list<Row> rows, int64_t alignment = 1) {
  Problem problem;
  problem.alignment_bytes = alignment;
  for (const Row& r : rows) {
    Buffer& b = problem.buffers.emplace_back();
    b.name = std::string(1, static_cast<char>('a' + problem.buffers.size() - 1));
    b.bytes = r.bytes;
    b.begin = r.begin;
    b.end = r.end;
  }
  return problem;
}

using Place = absl::StatusOr<BaselinePlan> (*)(const Problem&, const BaselineLimits&);

BaselinePlan Solve(Place place, const Problem& problem, const BaselineLimits& limits = {}) {
  absl::StatusOr<BaselinePlan> plan = place(problem, limits);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *std::move(plan) : BaselinePlan{};
}

std::vector<int64_t> Offsets(Place place, const Problem& problem) { return Solve(place, problem).offset_bytes; }

bool Meet(const Buffer& a, const Buffer& b) {
  return TakesPart(a) && TakesPart(b) && a.begin < b.end && b.begin < a.end;
}

// All pairs. Empty if nothing is wrong.
std::string Fault(const Problem& problem, const BaselinePlan& plan, const BaselineLimits& limits) {
  const std::vector<Buffer>& buffers = problem.buffers;
  if (plan.offset_bytes.size() != buffers.size() || plan.chunk.size() != buffers.size()) return "wrong number";
  std::vector<int64_t> ends(plan.chunk_bytes.size(), 0), largest(ends);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const size_t c = static_cast<size_t>(plan.chunk[i]);
    if (c >= ends.size()) return "no such chunk";
    if (plan.offset_bytes[i] < 0 || plan.offset_bytes[i] % problem.alignment(buffers[i]) != 0) {
      return absl::StrCat(buffers[i].name, " is misaligned");
    }
    ends[c] = std::max(ends[c], plan.offset_bytes[i] + buffers[i].bytes);
    largest[c] = std::max(largest[c], buffers[i].bytes);
    for (size_t k = 0; k < i; ++k) {
      const bool apart = plan.chunk[i] != plan.chunk[k] ||
                         plan.offset_bytes[i] + buffers[i].bytes <= plan.offset_bytes[k] ||
                         plan.offset_bytes[k] + buffers[k].bytes <= plan.offset_bytes[i];
      if (Meet(buffers[i], buffers[k]) && !apart) return absl::StrCat(buffers[i].name, " meets ", buffers[k].name);
    }
  }
  int64_t total = 0, alignment = problem.alignment_bytes;
  for (const Buffer& b : buffers) alignment = std::max(alignment, problem.alignment(b));
  for (size_t c = 0; c < ends.size(); ++c) {
    if (ends[c] > plan.chunk_bytes[c]) return "a chunk ends before its buffers";
    if (ends[c] > std::max(limits.max_chunk_bytes.value_or(INT64_MAX), AlignUp(largest[c], alignment)))
      return "a chunk is too large";
    total += plan.chunk_bytes[c];
  }
  return total == plan.total_bytes ? "" : "the total is wrong";
}

Problem Random(std::mt19937_64& random) {
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  Problem problem;
  problem.alignment_bytes = int64_t{1} << below(4);
  const int64_t n = below(40), time = 1 + below(30), size = 1 + below(100);
  for (int64_t i = 0; i < n; ++i) {
    Buffer& b = problem.buffers.emplace_back();
    b.name = absl::StrCat("b", i);
    b.bytes = below(size);
    b.begin = below(time);
    b.end = b.begin + below(time);
    if (below(4) == 0) b.alignment_bytes = int64_t{1} << below(6);
  }
  return problem;
}

TEST(BaselinesTest, PlacementsOfRandomProblemsAreValid) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = Random(random);
    const int64_t load = CountOverlaps(problem).load;
    for (const Baseline& baseline : Baselines()) {
      const BaselinePlan plan = Solve(baseline.place, problem);
      EXPECT_EQ(Fault(problem, plan, {}), "") << baseline.name << ", round " << round;
      EXPECT_EQ(plan.chunk_bytes.size(), 1u) << baseline.name;
      EXPECT_GE(plan.total_bytes, load) << baseline.name;
    }
    const BaselineLimits limits = {.max_chunk_bytes = 1 + static_cast<int64_t>(random() % 200)};
    for (const Place place : {NaiveSum, GgmlFreeList}) {
      const absl::StatusOr<BaselinePlan> plan = place(problem, limits);
      ASSERT_TRUE(plan.ok());
      // The sixteenth chunk of ggml's takes all that is left, whatever the limit.
      if (plan->chunk_bytes.size() < 16) {
        EXPECT_EQ(Fault(problem, *plan, limits), "") << "round " << round;
      }
    }
  }
}

TEST(BaselinesTest, NothingAndBuffersThatTakeNoPart) {
  for (const Baseline& baseline : Baselines()) {
    EXPECT_EQ(Solve(baseline.place, Problem{}).total_bytes, 0) << baseline.name;
    const BaselinePlan plan = Solve(baseline.place, Make({{0, 0, 5}, {7, 0, 5}, {9, 3, 3}}));
    EXPECT_THAT(plan.offset_bytes, ElementsAre(0, 0, 0)) << baseline.name;
    EXPECT_EQ(plan.total_bytes, 9) << baseline.name;
  }
}

TEST(BaselinesTest, WhatASourceDoesNotKnowIsRefused) {
  Problem pinned = Make({{8, 0, 1}});
  pinned.buffers[0].offset_bytes = 16;
  const Problem plain = Make({{8, 0, 1}});
  for (const Baseline& baseline : Baselines()) {
    EXPECT_EQ(baseline.place(pinned, {}).status().code(), absl::StatusCode::kUnimplemented) << baseline.name;
    EXPECT_EQ(baseline.place(plain, {.max_chunk_bytes = 64}).ok(), baseline.knows_chunks) << baseline.name;
  }
}

TEST(BaselinesTest, TooManyStepsAreRefused) {
  const Problem problem = Make({{1, 0, 9}, {1, 0, 9}, {1, 0, 9}});  // three pairs
  for (const Place place : {FirstFitByStart, TfliteBySize, TfliteByBreadth, TflmGreedy, UsmpBySize, UsmpByConflicts,
                            XlaSpatial, XlaTemporal}) {
    EXPECT_TRUE(place(problem, {.max_steps = 4}).ok());  // half the square
    EXPECT_EQ(place(problem, {.max_steps = 3}).status().code(), absl::StatusCode::kResourceExhausted);
  }
  EXPECT_TRUE(UsmpHillClimb(problem, {.max_steps = 500 * StepsByLists(3)}).ok());
  EXPECT_FALSE(UsmpHillClimb(problem, {.max_steps = 500 * StepsByLists(3) - 1}).ok());
  EXPECT_TRUE(ExecutorchGreedy(problem, {.max_steps = 9}).ok());
  EXPECT_FALSE(ExecutorchGreedy(problem, {.max_steps = 8}).ok());
  EXPECT_TRUE(NaiveSum(problem, {.max_steps = 0}).ok());
  EXPECT_TRUE(GgmlFreeList(problem, {.max_steps = 0}).ok());
}

TEST(GapFitTest, ListsAndScanGiveTheSame) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const Problem problem = Random(random);
    const Overlaps overlaps(problem);
    for (const GapRule rule : {GapRule::kLowest, GapRule::kSmallest, GapRule::kSmallestOrAbove, GapRule::kOnTop}) {
      GapFit lists(problem, &overlaps), scan(problem, nullptr);
      for (int32_t b : Participants(problem)) EXPECT_EQ(lists.Place(b, rule), scan.Place(b, rule));
      EXPECT_EQ(lists.bytes(), scan.bytes());
    }
  }
}

TEST(OverlapsTest, CountsAndLists) {
  // b begins where a ends; d lasts no time.
  const Problem problem = Make({{5, 0, 3}, {7, 3, 6}, {2, 1, 9}, {9, 4, 4}});
  const OverlapCounts counts = CountOverlaps(problem);
  EXPECT_EQ(counts.pairs, 2);
  EXPECT_EQ(counts.max_live, 2);
  EXPECT_EQ(counts.load, 9);
  EXPECT_THAT(OverlapsByBuffer(problem), ElementsAre(1, 1, 2, 0));
  const Overlaps overlaps(problem);
  EXPECT_THAT(overlaps.Of(0), ElementsAre(2));
  EXPECT_THAT(overlaps.Of(1), ElementsAre(2));
  EXPECT_THAT(overlaps.Of(2), ElementsAre(0, 1));
  EXPECT_THAT(overlaps.Of(3), ElementsAre());
}

TEST(NaiveSumTest, OneBehindAnother) {
  const Problem problem = Make({{100, 0, 1}, {50, 5, 6}}, 64);
  EXPECT_THAT(Offsets(NaiveSum, problem), ElementsAre(0, 128));
  EXPECT_EQ(Solve(NaiveSum, problem).total_bytes, 178);
  const BaselinePlan chunks = Solve(NaiveSum, problem, {.max_chunk_bytes = 150});
  EXPECT_THAT(chunks.chunk, ElementsAre(0, 1));
  EXPECT_THAT(chunks.chunk_bytes, ElementsAre(100, 50));
}

TEST(FirstFitByStartTest, LowestGapFirst) {
  // c fits below b, where a was; d does not fit between c and b.
  EXPECT_THAT(Offsets(FirstFitByStart, Make({{10, 0, 2}, {10, 0, 4}, {5, 2, 6}, {10, 3, 6}})),
              ElementsAre(0, 10, 0, 20));
}

TEST(GgmlTest, BestFittingBlock) {
  // a and c leave 30 and 20 bytes: e takes the smaller block, f what is left.
  const Problem problem = Make({{30, 0, 2}, {10, 0, 9}, {20, 0, 2}, {10, 0, 9}, {20, 2, 9}, {5, 2, 9}});
  EXPECT_THAT(Offsets(GgmlFreeList, problem), ElementsAre(0, 30, 40, 60, 40, 0));
}

TEST(GgmlTest, SizesArePadded) {
  EXPECT_THAT(Offsets(GgmlFreeList, Make({{5, 0, 2}, {5, 0, 2}}, 32)), ElementsAre(0, 32));
  EXPECT_EQ(Solve(GgmlFreeList, Make({{5, 0, 2}, {5, 0, 2}}, 32)).total_bytes, 64);
}

TEST(GgmlTest, Chunks) {
  // b needs a chunk of its own, c fits behind a, d is larger than a chunk may be.
  const BaselinePlan plan =
      Solve(GgmlFreeList, Make({{40, 0, 2}, {40, 0, 2}, {24, 1, 2}, {100, 1, 2}}), {.max_chunk_bytes = 64});
  EXPECT_THAT(plan.chunk, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(plan.offset_bytes, ElementsAre(0, 0, 40, 0));
  EXPECT_THAT(plan.chunk_bytes, ElementsAre(64, 40, 100));
  EXPECT_EQ(plan.total_bytes, 204);
}

// e fits below b and between b and d; the latter is the tighter gap.
const std::initializer_list<Row> kTwoGaps = {{50, 0, 4}, {40, 0, 10}, {30, 0, 4}, {29, 0, 10}, {28, 5, 10}};

TEST(TfliteTest, BySizeTakesTheSmallestGap) {
  EXPECT_THAT(Offsets(TfliteBySize, Make(kTwoGaps)), ElementsAre(0, 50, 90, 120, 90));
}

TEST(TfliteTest, MicroTakesTheFirstGap) {
  EXPECT_THAT(Offsets(TflmGreedy, Make(kTwoGaps)), ElementsAre(0, 50, 90, 120, 0));
}

TEST(TfliteTest, ByBreadthBeginsWithTheBroadestOp) {
  // 100 bytes are alive at 0, 70 at 2. a is alive at both.
  const Problem problem = Make({{20, 0, 3}, {20, 0, 1}, {20, 0, 1}, {20, 0, 1}, {20, 0, 1}, {50, 2, 4}});
  EXPECT_THAT(Offsets(TfliteByBreadth, problem), ElementsAre(0, 20, 40, 60, 80, 20));
  EXPECT_THAT(Offsets(TfliteBySize, problem), ElementsAre(50, 0, 20, 70, 90, 0));
}

TEST(UsmpTest, OnTopOfAllConflicts) {
  // c could lie below b, but never does.
  EXPECT_THAT(Offsets(UsmpBySize, Make({{50, 0, 4}, {40, 0, 10}, {28, 5, 10}})), ElementsAre(0, 50, 90));
}

TEST(UsmpTest, MostConflictsFirst) {
  const Problem problem = Make({{10, 0, 10}, {100, 0, 2}, {100, 5, 7}});
  EXPECT_THAT(Offsets(UsmpByConflicts, problem), ElementsAre(0, 10, 10));
  EXPECT_THAT(Offsets(UsmpBySize, problem), ElementsAre(100, 0, 0));
}

TEST(UsmpTest, TiesGoToTheLastName) {
  EXPECT_THAT(Offsets(UsmpBySize, Make({{8, 0, 2}, {8, 0, 2}, {8, 0, 2}})), ElementsAre(16, 8, 0));
}

TEST(UsmpTest, HillClimbImproves) {
  std::mt19937_64 random(7);
  int better = 0;
  for (int round = 0; round < 20; ++round) {
    Problem problem;
    for (int64_t i = 0; i < 25; ++i) {
      Buffer& b = problem.buffers.emplace_back();
      b.name = absl::StrCat("b", i);
      b.bytes = 25 * (1 + static_cast<int64_t>(random() % 40)) + i;  // no two alike
      b.begin = static_cast<int64_t>(random() % 40);
      b.end = b.begin + 1 + static_cast<int64_t>(random() % 15);
    }
    const int64_t first = Solve(TflmGreedy, problem).total_bytes;  // where it starts: first fit, largest first
    const BaselinePlan climbed = Solve(UsmpHillClimb, problem);
    EXPECT_EQ(Fault(problem, climbed, {}), "");
    EXPECT_LE(climbed.total_bytes, first);
    better += climbed.total_bytes < first ? 1 : 0;
  }
  EXPECT_GT(better, 5);
}

TEST(XlaTest, TheRoomAboveCountsAsAGap) {
  // Over b, c and d the heap of 245 bytes, which a made, has 5 left; the gap where c was has 80.
  const Problem problem = Make({{245, 0, 1}, {90, 2, 9}, {80, 2, 3}, {70, 2, 9}, {4, 3, 9}});
  EXPECT_THAT(Offsets(XlaSpatial, problem), ElementsAre(0, 0, 90, 170, 240));
  EXPECT_THAT(Offsets(TfliteBySize, problem), ElementsAre(0, 0, 90, 170, 90));
}

TEST(XlaTest, TemporalPutsLongOnesFirst) {
  const Problem problem = Make({{10, 0, 10}, {100, 0, 2}});
  EXPECT_THAT(Offsets(XlaTemporal, problem), ElementsAre(0, 10));
  EXPECT_THAT(Offsets(XlaSpatial, problem), ElementsAre(100, 0));
}

TEST(ExecutorchTest, SharedObjectsOfTheClosestSize) {
  // c takes b's object, which is closer to its size; d takes a's, which grows from 10 to 100.
  const BaselinePlan plan = Solve(ExecutorchGreedy, Make({{10, 0, 1}, {30, 0, 1}, {25, 1, 2}, {100, 1, 3}}));
  EXPECT_THAT(plan.offset_bytes, ElementsAre(0, 100, 100, 0));
  EXPECT_EQ(plan.total_bytes, 130);
}

}  // namespace
}  // namespace bufplan
