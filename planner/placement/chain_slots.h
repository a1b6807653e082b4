// The births of pieces, chain by chain: what algorithms over a ChainOrder walk along.
//
//   chain 0   a ── b ── d        slots 0 1 2: pieces a, b, d
//   chain 1      c ── e          slots 3 4:   pieces c, e
//
// Whatever a piece is before on a chain is there from one slot on: its entry to that chain. So a relation of up to n^2
// pairs is n * (chains) numbers, and p is before q iff Entry(p, chain of q) <= slot[q].
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_SLOTS_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

struct ChainSlots {
  int32_t num_chains = 0;
  std::vector<int32_t> births;  // all pieces in list order: by (begin, index)
  std::vector<int32_t> first;   // by chain, and the number of pieces behind them: the chain's slots are [first, next)
  std::vector<int32_t> piece;   // by slot, on each chain in list order
  std::vector<int32_t> slot;    // by piece
  std::vector<int32_t> entry;   // by piece, num_chains each: the first slot of the chain that the piece is before, or
                                // the end of the chain's slots

  int32_t Entry(size_t of_piece, size_t on_chain) const {
    return entry[of_piece * static_cast<size_t>(num_chains) + on_chain];
  }
};

// Expects `problem.order`. TIES: pieces of one time in index order. COST: O(pieces * chains) for dense times, else with
// a factor of log(pieces). THREADS: no shared state.
ChainSlots MakeChainSlots(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_SLOTS_H_
