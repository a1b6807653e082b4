// An interval problem of a graph, for methods that know no graphs: the storages that a plan of it has.
//
// A result and an operand that the plan lets share bytes (in place, as base, view or part of it) are of one storage:
// its buffer is as high as all of them together and alive from the first op that touches one of them to the last. So
// the problem has what sharing saves, but neither bytes that die early nor an order that is not total.
#ifndef BUFPLAN_BENCHMARKS_SUITE_GRAPH_INTERVALS_H_
#define BUFPLAN_BENCHMARKS_SUITE_GRAPH_INTERVALS_H_

#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

// Of the default space, of a graph on one stream without symbols and fusion groups. Scratch counts. Buffers in order of
// begin, named after the value listed first. COST: O(uses).
Problem IntervalsOf(const Graph& graph, const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_GRAPH_INTERVALS_H_
