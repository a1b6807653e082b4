#include "io/explain/occupancy.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

int64_t At(const std::vector<OccupancyStep>& steps, int64_t time) {
  int64_t bytes = 0;
  for (const OccupancyStep& s : steps) {
    if (s.time <= time) bytes = s.bytes;
  }
  return bytes;
}

TEST(OccupancyTest, SharedBytesCountOnce) {
  const Sample s;
  const std::vector<OccupancyStep> steps = OccupancyOf(Layout(s.graph, s.plan), 0);
  // start: x; f: x, a; v: a (and v in it); h: a, b; g: a, b and c in place of b; then c.
  const int64_t expected[] = {100, 200, 100, 200, 200, 100, 100, 100, 0};
  for (int64_t t = 0; t < 9; ++t) EXPECT_EQ(At(steps, t), expected[t]) << t;
}

TEST(OccupancyTest, PeakIsTheFirstOrThePreferred) {
  const Sample s;
  const std::vector<OccupancyStep> steps = OccupancyOf(Layout(s.graph, s.plan), 0);
  EXPECT_EQ(PeakOf(steps)->time, 1);
  EXPECT_EQ(PeakOf(steps)->bytes, 200);
  EXPECT_EQ(PeakOf(steps, 4)->time, 4);
  EXPECT_EQ(PeakOf(steps, 2)->time, 1);  // not a peak
  EXPECT_FALSE(PeakOf({}).has_value());
}

TEST(OccupancyTest, NothingThere) {
  Sample s;
  for (Location& l : s.plan.locations) l = Location();
  EXPECT_TRUE(OccupancyOf(Layout(s.graph, s.plan), 0).empty());
}

// Against counting byte by byte, on random rectangles.
TEST(OccupancyTest, EqualsCounting) {
  uint64_t random = 7;
  const auto next = [&](int64_t n) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((random >> 33) % static_cast<uint64_t>(n));
  };
  for (int round = 0; round < 50; ++round) {
    Problem problem;
    ProblemPlan plan;
    for (int i = 0; i < 12; ++i) {
      Buffer b;
      b.name = std::string(1, static_cast<char>('a' + i));
      b.bytes = next(12);
      b.begin = next(15);
      b.end = b.begin + next(6);
      problem.buffers.push_back(b);
      plan.offsets.push_back(next(20));
    }
    const std::vector<OccupancyStep> steps = OccupancyOf(Layout(problem, plan), 0);
    for (int64_t t = 0; t < 25; ++t) {
      std::vector<bool> taken(64);
      for (size_t i = 0; i < problem.buffers.size(); ++i) {
        const Buffer& b = problem.buffers[i];
        if (t < b.begin || t >= b.end) continue;
        for (int64_t o = plan.offsets[i]; o < plan.offsets[i] + b.bytes; ++o) taken[static_cast<size_t>(o)] = true;
      }
      EXPECT_EQ(At(steps, t), std::count(taken.begin(), taken.end(), true)) << "round " << round << " time " << t;
    }
  }
}

}  // namespace
}  // namespace bufplan
