#include "planner/fusion/plan_groups.h"

#include <utility>

#include "absl/status/status.h"
#include "planner/candidate.h"
#include "planner/order/schedule.h"
#include "planner/placement/lower_bound.h"
#include "planner/reuse/reuse_edges.h"

namespace bufplan {

absl::StatusOr<GroupPlan> PlanGroups(const Graph& graph, absl::Span<const FusionId> fused, const PlanOptions& options,
                                     int64_t& edges_work) {
  absl::StatusOr<Schedule> schedule = Schedule::Create(graph, fused);
  if (!schedule.ok()) return schedule.status();
  absl::StatusOr<Candidate> best = ChooseWithReuseEdges(graph, *schedule, options, edges_work);
  if (!best.ok()) return best.status();
  absl::StatusOr<Plan> plan = AssemblePlan(graph, best->OrderedBy(*schedule), best->uses, std::move(best->sharing),
                                           best->live, best->problems, best->placements, best->bought);
  if (!plan.ok()) return plan.status();
  return GroupPlan{*std::move(plan), std::move(best->problems), best->bytes, best->moved_bytes};
}

absl::StatusOr<std::vector<int64_t>> LoadOfGroups(const Graph& graph, absl::Span<const FusionId> fused,
                                                  const PlanOptions& options) {
  absl::StatusOr<Schedule> schedule = Schedule::Create(graph, fused);
  if (!schedule.ok()) return schedule.status();
  absl::StatusOr<Candidate> candidate = ShareCandidate(graph, *schedule, {});
  if (!candidate.ok()) return candidate.status();
  // No bytes at all would do, so this ends before anything is placed.
  const absl::Status status =
      PlaceCandidate(graph, *schedule, options, Capacities::kCount, /*hopeless_above=*/-1, *candidate);
  if (!absl::IsCancelled(status)) return status;
  std::vector<int64_t> load;
  for (const SpaceProblem& p : candidate->problems) load.push_back(ComputeLowerBound(p.problem).bytes);
  return load;
}

}  // namespace bufplan
