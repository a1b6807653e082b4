// Random graphs over everything a graph can say: all op kinds, roles, regions, streams, constraints, symbols, fusions.
//
// Build() accepts every graph, and every graph can be planned: nothing reads a variable's old content, or a view of it,
// listed after the commit to it; limits are wide enough; pins do not meet; groups are legal and span no commit; a
// keep-alive ends where its value's bytes may still be there. `elide: "must"` does not occur.
//
// Sizes are tens of bytes, so that the oracle can execute thousands of graphs.
//
// Same options and seed, same graph, on every machine. ERRORS: what Build() says, which is then a fault of the
// generator or of Build(). COST: O(ops^2 / 64) in the worst case. THREADS: no shared state.
//
// Example:
//   absl::StatusOr<Graph> graph = RandomGraph(RandomGraphOptions::Streams(), 17);
#ifndef BUFPLAN_TESTS_ORACLE_RANDOM_GRAPH_H_
#define BUFPLAN_TESTS_ORACLE_RANDOM_GRAPH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "tests/oracle/random_graph_options.h"

namespace bufplan {

absl::StatusOr<Graph> RandomGraph(const RandomGraphOptions& options, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_RANDOM_GRAPH_H_
