// One pass over time: each storage takes the best fitting free bytes when it is first live, and gives bytes back when
// none of its pieces will need them again.
//
//   bytes ^
//         |  ####            the tail of the storage # is free for others from t1 on
//         |  ####+++
//         |  #######
//         +-----t1---> time
//
// Within a storage bytes that only a later piece needs are held from the start. Offsets are multiples of the storages'
// alignments. This is what run-time allocators do ahead of time (ggml's graph allocator keeps such a list), with known
// ends in place of reference counts and with ends that may differ by byte. TIES: storages that begin together go in
// index order; among free ranges the smallest that fits, then the lowest. COST: O(n log n) for n storages and pieces;
// about linear for times that are ascending or dense and few free ranges. No allocation per storage. THREADS: no shared
// state.
#ifndef BUFPLAN_PLANNER_PLACEMENT_SWEEP_H_
#define BUFPLAN_PLANNER_PLACEMENT_SWEEP_H_

#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// True if a sweep can place the problem: no pins and no disjoint pairs.
bool CanSweep(const PlacementProblem& problem);

// Writes the offsets, all in one chunk without limit, and returns the end of the last byte. Expects CanSweep(),
// and lives that are intervals.
int64_t SweepBestFit(const PlacementProblem& problem, std::vector<int64_t>& offset_bytes);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_SWEEP_H_
