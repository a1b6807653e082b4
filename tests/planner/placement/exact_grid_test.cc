// The exact search against brute force on every problem of up to seven buffers over a small grid of times and sizes.
//
// Each multiset of buffers is one problem. All of them take minutes; BUFPLAN_GRID_STRIDE=1 asks for that, without it
// every so-many-th is tried.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/pieces.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

constexpr size_t kMostBuffers = 7;

struct AlignedInterval {
  int64_t begin = 0, end = 0, size_bytes = 0, alignment_bytes = 1;
};

struct Shape {
  int64_t size_bytes = 0, alignment_bytes = 1;
};

PlacementProblem FromAligned(absl::Span<const AlignedInterval> intervals) {
  std::vector<Interval> plain;
  for (const AlignedInterval& i : intervals) plain.push_back({i.begin, i.end, i.size_bytes});
  PlacementProblem problem = FromIntervals(plain);
  for (size_t i = 0; i < intervals.size(); ++i) problem.storages[i].alignment_bytes = intervals[i].alignment_bytes;
  return problem;
}

class Grid {
 public:
  Grid(int64_t num_times, const std::vector<Shape>& shapes) {
    for (int64_t begin = 0; begin < num_times; ++begin) {
      for (int64_t end = begin + 1; end <= num_times; ++end) {
        for (const Shape& s : shapes) kinds_.push_back({begin, end, s.size_bytes, s.alignment_bytes});
      }
    }
  }

  // Calls f(intervals) for every stride-th multiset of up to kMostBuffers.
  template <class F>
  void ForEach(int64_t stride, F f) {
    std::vector<AlignedInterval> intervals;
    int64_t count = 0;
    const auto extend = [&](auto& self, size_t from) -> void {
      for (size_t k = from; k < kinds_.size(); ++k) {
        intervals.push_back(kinds_[k]);
        if (count++ % stride == 0) f(intervals);
        if (intervals.size() < kMostBuffers) self(self, k);
        intervals.pop_back();
      }
    };
    extend(extend, 0);
  }

 private:
  std::vector<AlignedInterval> kinds_;
};

struct Counts {
  int64_t problems = 0, above_bound = 0, wrong = 0;
};

Counts Compare(Grid grid, int64_t stride) {
  Counts counts;
  grid.ForEach(stride, [&](absl::Span<const AlignedInterval> intervals) {
    const PlacementProblem problem = FromAligned(intervals);
    const int64_t load = ComputeLowerBound(problem).bytes;
    int64_t least = load;
    while (!HasRoom(problem, least)) ++least;
    // One above the other.
    std::vector<int64_t> stacked;
    int64_t top = 0;
    for (const AlignedInterval& i : intervals) {
      top = AlignUp(top, i.alignment_bytes);
      stacked.push_back(top);
      top += i.size_bytes;
    }
    const SearchLimits plenty = {.work = 100'000'000};
    const ExactPlacement best = MinimizePlacement(problem, stacked, plenty);
    bool right = best.bytes == least && best.lower_bound_bytes == least && FindFault(problem, best).empty();
    right = right && FindPlacement(problem, least, plenty).bytes == least;
    right = right && FindPlacement(problem, least - 1, plenty).offset_bytes.empty();
    ++counts.problems;
    counts.above_bound += least > load ? 1 : 0;
    counts.wrong += right ? 0 : 1;
  });
  return counts;
}

int64_t Stride(int64_t otherwise) {
  const char* stride = std::getenv("BUFPLAN_GRID_STRIDE");
  return stride == nullptr ? otherwise : std::max<int64_t>(std::atoll(stride), 1);
}

TEST(ExactGridTest, FourTimesThreeSizes) {
  const Counts counts = Compare(Grid(4, {{1}, {2}, {3}}), Stride(401));
  EXPECT_EQ(counts.wrong, 0);
  EXPECT_GT(counts.problems, 20'000);
}

TEST(ExactGridTest, ThreeTimesSizesAndAlignments) {
  const Counts counts = Compare(Grid(3, {{1, 1}, {2, 1}, {3, 2}, {1, 4}, {3, 4}}), Stride(401));
  EXPECT_EQ(counts.wrong, 0);
  EXPECT_GT(counts.problems, 20'000);
  EXPECT_GT(counts.above_bound, 0);
}

}  // namespace
}  // namespace bufplan
