// The checker: is this plan valid for this graph? It decides exactly what docs/design.md, section 2, demands, from the
// graph and the plan alone. It shares types with the planner and no code beyond them.
//
// How: for given symbol values every location and region is concrete. Ops (fused groups as one) are visited in a
// topological order of happens-before, which includes the plan's added edges. Each memory is an ordered map of byte
// ranges that remembers what lies there (origin), who wrote it last, and who read it since, per stream. A read demands
// the prescribed origin and that the write happens before it; a write demands that the last write and all reads since
// happen before it. As writes to a byte must form a chain, that is all there is to check.
//
// ERRORS: InvalidArgument if the plan is not of the graph's shape (wrong number of values, unknown ids, an offset that
// depends on unknown symbols), ResourceExhausted if strided boxes have more runs than kMaxRuns. A wrong plan is no
// error: it has violations. COST: O((accesses + runs) log) per tuple of symbol values. THREADS: no shared state.
#ifndef BUFPLAN_IR_CHECKER_H_
#define BUFPLAN_IR_CHECKER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

enum class ViolationKind : uint8_t {
  kWrongContent,        // rule 1: an op reads a byte that last got another origin (or none)
  kUnorderedRead,       // rule 1: the write is not ordered before the read
  kUnorderedOverwrite,  // rule 1: a write is ordered neither before the content's write nor after its read
  kUnorderedWrites,     // rule 5
  kOwnOperand,          // rule 2: an op's writes meet its own reads, undeclared
  kScratch,             // rule 2
  kOutputLost,          // rule 3
  kVariableLost,        // rule 3: variable or commit target
  kReadOnlyWritten,     // rule 4
  kNotLineage,          // a variable is written by something that is not committed to it
  kKeepAlive,           // rule 6
  kDisjoint,            // rule 6
  kPin,                 // rule 6
  kAlignment,           // rule 6
  kCapacity,            // rule 6
  kChunk,               // rule 6: straddles, or a chunk above max_allocation
  kOutOfBounds,         // a value leaves its arena chunk or its caller-owned storage
  kWrongMemory,  // a value in a space it may not be in; a start value that is not where it must be; a view not on its
                 // source
  kCycle,        // rule 7
  kElide,        // elide "never" not executed, "must" executed
  kMissing,      // a value or scratch without a location; swallowed though used
  kFusion,       // a required group left separate, overlapping groups fused, an illegal group
  kStats,        // arena bytes, bounds or statistics that contradict the plan itself
};

struct Violation {
  ViolationKind kind;
  std::string message;           // both parties, their ops and byte ranges, in the author's names
  std::vector<int64_t> symbols;  // the symbol values at which it happens; empty without symbols
};

struct CheckOptions {
  // Values of all symbols: the check is exact. Absent: every corner of the box (up to 64) and 16 fixed samples inside.
  std::optional<std::vector<int64_t>> symbol_values;
  int max_violations = 20;  // stop looking after so many
};

struct CheckReport {
  std::vector<Violation> violations;
  int64_t symbol_tuples = 1;  // how many tuples were checked
  bool exact = true;          // no symbols, or their values were given, or the box has no more tuples than were checked
  bool ok() const { return violations.empty(); }
};

absl::string_view ToString(ViolationKind kind);

// More runs of strided boxes than this, in all, are refused.
inline constexpr int64_t kMaxRuns = int64_t{1} << 24;

absl::StatusOr<CheckReport> CheckPlan(const Graph& graph, const Plan& plan, const CheckOptions& options = {});

// The same question for an interval problem: buffers alive at once do not overlap, alignments, pins and capacity hold,
// bytes is right. COST: O(n log n).
absl::StatusOr<CheckReport> CheckProblemPlan(const Problem& problem, const ProblemPlan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_IR_CHECKER_H_
