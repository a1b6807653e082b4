#include "planner/reuse/reuse_edges.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "planner/choice.h"
#include "planner/reuse/edge_search.h"

namespace bufplan {
namespace {

bool IsShort(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status);
}

// The capacity of each space; INT64_MAX: none.
std::vector<int64_t> CapacitiesOf(const Graph& graph, const PlanOptions& options) {
  std::vector<int64_t> capacities;
  for (const Space& s : graph.spaces()) capacities.push_back(s.capacity_bytes.value_or(INT64_MAX));
  if (options.capacity_bytes.has_value()) capacities[0] = std::min(capacities[0], *options.capacity_bytes);
  return capacities;
}

}  // namespace

absl::StatusOr<Candidate> ChooseWithReuseEdges(const Graph& graph, const Schedule& schedule,
                                               const PlanOptions& options) {
  absl::StatusOr<Candidate> best = ChooseCandidate(graph, schedule, options);
  if (schedule.one_stream() || options.reuse_edges == ReuseEdges::kNever) return best;
  if (!best.ok()) {
    if (!IsShort(best.status())) return best;
    absl::StatusOr<Candidate> wide = ChooseCandidate(graph, schedule, options, Capacities::kIgnore);
    if (!wide.ok()) return best;
    const std::vector<int64_t> targets = CapacitiesOf(graph, options);
    EdgeSearch search(graph, schedule, options, *wide);
    if (!search.Reach(targets)) return best;
    search.Trim(targets);
    best = std::move(wide);
  }
  if (options.reuse_edges == ReuseEdges::kAllow && best->bytes > 0) {
    EdgeSearch search(graph, schedule, options, *best);
    search.Lower();
    search.Trim();
  }
  return best;
}

}  // namespace bufplan
