// What a result takes over from its base.
//
// COST: O(parts) and one bound. THREADS: pure functions.
#ifndef BUFPLAN_PLANNER_SHARING_CARRIED_BYTES_H_
#define BUFPLAN_PLANNER_SHARING_CARRIED_BYTES_H_

#include <cstdint>

#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan {

// At the symbol values where it is most; 0 if it has no bounds or is negative.
int64_t LargestBytes(const Graph& graph, const Expr& bytes);

// How many bytes move to the result of `write`, which belongs to `op` and has a base, if it lies apart from that base.
int64_t CarriedBytes(const Graph& graph, OpId op, const Write& write);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_CARRIED_BYTES_H_
