// The last stage: from storages and their offsets to the plan that callers read.
//
// COST: O(values + uses + pieces). THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_ASSEMBLE_H_
#define BUFPLAN_PLANNER_ASSEMBLE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/liveness/live_ranges.h"
#include "planner/order/schedule.h"
#include "planner/placement/placement.h"
#include "planner/sharing/storage.h"

namespace bufplan {

// What is placed in the arena of one space: storages, then the scratch of ops.
struct SpaceProblem {
  SpaceId space;
  PlacementProblem problem;
  std::vector<int32_t> storage;  // by item of the problem: the storage; the rest is scratch
  std::vector<OpId> scratch;     // by item - storage.size()
};

// `bought`: order edges beside those that the sharing demands.
// ERRORS: FailedPrecondition: an op with elide "must" moves bytes. InvalidArgument: an op with elide "never" would not,
// or an operand cannot lie at the multiple that its reader demands.
absl::StatusOr<Plan> AssemblePlan(const Graph& graph, const Schedule& schedule, const Uses& uses, Sharing sharing,
                                  const LiveRanges& live, absl::Span<const SpaceProblem> problems,
                                  absl::Span<const Placement> placements, absl::Span<const AddedEdge> bought = {});

// The load of a problem: the time at which most bytes are live, and how many.
struct Peak {
  int64_t time = 0;
  int64_t bytes = 0;
};
Peak FindPeak(const PlacementProblem& problem, int64_t axis_end);

// The op nearest to an axis time; absent if there are no ops.
std::optional<OpId> OpAtAxis(const Schedule& schedule, int64_t time);

// Values in the arena of `space` that are live at an axis time, largest first.
std::vector<ValueId> LiveAt(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing,
                            const LiveRanges& live, SpaceId space, int64_t time);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_ASSEMBLE_H_
