// A curve over integer times: add to a range of it, ask for its highest point.
//
// A segment tree of maxima with pending sums. COST: O(n) to make, O(log n) to add, O(1) to ask.
// THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_FUSION_RANGE_MAX_H_
#define BUFPLAN_PLANNER_FUSION_RANGE_MAX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace bufplan {

class RangeMax {
 public:
  // The curve at times 0 .. n - 1; n > 0.
  explicit RangeMax(absl::Span<const int64_t> values);

  // Adds to all times in [begin, end), cut to the curve.
  void Add(int64_t begin, int64_t end, int64_t delta);
  int64_t Max() const { return max_[1]; }

 private:
  void Add(size_t node, int64_t node_begin, int64_t node_end, int64_t begin, int64_t end, int64_t delta);

  int64_t leaves_ = 1;        // power of two
  std::vector<int64_t> max_;  // by node: of its times, with what was added to it and below, not above
  std::vector<int64_t> sum_;  // by node: added to all of its times
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_RANGE_MAX_H_
