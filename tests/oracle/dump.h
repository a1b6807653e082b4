// Graphs and plans as text, for messages of failing tests.
#ifndef BUFPLAN_TESTS_ORACLE_DUMP_H_
#define BUFPLAN_TESTS_ORACLE_DUMP_H_

#include <string>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// One line per value, op and constraint.
std::string DumpGraph(const Graph& graph);
// One line per value, scratch, elided op, fusion and added edge.
std::string DumpPlan(const Graph& graph, const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_DUMP_H_
