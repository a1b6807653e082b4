// A pool of bytes for each chain: what begins on one shares bytes with nothing that begins on another.
//
//   bytes ^  chain 1's pool   [ c ][  d  ]
//         |  chain 0's pool   [   a   ][ b ]
//
// Within a pool lives are intervals: a piece lasts until it is over for its own chain. So each pool is swept (see
// sweep.h). Storages with pieces on several chains have a pool of their own, in which they last until they are over for
// all. Best where chains rarely wait for each other, where the one line of chain_sweep.h falls to pieces; worst where
// they take turns.
//
// COST: O(n log n). THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_POOLS_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_POOLS_H_

#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// Writes the offsets, all in one chunk without limit, and returns the end of the last byte. Expects an order, no pins
// and no disjoint pairs.
int64_t PlaceInChainPools(const PlacementProblem& problem, std::vector<int64_t>& offset_bytes);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_POOLS_H_
