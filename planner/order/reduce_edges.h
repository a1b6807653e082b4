// Order edges without those that the others imply.
//
//   a ──▶ b ──▶ c       a -> c says nothing that a -> b, b -> c do not say
//
// COST: O(ops + edges) and one happens-before relation. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_ORDER_REDUCE_EDGES_H_
#define BUFPLAN_PLANNER_ORDER_REDUCE_EDGES_H_

#include <vector>

#include "ir/graph.h"
#include "planner/order/schedule.h"

namespace bufplan {

// `edges` beside those of the graph, which they do not make a cycle with. What stays keeps its order; of equal edges
// the first stays.
std::vector<OrderEdge> ReduceEdges(const Graph& graph, const Schedule& schedule, std::vector<OrderEdge> edges);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_ORDER_REDUCE_EDGES_H_
