// Plans an interval problem: offsets for buffers with given lifetimes.
//
//   Problem problem = {.buffers = {{.name = "a", .bytes = 64, .begin = 0, .end = 3}, {.name = "b", .bytes = 64, .begin
//   = 3, .end = 9}}}; absl::StatusOr<ProblemPlan> plan = PlanProblem(problem); plan->bytes == 64: b takes a's place.
#ifndef BUFPLAN_PLANNER_PLAN_PROBLEM_H_
#define BUFPLAN_PLANNER_PLAN_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/problem.h"
#include "planner/placement/infeasible_subset.h"
#include "planner/placement/placement.h"

namespace bufplan {

struct PlanProblemOptions {
  PlacementOptions placement;
  // Holds the plan against CheckProblemPlan() before it is returned.
  bool check = true;
};

// Validates the problem (ValidateProblem) and places its buffers. Buffers of zero bytes, or never live, conflict with
// nothing. A problem is searched longer than what is placed for a graph, above all where a capacity is missed: some
// tenths of a second at kDefault, at most a second or two; at kMax with a deadline and no work limit, until then or
// until the plan is proven to be the best. ERRORS: InvalidArgument for a bad problem or two pins that meet, by name.
// ResourceExhausted if the lower bound, or what an exhaustive search proves, exceeds the capacity: capacity, bound, the
// time of the peak, who is live there (the ten largest), the least bytes known to work, and, as far as that says more,
// a few buffers that alone do not fit (see FindInfeasibleBuffers; up to 20, or the ten largest). DeadlineExceeded if no
// placement within the capacity was found: capacity, best bytes, bound. Both carry a Shortfall
// (placement/shortfall.h). Internal if the checker objects. TIES: buffers count in order of (begin, end, bytes,
// alignment, name), so the order of the list has no influence on the offset of a name. COST: see Place(). THREADS: no
// shared state; see PlacementOptions::threads.
absl::StatusOr<ProblemPlan> PlanProblem(const Problem& problem, const PlanProblemOptions& options = {});

// Buffers that alone do not fit in the capacity.
struct InfeasibleBuffers {
  std::vector<size_t> buffers;  // indices, ascending; empty if nothing is proven, or without a capacity
  bool minimal = false;         // shown: without any one of them the others fit
  InfeasibilityProof proof = InfeasibilityProof::kNone;
};

// A small set of buffers that no placement has room for, in the problem's capacity, if that is proven within the work
// limit (steps, some ten nanoseconds each; 0: what the errors of PlanProblem() take). To shrink or move any other
// buffer does not help. ERRORS: InvalidArgument as PlanProblem(). How it is found:
// planner/placement/infeasible_subset.h.
absl::StatusOr<InfeasibleBuffers> FindInfeasibleBuffers(const Problem& problem, int64_t work_limit = 0);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLAN_PROBLEM_H_
