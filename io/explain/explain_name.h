// The two halves of ExplainName(): a value and an op. See io/explain/explain.h. Ids must be of the graph.
#ifndef BUFPLAN_IO_EXPLAIN_EXPLAIN_NAME_H_
#define BUFPLAN_IO_EXPLAIN_EXPLAIN_NAME_H_

#include <cstddef>
#include <string>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

std::string ExplainValue(const Graph& graph, const Plan& plan, ValueId value, size_t width);
std::string ExplainOp(const Graph& graph, const Plan& plan, OpId op);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_EXPLAIN_NAME_H_
