// The heaviest antichain of a partial order of lives, proven by a cover with chains: Dilworth's theorem with weights.
//
//   piece   a ── 5 ──▶ c ── 3 ──▶ d      Bytes are handed on from pieces to pieces that they are before. What nobody
//           b ── 2 ──▶ c                 hands to a piece is fresh. All fresh bytes together are the cover: no arena
//                                        needs more for the order alone, and no antichain weighs more, since any one
//                                        byte passes through at most one piece of an antichain.
//
// The least cover weighs what the heaviest antichain does (Dilworth 1950; by way of bipartite matching, Fulkerson 1956;
// Golumbic, Algorithmic Graph Theory and Perfect Graphs, 1980, chapter 5, by minimum flow). Here it is a bipartite flow
// from givers to takers. What a taker can be given by is a prefix of one list per chain, so no pair of the order is
// ever written down. Takers come in list order and take what has been free for the shortest time. Only where the cover
// gets heavier than the heaviest antichain known so far are hand-overs rerouted, by augmenting paths:
//
//   q lacks bytes; p is before q, but has handed all to r; s is before r and has bytes free: s ──▶ r, p ──▶ q.
//
// A search that finds no such path leaves a cut (chain_cut.h) at which just the fresh bytes are live: a heavier
// antichain, and a proof for all pieces so far. Nothing behind that cut can be gained any more, so no later search goes
// there. In the end the cover is no heavier than the antichain, so both are best. That is the departure from the books:
// the flow is improved only where the result depends on it, which in most problems is hardly anywhere.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_COVER_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_COVER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "planner/placement/chain_cut.h"
#include "planner/placement/chain_slots.h"

namespace bufplan {

struct WeighedCut {
  ChainCut cut;
  int64_t weight = 0;  // of what is live there
};

// Makes `best` a heaviest cut if it is not one yet. True if that is proven; false if `work` (list entries, hand-overs
// and steps of paths looked at; added to) passed the limit before, the deadline passed, or memory would not be linear:
// `best` is then the heaviest cut known. `best.weight` must be right. `weights`: by piece, not negative, their sum in
// 64 bits. Deterministic. COST: O(pieces * chains) time and space where handing on alone proves `best`; a search takes
// up to that time more. THREADS: no shared state.
bool ProveHeaviest(const ChainSlots& slots, absl::Span<const int64_t> weights, int64_t work_limit, WeighedCut& best,
                   int64_t& work, Deadline deadline = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_COVER_H_
