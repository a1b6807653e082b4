// Test support: the fewest order edges across streams with which the values of a small program fit, by trying all sets.
#ifndef BUFPLAN_TESTS_PLANNER_REUSE_FEWEST_EDGES_H_
#define BUFPLAN_TESTS_PLANNER_REUSE_FEWEST_EDGES_H_

#include <cstdint>
#include <vector>

#include "tests/planner/cases/small_orders.h"

namespace bufplan {

// By number of edges, 0 to max_edges: the least that the heaviest values of which no two may share bytes weigh, with
// any set of at most so many edges that makes no cycle. No placement with so many edges needs less. The program has no
// group, at most 31 ops and few values. COST: O(pairs of ops ^ max_edges * 2^values).
std::vector<int64_t> LeastBytesByEdges(const SmallOrder& order, int max_edges);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_REUSE_FEWEST_EDGES_H_
