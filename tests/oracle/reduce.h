// A failing graph made small: what can be left out while it still fails is left out.
//
// Greedy: ops from the last to the first, then constraints, outputs, groups and values that nobody uses, again and
// again until nothing more can go.
//
// COST: O(things^2) calls of `fails` in the worst case.
#ifndef BUFPLAN_TESTS_ORACLE_REDUCE_H_
#define BUFPLAN_TESTS_ORACLE_REDUCE_H_

#include <functional>

#include "ir/graph.h"

namespace bufplan {

// Requires fails(graph). The result fails as well.
Graph Reduce(Graph graph, const std::function<bool(const Graph&)>& fails);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_REDUCE_H_
