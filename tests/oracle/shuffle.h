// The same graph told otherwise: what a planner answers must not depend on it.
#ifndef BUFPLAN_TESTS_ORACLE_SHUFFLE_H_
#define BUFPLAN_TESTS_ORACLE_SHUFFLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace bufplan {

struct ShuffleOptions {
  bool constraints = true;  // order edges, keep-alives, disjoint pairs and outputs in another order, some of them twice
  bool values = false;      // values declared in another order, all of them ahead of the ops: other ids, the same names
};

// The graph, said anew to a GraphBuilder. Names and the order of ops stay.
// ERRORS: what Build() says, which is a fault of this or of the builder. Deterministic for a given seed.
absl::StatusOr<Graph> Shuffle(const Graph& graph, const ShuffleOptions& options, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_SHUFFLE_H_
