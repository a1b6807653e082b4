#include "planner/sharing/sharing.h"

#include <utility>

#include "planner/sharing/decisions.h"
#include "planner/sharing/destinations.h"
#include "planner/sharing/sharer.h"

namespace bufplan {

absl::StatusOr<SharedStorages> ShareStorages(const Graph& graph, const Schedule& schedule,
                                             const SharingPolicy& policy) {
  Decisions decisions(graph, policy);
  while (true) {
    Uses uses(graph, schedule, decisions.in_full());
    const Destinations destinations(graph, schedule, uses);
    Sharer sharer(graph, schedule, uses, destinations, policy.taste, decisions);
    const absl::Status status = sharer.Run();
    if (!status.ok()) return status;
    if (!decisions.EndRound()) continue;
    Sharing sharing = sharer.Take();
    return SharedStorages{std::move(uses), std::move(sharing)};
  }
}

}  // namespace bufplan
