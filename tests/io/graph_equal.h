// Whether two graphs, or two plans of one graph, are the same in everything that their accessors tell. For tests.
#ifndef BUFPLAN_TESTS_IO_GRAPH_EQUAL_H_
#define BUFPLAN_TESTS_IO_GRAPH_EQUAL_H_

#include <string>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// The first difference in words; empty if there is none.
std::string GraphDifference(const Graph& a, const Graph& b);

// The same for plans of `graph`. Notes are compared by op, action, result and sentence, and a fingerprint only if both
// have one.
std::string PlanDifference(const Graph& graph, const Plan& a, const Plan& b);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IO_GRAPH_EQUAL_H_
