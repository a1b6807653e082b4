// Cuts through the chains of a partial order, and what is live at them.
//
//   chain 0   a ── b ──┆─ d        a cut: on each chain, what has begun.
//   chain 1      c ──┆─── e        live at it: the pieces that have begun and are over for nothing that has
//
// Of two pieces live at a cut neither is before the other, which has begun: they meet, like all that is live at one
// moment of a run. And any pieces that pairwise meet are live at some cut, the one right behind the last of them on
// each chain: none of them is over for anything there. So the heaviest antichain is a choice of one number per chain.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_CUT_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_CUT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/chain_slots.h"
#include "planner/placement/placement.h"

namespace bufplan {

// By chain, the first slot that has not begun; the end of the chain's slots if all have.
using ChainCut = std::vector<int32_t>;

// The pieces live at the cut, ascending. COST: O(pieces * chains), less where few have begun.
std::vector<int32_t> LiveAt(const ChainSlots& slots, const ChainCut& cut);

// The cut at the time at which the most is live in list order; what is live at the cut is that, and maybe more.
// `weights`: by piece, not negative, their sum in 64 bits. TIES: the first such time. COST: O(n log n) for n pieces;
// the sorts are linear for dense times.
ChainCut ListPeak(const PlacementProblem& problem, const ChainSlots& slots, absl::Span<const int64_t> weights);

// Moves the cut on one chain after another to where the most is live, until no move on one chain alone gains, or
// `work` (pieces looked at) passes the limit, or the deadline passes; adds to `work`. Returns the weight of what is
// then live. TIES: a cut stays where it is, or goes to the first of the best. COST: O(pieces) a move.
int64_t ImproveCut(const ChainSlots& slots, absl::Span<const int64_t> weights, int64_t work_limit, ChainCut& cut,
                   int64_t& work, Deadline deadline = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_CUT_H_
