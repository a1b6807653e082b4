// What a plan says about itself must follow from it: arenas, bounds, actions of ops, counts of copies.
#ifndef BUFPLAN_IR_CHECKER_CLAIMS_H_
#define BUFPLAN_IR_CHECKER_CLAIMS_H_

#include "ir/checker/layout.h"
#include "ir/checker/memories.h"
#include "ir/checker/replay.h"
#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::checker {

// Chunks, capacities, bounds and what is said to be optimal. COST: O(chunks).
void CheckArenas(const Graph& graph, const Plan& plan, Reporter& reporter);

// Without symbols: each chunk ends where the last thing in it does. A plan that fits a graph of smaller sizes speaks of
// the sizes that it was made for. COST: O(values + scratch).
void CheckChunkSizes(const Graph& graph, const Plan& plan, const Memories& memories, const Layout& layout,
                     Reporter& reporter);

// No op but data movements and views is called elided. Without symbols, what a note calls run moves bytes, and the
// counts are those of what executes (unless groups are fused, whose members move what nobody counts). COST: O(ops).
void CheckMovements(const Graph& graph, const Plan& plan, const Schedule& schedule, const Movements& movements,
                    Reporter& reporter);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_CLAIMS_H_
