// A graph said anew to a GraphBuilder, in part or in another order.
#ifndef BUFPLAN_TESTS_ORACLE_REBUILD_H_
#define BUFPLAN_TESTS_ORACLE_REBUILD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan {

// What to say, in the ids of the graph. Of a constraint that names a value or an op that is left out nothing is said;
// ops keep their order.
struct Recipe {
  std::vector<size_t> values;  // in the order in which they are declared, ahead of all ops
  std::vector<bool> keeps_op;  // by op
  std::vector<Expr> bytes;     // by value; where an op makes its result as long as its operands ask, that counts
  std::vector<Expr> scratch;   // by op
  bool keeps_names = true;     // else all but fusions and symbols are unnamed
  int32_t num_streams = 1;     // those of the graph, and perhaps more
  std::vector<StreamId> stream_of_op;
  std::vector<OrderEdge> order;
  std::vector<KeepAlive> keep_alive;
  std::vector<DisjointPair> disjoint;
  std::vector<Fusion> fusions;
  std::vector<ValueId> outputs;
};

// All of the graph.
Recipe WholeRecipe(const Graph& graph);

// ERRORS: what Build() says: an op without what it uses, for one. Of a whole recipe: a fault of this or of the builder.
absl::StatusOr<Graph> Rebuild(const Graph& graph, const Recipe& recipe);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_REBUILD_H_
