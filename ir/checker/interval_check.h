// The checker of interval problems.
#ifndef BUFPLAN_IR_CHECKER_INTERVAL_CHECK_H_
#define BUFPLAN_IR_CHECKER_INTERVAL_CHECK_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/checker/violation.h"
#include "ir/problem.h"

namespace bufplan::checker {

// All violations, up to max_violations. ERRORS: InvalidArgument if there are not as many offsets as buffers.
// Method: a sweep over time with the buffers alive ordered by offset. COST: O((n + gaps) log n).
absl::StatusOr<std::vector<Violation>> CheckIntervals(const Problem& problem, const ProblemPlan& plan,
                                                      int max_violations);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_INTERVAL_CHECK_H_
