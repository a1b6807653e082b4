// Choice: which of the granted wishes to do without.
//
// Sharing grants what it can, and lets the wish that saves more bytes win where two are in each other's way. That moves
// few bytes, but may need more memory: a small slice that lies on a large dead value keeps that value's place occupied,
// a part that is written straight into its concat keeps the concat's. So the plan is made in several ways, and the best
// is taken:
//
//   fast     with all wishes; if anything was shared between the ends of a copy, also without such wishes; if that
//   needs
//            less memory, without those that take part in the peak
//   default  the latter again and again, for each new peak; also without destinations alone, without any wish at all,
//            and in the other taste; then wishes are taken back, in a small graph in every combination, in a larger one
//            one by one while that helps
//
// One way shares nothing, so no plan made at effort default needs more memory than that one would.
//
// Once options.deadline has passed, or would pass while storages are made in another way, the best so far is taken.
//
// TIES: the earlier way. COST: as many plans as there are ways; the number of combinations times ops is limited.
// THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_CHOICE_H_
#define BUFPLAN_PLANNER_CHOICE_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "planner/candidate.h"
#include "planner/options.h"
#include "planner/order/schedule.h"

namespace bufplan {

// ERRORS: those of the best way, if none can be placed.
absl::StatusOr<Candidate> ChooseCandidate(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                                          Capacities capacities = Capacities::kCount);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_CHOICE_H_
