// The interval problem: buffers with lifetimes, without a graph. Offsets are the only unknown.
//
//   offset
//     ^   +-----+
//     |   |  b  |        buffer b: bytes high, alive in [begin, end), not in its gaps
//     |   +-----+--+
//     |   |   a    |
//     +---+--------+---> time
#ifndef BUFPLAN_IR_PROBLEM_H_
#define BUFPLAN_IR_PROBLEM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace bufplan {

struct TimeRange {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

struct Buffer {
  std::string name;
  int64_t bytes = 0;
  int64_t begin = 0;  // half-open lifetime [begin, end)
  int64_t end = 0;
  std::optional<int64_t> alignment_bytes;  // else the problem's
  std::optional<int64_t> offset_bytes;     // pinned
  std::optional<int64_t> hint_bytes;       // carried along, no meaning here
  std::vector<TimeRange> gaps;             // inside the lifetime, ascending, disjoint: bytes are free there
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Problem {
  std::string name;
  std::vector<Buffer> buffers;
  int64_t alignment_bytes = 1;
  std::optional<int64_t> capacity_bytes;

  int64_t alignment(const Buffer& b) const { return b.alignment_bytes.value_or(alignment_bytes); }
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Offsets by buffer, and what is known about them.
struct ProblemPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;        // the largest offset + size
  int64_t lower_bound = 0;  // no placement needs less
  bool optimal = false;
  bool by_search = false;  // the lower bound is more than what is live at once
};

// What a problem must be before it is planned: names unique and 1..1024 bytes, sizes and offsets >= 0, begin <= end,
// alignments powers of two, pins aligned, gaps ascending and inside the lifetime, and the sum of the aligned sizes and
// pins in 64 bits. ERRORS: InvalidArgument naming the buffer, the value and the bound; payload kWherePayload as in
// ir/graph_builder.h. COST: O(n log n).
absl::Status ValidateProblem(const Problem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_IR_PROBLEM_H_
