// Places buffers one after another among those placed before: what most greedy planners have in common. They differ in
// the order of the buffers and in which gap they take.
//
//   offset
//     ^  |   c   |          the buffers placed so far that are alive together with the new one leave gaps between
//     |  +-------+          them: [end of a, begin of b), [end of b, begin of c), and what is above c
//     |    gap 2
//     |  |   b   |
//     |    gap 1
//     |  |   a   |
#ifndef BUFPLAN_BENCHMARKS_BASELINES_GAP_FIT_H_
#define BUFPLAN_BENCHMARKS_BASELINES_GAP_FIT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "benchmarks/baselines/baseline.h"
#include "benchmarks/baselines/overlaps.h"
#include "ir/problem.h"

namespace bufplan {

// Ties between gaps go to the lower one. A buffer that fits into no gap goes on top of all it overlaps.
enum class GapRule : uint8_t {
  kLowest,           // the first gap that it fits into
  kSmallest,         // the smallest one between two buffers
  kSmallestOrAbove,  // the smallest one, where the room up to the end of the heap so far counts as one too
  kOnTop,            // none: always on top
};

// The buffers that a new one overlaps are looked up in lists made beforehand, or found by a scan of all that is placed:
// lists are better where few are alive at once. Keeps its arrays between calls.
class GapFit {
 public:
  // `overlaps`: null for the scan.
  GapFit(const Problem& problem, const Overlaps* overlaps);

  // Forgets all placements.
  void Clear();
  // COST: O(d log d) for d buffers in the list, O(p) for p buffers placed before.
  int64_t Place(int32_t buffer, GapRule rule);

  const std::vector<int64_t>& offsets() const { return offsets_; }  // -1: not placed
  int64_t bytes() const { return bytes_; }

 private:
  struct Placed {
    int64_t low, high, begin, end;
  };
  const Problem& problem_;
  const Overlaps* overlaps_;
  std::vector<int64_t> offsets_;
  // Ascending by low: all that is placed, or those of the list.
  std::vector<Placed> placed_;
  int64_t bytes_ = 0;
};

// All of `order`, which has each participant once, by one rule; by lists or scan, whatever takes less.
// ERRORS: ResourceExhausted if that is beyond limits.max_steps.
absl::StatusOr<BaselinePlan> FitInOrder(const Problem& problem, const BaselineLimits& limits,
                                        absl::Span<const int32_t> order, GapRule rule);

// Estimated steps to fit all buffers by lists, for so many pairs of buffers alive at once.
int64_t StepsByLists(int64_t pairs);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_BASELINES_GAP_FIT_H_
