#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/problem.h"

namespace bufplan {
namespace {

Buffer Make(std::string name, int64_t bytes, int64_t begin, int64_t end) {
  Buffer b;
  b.name = std::move(name);
  b.bytes = bytes;
  b.begin = begin;
  b.end = end;
  return b;
}

std::string Text(const Problem& problem, const ProblemPlan& plan) {
  const absl::StatusOr<CheckReport> report = CheckProblemPlan(problem, plan);
  if (!report.ok()) return report.status().ToString();
  std::string text;
  for (const Violation& v : report->violations) absl::StrAppend(&text, ToString(v.kind), ": ", v.message, "\n");
  return text;
}

// a [0,3), b [3,9), c [0,9), d [9,21), e [0,21), 4 bytes each: 12 bytes are enough.
Problem FiveBuffers() {
  Problem p;
  p.buffers = {Make("a", 4, 0, 3), Make("b", 4, 3, 9), Make("c", 4, 0, 9), Make("d", 4, 9, 21), Make("e", 4, 0, 21)};
  return p;
}
const ProblemPlan kFive{{0, 0, 4, 0, 8}, 12, 12, true};

TEST(CheckProblemPlanTest, AcceptsAValidPlan) { EXPECT_EQ(Text(FiveBuffers(), kFive), ""); }

TEST(CheckProblemPlanTest, BuffersAliveAtOnceOverlap) {
  ProblemPlan plan = kFive;
  plan.offsets[3] = 5;
  EXPECT_EQ(Text(FiveBuffers(), plan),
            "disjoint: buffer \"e\" at [8,12) and buffer \"d\" at [5,9) overlap and are both alive at time 9\n");
}

TEST(CheckProblemPlanTest, GapsAreFree) {
  Problem p = FiveBuffers();
  p.buffers[4].gaps = {{0, 3}, {9, 20}};
  ProblemPlan plan = kFive;
  plan.offsets = {8, 0, 4, 0, 8};
  EXPECT_EQ(Text(p, plan), "");
  p.buffers[4].gaps = {{0, 2}};
  EXPECT_EQ(Text(p, plan),
            "disjoint: buffer \"a\" at [8,12) and buffer \"e\" at [8,12) overlap and are both alive at time 2\n");
}

TEST(CheckProblemPlanTest, EmptyBuffersAndLifetimesConflictWithNothing) {
  Problem p;
  p.buffers = {Make("a", 8, 0, 5), Make("zero", 0, 0, 5), Make("never", 8, 3, 3)};
  EXPECT_EQ(Text(p, {{0, 4, 0}, 8, 8, true}), "");
}

TEST(CheckProblemPlanTest, PlacesAndTotals) {
  Problem p = FiveBuffers();
  p.capacity_bytes = 12;
  p.buffers[0].alignment_bytes = 4;
  p.buffers[0].offset_bytes = 0;
  EXPECT_EQ(Text(p, kFive), "");
  ProblemPlan plan = kFive;
  plan.offsets[0] = 2;
  plan.offsets[2] = 12;
  plan.bytes = 16;
  EXPECT_EQ(Text(p, plan),
            "alignment: buffer \"a\": offset=2, must be a multiple of its alignment 4\n"
            "pin: buffer \"a\": offset=2, is pinned to 0\n"
            "capacity: the last buffer ends at 16, above capacity=12\n");
  plan = kFive;
  plan.bytes = 13;
  plan.lower_bound = 14;
  EXPECT_EQ(Text(p, plan),
            "stats: bytes=13, but the last buffer ends at 12\nstats: lower_bound=14 must be in 0..bytes=13\n");
  plan = kFive;
  plan.offsets[1] = -1;
  plan.offsets[2] = INT64_MAX;
  EXPECT_EQ(
      Text(p, plan),
      "out-of-bounds: buffer \"b\": offset=-1, must be >= 0 and, with its 4 bytes, below 2^63\n"
      "out-of-bounds: buffer \"c\": offset=9223372036854775807, must be >= 0 and, with its 4 bytes, below 2^63\n");
}

TEST(CheckProblemPlanTest, RefusesAPlanOfAnotherProblem) {
  ProblemPlan plan = kFive;
  plan.offsets.pop_back();
  EXPECT_EQ(CheckProblemPlan(FiveBuffers(), plan).status().code(), absl::StatusCode::kInvalidArgument);
}

bool Alive(const Buffer& b, int64_t time) {
  if (time < b.begin || time >= b.end) return false;
  for (const TimeRange& gap : b.gaps) {
    if (gap.begin <= time && time < gap.end) return false;
  }
  return true;
}

bool NaivelyValid(const Problem& p, const ProblemPlan& plan) {
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    for (size_t j = i + 1; j < p.buffers.size(); ++j) {
      const Buffer &a = p.buffers[i], &b = p.buffers[j];
      const bool apart = plan.offsets[i] + a.bytes <= plan.offsets[j] || plan.offsets[j] + b.bytes <= plan.offsets[i];
      if (apart || a.bytes == 0 || b.bytes == 0) continue;
      for (int64_t t = 0; t < 12; ++t) {
        if (Alive(a, t) && Alive(b, t)) return false;
      }
    }
  }
  return true;
}

TEST(CheckProblemPlanTest, AgreesWithTheDefinition) {
  int valid = 0, invalid = 0;
  for (uint32_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    Problem p;
    ProblemPlan plan;
    for (int64_t i = 2 + below(4); i > 0; --i) {
      Buffer b = Make(absl::StrCat("b", i), below(4), below(8), 0);
      b.end = b.begin + below(5);
      if (b.end > b.begin + 2 && below(2) == 0) b.gaps.push_back({b.begin + below(2), b.begin + 1 + below(2)});
      if (!b.gaps.empty() && b.gaps[0].begin >= b.gaps[0].end) b.gaps.clear();
      plan.offsets.push_back(below(8));
      plan.bytes = std::max(plan.bytes, plan.offsets.back() + b.bytes);
      p.buffers.push_back(b);
    }
    const bool expected = NaivelyValid(p, plan);
    ++(expected ? valid : invalid);
    ASSERT_EQ(Text(p, plan).empty(), expected) << "seed " << seed;
  }
  EXPECT_GT(valid, 500);
  EXPECT_GT(invalid, 500);
}

TEST(CheckProblemPlanTest, LargeProblems) {
  Problem p;
  ProblemPlan plan;
  for (int64_t i = 0; i < 100000; ++i) {
    p.buffers.push_back(Make(absl::StrCat("b", i), 8, i, i + 1000));
    plan.offsets.push_back(8 * (i % 1000));
  }
  plan.bytes = plan.lower_bound = 8000;
  EXPECT_EQ(Text(p, plan), "");
}

}  // namespace
}  // namespace bufplan
