// Exact sets of bytes, as ascending ranges apart from each other.
//
// COST: O(ranges) per operation. THREADS: value type.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_BYTE_SET_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_BYTE_SET_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"

namespace bufplan::runtime {

class ByteSet {
 public:
  ByteSet() = default;
  static ByteSet Of(ByteRange range);
  // Ranges in any order, which may overlap or be empty.
  static ByteSet OfAll(std::vector<ByteRange> ranges);

  bool empty() const { return ranges_.empty(); }
  absl::Span<const ByteRange> ranges() const { return ranges_; }
  // From the first byte to the last; empty for an empty set.
  ByteRange span() const {
    return ranges_.empty() ? ByteRange{} : ByteRange{ranges_.front().begin, ranges_.back().end};
  }
  int64_t size() const;
  bool Contains(ByteRange range) const;
  // The first range that ends behind `byte`, or ranges().size(). O(log ranges).
  size_t FirstEndingAfter(int64_t byte) const;

  ByteSet And(const ByteSet& other) const;
  ByteSet Or(const ByteSet& other) const;
  ByteSet Without(const ByteSet& other) const;
  ByteSet MovedBy(int64_t distance) const;

  friend bool operator==(const ByteSet&, const ByteSet&) = default;

 private:
  std::vector<ByteRange> ranges_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_BYTE_SET_H_
