// How many bytes any placement needs where lives are ordered in part only: the heaviest pieces that pairwise meet.
//
//   chain 0   a ── 6 ──┐     c ── 4 ──      list order: a b, then c d; at most a + b = c + d = 9 live at one time.
//   chain 1     b ── 3 ──┐     d ── 5 ──    But nothing on chain 1 waits for the last user of a. A run in which chain 0
//                                           is slow needs a + d = 11.
//
// Pieces meet iff neither is before the other (chain_order.h), so sets of pieces that pairwise meet are the antichains
// of the order, and all bytes of an antichain lie apart from each other in every placement. How the heaviest is found
// and proven: chain_cover.h.
//
// Alignment is counted as in lower_bound.h: in granules of each alignment, one search for each, where these differ and
// sizes are not all their multiples. With chunks the plain sum alone holds.
//
// Storages of several pieces. Pieces of one storage need not lie apart, so bytes that two of them share count once. The
// search counts them twice, where neither is before the other; what is returned does not, and is `exact` only if that
// made no difference.
#ifndef BUFPLAN_PLANNER_PLACEMENT_ANTICHAIN_H_
#define BUFPLAN_PLANNER_PLACEMENT_ANTICHAIN_H_

#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

struct Antichain {
  int64_t bytes = 0;            // no placement is smaller
  std::vector<int32_t> pieces;  // that need them, ascending
  // Proven that no antichain weighs more: in bytes or, where granules count, in granules. Of equally heavy ones
  // `pieces` need not be the one with the shortest tail on top, so `bytes` may then miss less than one granule.
  bool exact = false;
  int64_t work = 0;
};

// The heaviest antichain if it is proven within the limit and before the deadline; else the heaviest found. Both weigh
// no less than what is live at the peak of list order, as far as no bytes are shared within a storage. Expects
// `problem.order`, and sums of aligned sizes in 64 bits (see Place()). Pins and disjoint pairs do not count.
// Deterministic: `work` is in list entries looked at. COST: at work_limit 0 O(pieces * chains), for sparse times with a
// factor of log(pieces); beyond that what the limit allows; both for each alignment. Space O(pieces * chains). THREADS:
// no shared state.
Antichain HeaviestAntichain(const PlacementProblem& problem, int64_t work_limit, Deadline deadline = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_ANTICHAIN_H_
