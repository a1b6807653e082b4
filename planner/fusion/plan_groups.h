// One plan for a given set of fused groups, and what can be known of it for less.
//
// COST: that of the stages. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_FUSION_PLAN_GROUPS_H_
#define BUFPLAN_PLANNER_FUSION_PLAN_GROUPS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/assemble.h"
#include "planner/candidate.h"
#include "planner/options.h"
#include "planner/order/schedule.h"

namespace bufplan {

// What a plan was made of.
struct PlacedStorages {
  Schedule schedule;  // without edges that the plan adds
  Candidate candidate;
};

struct GroupPlan {
  Plan plan;
  std::vector<SpaceProblem> problems;      // what was placed, one per space
  int64_t bytes = 0;                       // all arenas together
  int64_t moved_bytes = 0;                 // by copies and carried bases
  std::shared_ptr<PlacedStorages> placed;  // where options.deadline may end the search, else null
};

// The whole way from sharing to the plan; `fused` must not overlap. Says which groups are fused, not why.
// ERRORS: those of MakePlan(), but for the checker.
// `edges_work`: what is left of the steps for the search for edges between streams; see ChooseWithReuseEdges().
absl::StatusOr<GroupPlan> PlanGroups(const Graph& graph, absl::Span<const FusionId> fused, const PlanOptions& options,
                                     int64_t& edges_work);

// Places the storages of a plan again, as `options` say. Says true, and makes it the plan of that, if it needs fewer
// bytes or is proven to need the fewest, which it was not before. What the plan says of groups stays as it is.
bool PlaceAgain(const Graph& graph, const PlanOptions& options, PlacedStorages& placed, Plan& plan);

// The bytes that are live at once when all wishes to share are tried, one entry per space, whatever its capacity.
// Nothing is placed. ERRORS: what makes every plan with these groups impossible, but for memory that does not suffice.
absl::StatusOr<std::vector<int64_t>> LoadOfGroups(const Graph& graph, absl::Span<const FusionId> fused,
                                                  const PlanOptions& options);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_PLAN_GROUPS_H_
