// A set of bytes as a few ranges. What has more than kMaxRanges pieces is widened: the gap that costs least is filled.
//
// COST: O(kMaxRanges) per call. THREADS: value type.
#ifndef BUFPLAN_PLANNER_LIVENESS_RANGE_SET_H_
#define BUFPLAN_PLANNER_LIVENESS_RANGE_SET_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"

namespace bufplan {

class RangeSet {
 public:
  static constexpr size_t kMaxRanges = 8;

  bool empty() const { return ranges_.empty(); }
  // Ascending, apart from each other.
  absl::Span<const ByteRange> ranges() const { return ranges_; }
  void Add(ByteRange range);
  bool Meets(ByteRange range) const;
  // The part of it that lies in `window`, moved by `shift`.
  RangeSet Within(ByteRange window, int64_t shift) const;
  // Without the bytes of `hole`.
  RangeSet Without(ByteRange hole) const;

 private:
  std::vector<ByteRange> ranges_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_RANGE_SET_H_
