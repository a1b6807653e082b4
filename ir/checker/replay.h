// Executes a plan in thought, at given symbol values: every read must find what the graph prescribes, every write must
// destroy nothing that is still needed, and the end must hold what the graph promises (rules 1 to 6 of docs/design.md).
//
// COST: O((accesses + runs) log). LIFETIME: the arguments outlive the call.
#ifndef BUFPLAN_IR_CHECKER_REPLAY_H_
#define BUFPLAN_IR_CHECKER_REPLAY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/checker/gatherer.h"
#include "ir/checker/layout.h"
#include "ir/checker/memories.h"
#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::checker {

// What the lone ops of the plan move at the symbol values.
struct Movements {
  int64_t elided = 0;  // data movements (no views) of which nothing executes
  int64_t kept = 0;    // ops that move bytes: executed parts and carried bytes
  int64_t bytes = 0;
  std::vector<bool> executes;  // by op: a part or a carry does
};

// Strided boxes of more than max_exact runs are taken coarsely (ir/checker/gatherer.h) in a first attempt, which counts
// if it finds no fault. Requires a schedule that is not cyclic. ERRORS: those of Gatherer::Gather.
absl::StatusOr<Movements> Replay(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                 const Memories& memories, const Layout& layout,
                                 absl::Span<const int64_t> symbol_values, const Gatherer::Limits& limits,
                                 Reporter& reporter);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_REPLAY_H_
