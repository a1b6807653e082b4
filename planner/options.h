// What a caller can ask of the planner.
#ifndef BUFPLAN_PLANNER_OPTIONS_H_
#define BUFPLAN_PLANNER_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "planner/placement/deadline.h"

namespace bufplan {

// kFast: one greedy pass per stage, for callers that plan at run time. kDefault: a portfolio under a work limit. kMax:
// until proven or out of budget.
enum class Effort : uint8_t { kFast, kDefault, kMax };

// What a plan should have least of. kMemory: bytes of the arenas, then bytes moved: a copy is kept where that needs
// less memory. kCopies: bytes moved, then bytes of the arenas.
enum class Objective : uint8_t { kMemory, kCopies };

// Sharing bytes across streams can be bought with an order edge that the plan adds: the one stream then waits for the
// other. kIfShort: the fewest edges that were found to reach the capacity, none if it is reached without. kAllow: those
// too that lower the peak. Edges that correctness demands are always added.
enum class ReuseEdges : uint8_t { kNever, kIfShort, kAllow };

struct PlanOptions {
  Effort effort = Effort::kDefault;
  Objective objective = Objective::kMemory;
  // Limit on all chunks of the default space together, beside the graph's own; the smaller one counts.
  std::optional<int64_t> capacity_bytes = {};
  ReuseEdges reuse_edges = ReuseEdges::kIfShort;
  // Elementary steps of placement; 0: the effort's own limit.
  int64_t work_limit = 0;
  // Wall time, > 0. When it is over the best plan so far is returned; what it takes to make and check a first one
  // always runs. At kMax with work_limit 0 no other limit holds: the search goes on until then, or until no placement
  // of the chosen storages is better. Two runs may differ.
  absl::Duration time_limit = absl::InfiniteDuration();
  // The moment at which that is over, for a time that began before the call; the earlier of the two counts.
  Deadline deadline = {};
  // Of searches for offsets, at most; no influence on the plan, unless time ends the search.
  int32_t threads = 1;
  // Run the checker on the plan before it is returned.
  bool check = true;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_OPTIONS_H_
