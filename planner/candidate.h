// A candidate for a plan: one way to share, carried through liveness and placement.
//
// COST: that of the stages. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_CANDIDATE_H_
#define BUFPLAN_PLANNER_CANDIDATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/assemble.h"
#include "planner/liveness/live_ranges.h"
#include "planner/liveness/uses.h"
#include "planner/options.h"
#include "planner/order/schedule.h"
#include "planner/placement/placement.h"
#include "planner/sharing/sharing.h"

namespace bufplan {

struct Candidate {
  explicit Candidate(SharedStorages shared)
      : uses(std::move(shared.uses)), sharing(std::move(shared.sharing)), moved_bytes(shared.moved_bytes) {}

  Uses uses;
  Sharing sharing;
  int64_t moved_bytes = 0;  // by copies and carried bases
  // Order edges beside those that the sharing demands, and the schedule with all of them; null: there are none.
  std::vector<AddedEdge> bought;
  std::shared_ptr<const Schedule> ordered;
  // From here on once it is placed.
  LiveRanges live;
  std::vector<SpaceProblem> problems;  // one per space
  std::vector<Placement> placements;   // of them
  int64_t bytes = 0;                   // all arenas together
  bool optimal = true;                 // every one meets its bound

  // The schedule with the edges that the plan adds; `schedule` is the one without.
  const Schedule& OrderedBy(const Schedule& schedule) const { return ordered != nullptr ? *ordered : schedule; }
};

// kIgnore: as if there were no capacities, neither in the options nor in the graph.
enum class Capacities : uint8_t { kCount, kIgnore };

// Not placed yet. ERRORS: see ShareStorages().
absl::StatusOr<Candidate> ShareCandidate(const Graph& graph, const Schedule& schedule, const SharingPolicy& policy);

// Does not fit, or no placement that fits was found. Other failures have nothing to do with memory.
bool IsOutOfMemory(const absl::Status& status);

// By space, the smaller of the graph's own limit and, for the default space, that of the options; INT64_MAX: none.
std::vector<int64_t> CapacitiesOf(const Graph& graph, const PlanOptions& options);

PlacementOptions PlacementOptionsOf(const PlanOptions& options);

// When storages are live, and what is to be placed in each space: `live` and `problems`.
// ERRORS: InvalidArgument if `bought` makes a cycle.
absl::Status FindProblems(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                          Capacities capacities, Candidate& candidate);

// That, and offsets. ERRORS: Cancelled if the arenas need more than `hopeless_above` bytes by their lower bounds; what
// Place() gives, in the author's names.
absl::Status PlaceCandidate(const Graph& graph, const Schedule& schedule, const PlanOptions& options,
                            Capacities capacities, std::optional<int64_t> hopeless_above, Candidate& candidate);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_CANDIDATE_H_
