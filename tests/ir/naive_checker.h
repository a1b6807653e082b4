// The definition of a valid plan, byte by byte and pair by pair: slow, and nothing of the checker is in it. For small
// graphs on any number of streams without symbols, pins and fusions.
#ifndef BUFPLAN_TESTS_IR_NAIVE_CHECKER_H_
#define BUFPLAN_TESTS_IR_NAIVE_CHECKER_H_

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// Whether no rule about bytes is broken: contents, order, own operands, scratch, keep-alive, outputs, variables,
// read-only storage, lineage. Places are taken as they are: strided values are such that may be, and what is nowhere
// may be nowhere but for who reads it. Fills in plan.stats what the locations make of it.
bool NaivelyValid(const Graph& graph, Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IR_NAIVE_CHECKER_H_
