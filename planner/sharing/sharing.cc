#include "planner/sharing/sharing.h"

#include <optional>
#include <utility>

#include "planner/sharing/contest.h"
#include "planner/sharing/decisions.h"
#include "planner/sharing/destinations.h"
#include "planner/sharing/moved_bytes.h"
#include "planner/sharing/sharer.h"

namespace bufplan {

absl::StatusOr<SharedStorages> ShareStorages(const Graph& graph, const Schedule& schedule,
                                             const SharingPolicy& policy) {
  Decisions decisions(graph, policy);
  Contest contest(graph.values().size());
  std::optional<SharedStorages> best;
  while (true) {
    Uses uses(graph, schedule, decisions.in_full());
    const Destinations destinations(graph, schedule, uses);
    Sharer sharer(graph, schedule, uses, destinations, policy.taste, decisions, contest);
    const absl::Status status = sharer.Run();
    if (!status.ok() && best.has_value()) return *std::move(best);
    if (!status.ok()) return status;
    // Wishes contest each other when all else has been decided: then it is known what they are worth.
    const bool sound = !decisions.changed();
    if (sound) {
      contest.Decide([&](ValueId v) { return sharer.GrantedTo(v); }, decisions);
    } else {
      contest.Forget();
    }
    const bool hurry = policy.deadline.Passed();
    const bool last = decisions.EndRound(hurry);
    if (sound) {
      Sharing sharing = sharer.Take();
      const int64_t moved = MovedByAll(graph, schedule, sharing).moved;
      if (!best.has_value() || moved < best->moved_bytes) {
        best = SharedStorages{std::move(uses), std::move(sharing), moved};
      }
    }
    if (best.has_value() && (last || hurry || decisions.settled())) return *std::move(best);
  }
}

}  // namespace bufplan
