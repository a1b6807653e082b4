// Placement of thousands to tens of millions of storages: first fit in an order that cares for the peaks of the load,
// then repairs where it ended too high.
//
//   load ^        target
//        | - - - - _ - - - - - - - _ - - -     only near the peaks is it hard to stay below the target
//        |    _   | |_    _      _| |
//        | __| |__|   |__| |____|   |__
//        +-----------------------------> time
//
// 1. Up to some ten thousand storages: first fit from the highest peak outward, in several orders (peak_first.h). More:
//    first fit by the highest load that a storage lives through, in steps of a few percent of the target, then by
//    stretches of time, so that memory is walked through in order, then by size.
// 2. While something ends above the target: ejection chains (ejection.h) bring the top down, by half of what is above
//    the target while that succeeds, then by less.
//
// This divides in time where boxing (Buchsbaum et al. 2003, "OPT versus LOAD in dynamic storage allocation"; idealloc)
// divides by size. All of it is first fit in flat lists; see time_buckets.h for why that is fast.
#ifndef BUFPLAN_PLANNER_PLACEMENT_LARGE_SCALE_H_
#define BUFPLAN_PLANNER_PLACEMENT_LARGE_SCALE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

struct LargeScalePlacement {
  std::vector<int64_t> offset_bytes;  // by storage; all in one chunk
  int64_t bytes = 0;
  int64_t work = 0;  // elementary steps beyond the first order
};

// True if every storage has at most one piece, which is all of its bytes, and there is no order, no pin, no disjoint
// pair. An absent result of PlaceLargeScale() says that, on top, too many storages are alive at a time.
bool CanPlaceLargeScale(const PlacementProblem& problem);

// Stops as soon as `target_bytes` > 0, a lower bound, is met, or after `max_work` steps beyond the first order (what
// was begun then, up to eight passes of first fit or the last chain, is finished or taken back), when the
// deadline passes, or when chains bring nothing. With a deadline and a max_work that nothing reaches chains are given
// more steps and more instead. Never worse than the first order, which always runs unless `first_deadline` passes: then
// the result is absent. Expects CanPlaceLargeScale() and sums that fit 64 bits
// (see Place()). TIES: the storage that begins earlier, then the lower index. COST: O(n log n) for sorts, which are
// about linear for dense times, and for first fit O(n * k) short steps for k storages alive at a time on average: about
// a microsecond per storage at k = 100. About 150 bytes of memory per storage. THREADS: no shared state.
std::optional<LargeScalePlacement> PlaceLargeScale(const PlacementProblem& problem, int64_t target_bytes,
                                                   int64_t max_work, Deadline deadline = {},
                                                   Deadline first_deadline = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_LARGE_SCALE_H_
