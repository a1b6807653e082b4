// Better orders for first fit by small changes: while the bound is not met, move what stands at the top earlier.
//
// Each step takes a storage whose end is the top of the placement and puts it, or something it stands on, ahead of a
// storage that it meets and that came before; the order is kept if first fit needs no more bytes than before. (TVM's
// static memory planner climbs hills in a like manner.) The generator of choices is seeded with a constant.
#ifndef BUFPLAN_PLANNER_PLACEMENT_LOCAL_SEARCH_H_
#define BUFPLAN_PLANNER_PLACEMENT_LOCAL_SEARCH_H_

#include <cstdint>
#include <vector>

#include "planner/placement/first_fit.h"
#include "planner/placement/orders.h"

namespace bufplan {

struct OrderedPlacement {
  std::vector<int32_t> order;        // of all storages
  std::vector<int64_t> line_offset;  // what first fit makes of it; see FirstFit
  int64_t bytes = 0;
};

// Improves `best` until it needs `target_bytes`, or first_fit.work() has reached `work_end`, or first_fit.TooLate(), or
// nothing is left to try.
// Never makes it worse. `best` must be first fit's result for its order. Returns how many places of orders were looked
// at besides first fit's work: at most a few for each step up to `work_end`, and one order more. COST: a first-fit pass
// per step. THREADS: no shared state besides `first_fit`.
int64_t ImproveOrder(const PlacementProblem& problem, const StorageTraits& traits, int64_t target_bytes,
                     int64_t work_end, FirstFit& first_fit, OrderedPlacement& best);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_LOCAL_SEARCH_H_
