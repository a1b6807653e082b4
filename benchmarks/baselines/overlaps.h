// Which buffers are alive at once, as one flat array of lists.
//
// The sources keep interval trees, conflict sets per buffer or scan all that is placed; what they find there is the
// same, so that the baselines share this.
#ifndef BUFPLAN_BENCHMARKS_BASELINES_OVERLAPS_H_
#define BUFPLAN_BENCHMARKS_BASELINES_OVERLAPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/problem.h"

namespace bufplan {

// Of the buffers that take part, gaps not counted.
struct OverlapCounts {
  int64_t pairs = 0;     // that are alive at once
  int64_t max_live = 0;  // at one time
  int64_t load = 0;      // bytes at one time
};

// COST: O(n log n).
OverlapCounts CountOverlaps(const Problem& problem);

// With how many others each buffer is alive at once. COST: O(n log n).
std::vector<int64_t> OverlapsByBuffer(const Problem& problem);

class Overlaps {
 public:
  // COST: O(n log n + pairs), 16 bytes a pair.
  explicit Overlaps(const Problem& problem);

  // The buffers alive together with this one, in order of begin as far as they come after it.
  absl::Span<const int32_t> Of(int32_t buffer) const {
    const size_t b = static_cast<size_t>(buffer);
    return {neighbours_.data() + first_[b], first_[b + 1] - first_[b]};
  }

 private:
  std::vector<size_t> first_;  // by buffer, and one more
  std::vector<int32_t> neighbours_;
};

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_BASELINES_OVERLAPS_H_
