// The checker: is this plan valid for this graph? It decides exactly what docs/design.md, section 2, demands, from the
// graph and the plan alone. It shares types with the planner and no code beyond them.
//
// How: for given symbol values every location and region is concrete. Ops (fused groups as one) are visited in a
// topological order of happens-before, which includes the plan's added edges. What each value must hold is a sequence
// of pieces of origins. Each memory is an ordered map of byte ranges that remembers what lies there (origin), who wrote
// it last, and who read it since. A read demands the prescribed origin and that the write happens before it; a write
// demands that the last write and all reads since happen before it. As writes to a byte then form a chain, that is all
// there is to check.
//
//   op "r7" reads value "past" bytes [0,8192) at device+4096: wants bytes [0,8192) of value "K",
//   finds bytes [0,8192) of value "K1", written by op "upd"
//
// ERRORS: InvalidArgument if the plan is not of the graph's shape (wrong number of values, unknown ids, an offset that
// depends on unknown symbols or has no value), or symbol values outside their box; ResourceExhausted, naming the op, if
// strided boxes have more runs than kMaxRuns and their spans alone do not show that the plan is valid. A wrong plan is
// no error: it has violations.
// COST: O((accesses + runs) log) per tuple of symbol values. THREADS: no shared state. LIFETIME: reports refer to
// nothing.
//
// Example:
//   absl::StatusOr<CheckReport> report = CheckPlan(graph, plan);
//   if (report.ok() && !report->ok()) std::cerr << report->violations[0].message;
#ifndef BUFPLAN_IR_CHECKER_H_
#define BUFPLAN_IR_CHECKER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/checker/violation.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

struct CheckOptions {
  // Values of all symbols: the check is exact. Absent: every corner of the box (up to 64) and 16 fixed samples inside.
  std::optional<std::vector<int64_t>> symbol_values = std::nullopt;
  int max_violations = 20;  // stop looking after so many; at least 1
};

struct CheckReport {
  // Of the first symbol values at which there are any.
  std::vector<Violation> violations;
  int64_t symbol_tuples = 1;  // how many tuples were checked
  bool exact = true;          // no symbols, or their values were given, or the box has no more tuples than were checked
  bool ok() const { return violations.empty(); }
};

// More runs of strided boxes than this, in all, are not spelled out.
inline constexpr int64_t kMaxRuns = int64_t{1} << 24;

absl::StatusOr<CheckReport> CheckPlan(const Graph& graph, const Plan& plan, const CheckOptions& options = {});

// The same question for an interval problem: buffers alive at once do not overlap, alignments, pins and capacity hold,
// bytes is right. The problem is valid (ValidateProblem). COST: O((n + gaps) log n).
absl::StatusOr<CheckReport> CheckProblemPlan(const Problem& problem, const ProblemPlan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_IR_CHECKER_H_
