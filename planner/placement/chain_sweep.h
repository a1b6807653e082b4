// One pass over the list of lives that are ordered in part only (see chain_order.h): what the sweep of sweep.h is for
// intervals.
//
// All bytes have an owner: the piece that was laid there last. They are free for a storage that begins if their owner
// is over before, on the chain on which it begins; the same bytes may be free for one chain and not yet for another.
//
//   bytes      [0, 64)      [64, 256)     [256, 320)          b begins on chain 1 at 9: [0, 64) are free for it,
//   owner      a            (free)        c                   c may still be in use beside it, so that b lies at 0 if
//   over for   0: 7, 1: 9                 0: 4, 1: never      it fits into [0, 256)
//
// Each storage takes the smallest free range that it fits into. TIES: storages that begin together go in index order;
// of equal ranges the lowest. COST: O(n log n), and for each storage the ranges of the moment; given up if these are
// very many. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_SWEEP_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_SWEEP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// Writes the offsets, all in one chunk without limit, and returns the end of the last byte; nullopt if it was given up.
// Expects an order, no pins and no disjoint pairs.
std::optional<int64_t> ChainSweep(const PlacementProblem& problem, std::vector<int64_t>& offset_bytes);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_SWEEP_H_
