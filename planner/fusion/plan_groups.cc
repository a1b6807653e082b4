#include "planner/fusion/plan_groups.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "planner/placement/lower_bound.h"
#include "planner/reuse/reuse_edges.h"

namespace bufplan {

absl::StatusOr<GroupPlan> PlanGroups(const Graph& graph, absl::Span<const FusionId> fused, const PlanOptions& options,
                                     int64_t& edges_work) {
  absl::StatusOr<Schedule> schedule = Schedule::Create(graph, fused);
  if (!schedule.ok()) return schedule.status();
  absl::StatusOr<Candidate> best = ChooseWithReuseEdges(graph, *schedule, options, edges_work);
  if (!best.ok()) return best.status();
  const bool keep = !options.deadline.never();
  absl::StatusOr<Plan> plan =
      AssemblePlan(graph, best->OrderedBy(*schedule), best->uses, keep ? best->sharing : std::move(best->sharing),
                   best->live, best->problems, best->placements, best->bought);
  if (!plan.ok()) return plan.status();
  GroupPlan result;
  result.plan = *std::move(plan);
  result.problems = keep ? best->problems : std::move(best->problems);
  result.bytes = best->bytes;
  result.moved_bytes = best->moved_bytes;
  if (keep) result.placed = std::make_shared<PlacedStorages>(PlacedStorages{*std::move(schedule), *std::move(best)});
  return result;
}

bool PlaceAgain(const Graph& graph, const PlanOptions& options, PlacedStorages& placed, Plan& plan) {
  Candidate& c = placed.candidate;
  auto left = std::count_if(c.placements.begin(), c.placements.end(), [](const Placement& p) { return !p.optimal; });
  bool better = false;
  for (size_t i = 0; i < c.placements.size(); ++i) {
    Placement& known = c.placements[i];
    if (known.optimal) continue;
    PlacementOptions again = PlacementOptionsOf(options);
    again.deadline = again.deadline.Part(static_cast<int>(left--));
    absl::StatusOr<Placement> placement = Place(c.problems[i].problem, again);
    if (!placement.ok()) continue;
    if (placement->lower_bound_bytes > known.lower_bound_bytes) {
      known.lower_bound_bytes = placement->lower_bound_bytes;
      known.bound = placement->bound;
    }
    better = better || placement->total_bytes < known.total_bytes || known.total_bytes == known.lower_bound_bytes;
    if (placement->total_bytes < known.total_bytes) {
      placement->lower_bound_bytes = known.lower_bound_bytes;
      placement->bound = known.bound;
      known = *std::move(placement);
    }
    known.optimal = known.total_bytes == known.lower_bound_bytes;
  }
  if (!better) return false;
  absl::StatusOr<Plan> again =
      AssemblePlan(graph, c.OrderedBy(placed.schedule), c.uses, c.sharing, c.live, c.problems, c.placements, c.bought);
  if (!again.ok()) return false;
  again->fused = std::move(plan.fused);
  plan = *std::move(again);
  return true;
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
