// Whether a plan can be a plan of the graph at all: as many entries as it has values, spaces and fusions, and ids that
// exist.
#ifndef BUFPLAN_IR_CHECKER_SHAPE_H_
#define BUFPLAN_IR_CHECKER_SHAPE_H_

#include "absl/status/status.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::checker {

// ERRORS: InvalidArgument with the entry, its value and the bound. COST: O(plan).
absl::Status CheckShape(const Graph& graph, const Plan& plan);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_SHAPE_H_
