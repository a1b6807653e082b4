// How many bytes ops move under a sharing, at the largest symbol values.
//
// COST: O(parts). THREADS: pure functions.
#ifndef BUFPLAN_PLANNER_SHARING_MOVED_BYTES_H_
#define BUFPLAN_PLANNER_SHARING_MOVED_BYTES_H_

#include <cstdint>

#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/sharing/storage.h"

namespace bufplan {

struct MovedBytes {
  int64_t moved = 0;   // by parts that execute, and by bases that are carried
  int64_t spared = 0;  // what the same ops would have moved besides
  int64_t parts = 0;   // of data movements: by their parts, executed or not
};

// Of a data movement that is neither a view nor in a fused group.
MovedBytes MovedByMovement(const Graph& graph, const Sharing& sharing, OpId op);

// Of the base of a result, if it does not lie on it; of an op that is no such data movement.
MovedBytes MovedWithBase(const Graph& graph, const Schedule& schedule, const Sharing& sharing, OpId op,
                         const Write& write);

// Of all ops. COST: O(ops + uses).
MovedBytes MovedByAll(const Graph& graph, const Schedule& schedule, const Sharing& sharing);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_MOVED_BYTES_H_
