// One plan for a given set of fused groups, and what can be known of it for less.
//
// COST: that of the stages. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_FUSION_PLAN_GROUPS_H_
#define BUFPLAN_PLANNER_FUSION_PLAN_GROUPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/assemble.h"
#include "planner/options.h"

namespace bufplan {

struct GroupPlan {
  Plan plan;
  std::vector<SpaceProblem> problems;  // what was placed, one per space
  int64_t bytes = 0;                   // all arenas together
  int64_t moved_bytes = 0;             // by copies and carried bases
};

// The whole way from sharing to the plan; `fused` must not overlap. Says which groups are fused, not why.
// ERRORS: those of MakePlan(), but for the checker.
// `edges_work`: what is left of the steps for the search for edges between streams; see ChooseWithReuseEdges().
absl::StatusOr<GroupPlan> PlanGroups(const Graph& graph, absl::Span<const FusionId> fused, const PlanOptions& options,
                                     int64_t& edges_work);

// The bytes that are live at once when all wishes to share are tried, one entry per space, whatever its capacity.
// Nothing is placed. ERRORS: what makes every plan with these groups impossible, but for memory that does not suffice.
absl::StatusOr<std::vector<int64_t>> LoadOfGroups(const Graph& graph, absl::Span<const FusionId> fused,
                                                  const PlanOptions& options);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_PLAN_GROUPS_H_
