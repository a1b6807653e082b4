// The planner: from a graph to a checked plan.
//
//   graph -> groups -> sharing -> liveness -> placement -> plan -> checker
//
//   absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = Effort::kFast});
//   plan->location(y).offset_bytes;
//
// Each stage is a function from data to data in a folder of its own; this file joins them.
//
// ERRORS: InvalidArgument: demands that no placement can meet, or options out of range; names the values and ops.
// FailedPrecondition: an op with elide "must" keeps its copy; says why. ResourceExhausted: proven not to fit (capacity,
// lower bound, peak op and who is live there). DeadlineExceeded: no fitting plan was found; best peak and lower bound.
// Both carry a Shortfall (placement/shortfall.h).
// Internal: the plan failed the checker, with what it found. COST: near linear in ops + uses; placement as its effort
// says; with optional fusion groups several times that (see fusion/choose_groups.h). With a time limit, until that is
// over: what takes long looks at the clock every few milliseconds, and for checking the plan some time is left.
// THREADS: no shared state; any number of calls on one graph.
#ifndef BUFPLAN_PLANNER_MAKE_PLAN_H_
#define BUFPLAN_PLANNER_MAKE_PLAN_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/options.h"

namespace bufplan {

absl::StatusOr<Plan> MakePlan(const Graph& graph, const PlanOptions& options = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_MAKE_PLAN_H_
