// The kinds of violations and what is reported of one.
#ifndef BUFPLAN_IR_CHECKER_VIOLATION_H_
#define BUFPLAN_IR_CHECKER_VIOLATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace bufplan {

enum class ViolationKind : uint8_t {
  kWrongContent,        // rule 1: an op reads a byte that last got another origin (or none)
  kUnorderedRead,       // rule 1: the write is not ordered before the read
  kUnorderedOverwrite,  // rule 1: a write is ordered neither before the content's write nor after its read
  kUnorderedWrites,     // rule 5; also two results of one op, or two inputs, in the same bytes
  kOwnOperand,          // rule 2: an op's writes meet its own reads, undeclared
  kScratch,             // rule 2: scratch meets what the op or a concurrent op touches, or anything live
  kOutputLost,          // rule 3: an output, or an input with `preserve`
  kVariableLost,        // rule 3: variable or commit target
  kReadOnlyWritten,     // rule 4
  kNotLineage,          // a variable is written by something that is not committed to it
  kKeepAlive,           // rule 6
  kDisjoint,            // rule 6; of an interval problem: buffers alive at once overlap
  kPin,                 // rule 6
  kAlignment,           // rule 6, and operands whose offset is no multiple of offset_multiple
  kCapacity,            // rule 6
  kChunk,               // rule 6: a chunk above max_allocation
  kOutOfBounds,         // a value leaves its arena chunk or its caller-owned storage
  kWrongMemory,  // a value in a space it may not be in; a start value not where it must be; a view not on its source
  kCycle,        // rule 7
  kElide,        // elide "never" not executed, "must" executed
  kMissing,      // a value or scratch without a location, or a read of a value that the plan gives no bytes
  kStrides,      // a strided value that may not be one, or whose runs are not its bytes
  kFusion,       // a required group left separate, overlapping groups fused, a location for a swallowed value
  kStats,        // arena bytes, bounds, actions or statistics that contradict the plan itself
};

absl::string_view ToString(ViolationKind kind);

struct Violation {
  ViolationKind kind = ViolationKind::kWrongContent;
  std::string message;           // both parties, their ops and byte ranges, in the author's names
  std::vector<int64_t> symbols;  // the symbol values at which it happens; empty without symbols
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_CHECKER_VIOLATION_H_
