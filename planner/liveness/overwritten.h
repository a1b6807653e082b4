// Which bytes of its base a result overwrites.
#ifndef BUFPLAN_PLANNER_LIVENESS_OVERWRITTEN_H_
#define BUFPLAN_PLANNER_LIVENESS_OVERWRITTEN_H_

#include "ir/graph.h"

namespace bufplan {

struct OverwrittenBytes {
  ByteRange span;      // none outside, for any symbol values; empty: none at all
  bool exact = false;  // and every one inside, for all symbol values
};

// Of the result of `write`, which belongs to `op` and has a base. COST: O(parts).
OverwrittenBytes Overwritten(const Graph& graph, OpId op, const Write& write);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_OVERWRITTEN_H_
