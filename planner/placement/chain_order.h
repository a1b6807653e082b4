// A partial order of lives: which pieces are over before others begin, when several chains of a program run at once.
//
// A piece begins on one chain, at its time `Piece::begin`. From some time on it is over for a chain: whatever begins
// there then, or later, comes after all of the piece. Two pieces may share bytes iff one is over before the other
// begins:
//
//   a before b   iff   b.begin >= over(a, chain of b)
//
//   chain 0   a───────────┐        a is over for chain 0 as soon as its last user there is done,
//   chain 1        └ u ───┴─▶ b    for chain 1 only after u, its user there
//
// Times are places in one list in which all chains run, each in its order: Piece [begin, end) is the life when
// everything runs in list order. What is before in the partial order is so in the list: on every chain c, what begins
// at over(a, c) or later begins at a.end or later. The relation is transitive: if a is before b, then over(a, c) <=
// over(b, c) for every chain c. So it is an order, and two pieces meet in time iff neither is before the other; those
// that meet in list order always do.
//
// COST: space O(pieces * chains), a comparison O(1). THREADS: value type.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_ORDER_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bufplan {

struct ChainOrder {
  static constexpr int32_t kNever = INT32_MAX;

  int32_t num_chains = 0;
  std::vector<int32_t> chain;  // by piece: where it begins
  std::vector<int32_t> over;   // by piece, num_chains entries each: by chain, the time from which on it is over

  int32_t Over(size_t piece, int32_t on_chain) const {
    return over[piece * static_cast<size_t>(num_chains) + static_cast<size_t>(on_chain)];
  }
  // A piece more, which begins on `on_chain` and is over at once. Returns its index.
  size_t AddPiece(int32_t on_chain) {
    chain.push_back(on_chain);
    over.resize(over.size() + static_cast<size_t>(num_chains), 0);
    return chain.size() - 1;
  }
  // The pieces [first, end) of another order of the same chains.
  void AddPiecesOf(const ChainOrder& other, size_t first, size_t end) {
    const size_t k = static_cast<size_t>(num_chains);
    const auto copy = [](std::vector<int32_t>& to, const std::vector<int32_t>& from, size_t begin, size_t stop) {
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                from.begin() + static_cast<std::ptrdiff_t>(stop));
    };
    copy(chain, other.chain, first, end);
    copy(over, other.over, first * k, end * k);
  }
  // Whether piece `a` is over before `b` begins, at the time `begin_of_b`.
  bool Before(size_t a, size_t b, int64_t begin_of_b) const { return begin_of_b >= Over(a, chain[b]); }
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_ORDER_H_
