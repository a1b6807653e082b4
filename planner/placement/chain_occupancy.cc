#include "planner/placement/chain_occupancy.h"

#include <algorithm>

#include "planner/placement/pieces.h"
#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

// Calls f(node) for the nodes that make up the places [first, end) of a tree over `places`.
template <class F>
void VisitRange(size_t places, size_t first, size_t end, F f) {
  for (size_t left = places + first, right = places + end; left < right; left >>= 1, right >>= 1) {
    if (left & 1) f(left++);
    if (right & 1) f(--right);
  }
}

// Calls f(node) for a place's own node and all above.
template <class F>
void VisitPath(size_t places, size_t place, F f) {
  for (size_t node = places + place; node > 0; node >>= 1) f(node);
}

}  // namespace

ChainOccupancy::ChainOccupancy(const PlacementProblem& problem)
    : problem_(problem), chains_(static_cast<size_t>(problem.order->num_chains)) {
  const std::vector<Piece>& pieces = problem.pieces;
  std::vector<int64_t> begins;
  begins.reserve(pieces.size());
  for (const Piece& piece : pieces) begins.push_back(piece.begin);
  std::vector<int32_t> order;
  OrderByTime(begins, order);
  place_.resize(pieces.size());
  for (int32_t p : order) {
    Chain& chain = chains_[static_cast<size_t>(problem.order->chain[static_cast<size_t>(p)])];
    place_[static_cast<size_t>(p)] = static_cast<int32_t>(chain.begins.size());
    chain.begins.push_back(pieces[static_cast<size_t>(p)].begin);
  }
  for (Chain& chain : chains_) chain.nodes.resize(2 * chain.begins.size());

  granule_ = CommonAlignment(problem);
  if (!pieces.empty()) least_gap_ = INT64_MAX;
  for (const Piece& piece : pieces) {
    least_gap_ = std::min(least_gap_, piece.high - piece.low);
    // Rounding outward is exact only if whatever is placed next begins at a multiple too.
    if (piece.low % granule_ != 0) granule_ = 1;
  }
}

std::pair<size_t, size_t> ChainOccupancy::Meanwhile(size_t piece, size_t chain) const {
  const std::vector<int64_t>& begins = chains_[chain].begins;
  const bool own = static_cast<size_t>(problem_.order->chain[piece]) == chain;
  const auto from = [&](int64_t time) {
    return static_cast<size_t>(std::lower_bound(begins.begin(), begins.end(), time) - begins.begin());
  };
  const size_t first = own ? static_cast<size_t>(place_[piece]) + 1 : from(problem_.pieces[piece].begin);
  return {first, std::max(first, from(problem_.order->Over(piece, static_cast<int32_t>(chain))))};
}

void ChainOccupancy::Clear() {
  for (Chain& chain : chains_) {
    for (Node& node : chain.nodes) {
      node.whole.Clear();
      node.begun.Clear();
    }
  }
}

template <class Whole, class Begun>
void ChainOccupancy::VisitInserted(size_t piece, Whole whole, Begun begun) {
  Chain& own = chains_[static_cast<size_t>(problem_.order->chain[piece])];
  VisitPath(own.begins.size(), static_cast<size_t>(place_[piece]), [&](size_t node) { begun(own.nodes[node].begun); });
  for (size_t c = 0; c < chains_.size(); ++c) {
    const auto [first, end] = Meanwhile(piece, c);
    VisitRange(chains_[c].begins.size(), first, end, [&](size_t node) { whole(chains_[c].nodes[node].whole); });
  }
}

void ChainOccupancy::Remove(size_t piece) {
  const auto clear = [](RangeList& list) { list.Clear(); };
  VisitInserted(piece, clear, clear);
}

void ChainOccupancy::Insert(size_t piece, int64_t base_bytes) {
  const OccupiedRange range = {AlignDown(base_bytes + problem_.pieces[piece].low, granule_),
                               AlignUp(base_bytes + problem_.pieces[piece].high, granule_)};
  const auto add = [&](RangeList& list) { list.Add(range, least_gap_); };
  VisitInserted(piece, add, add);
}

void ChainOccupancy::Collect(size_t piece, std::vector<const RangeList*>& lists) const {
  const auto append = [&lists](const RangeList& ranges) {
    if (!ranges.empty()) lists.push_back(&ranges);
  };
  const Chain& own = chains_[static_cast<size_t>(problem_.order->chain[piece])];
  VisitPath(own.begins.size(), static_cast<size_t>(place_[piece]), [&](size_t node) { append(own.nodes[node].whole); });
  for (size_t c = 0; c < chains_.size(); ++c) {
    const auto [first, end] = Meanwhile(piece, c);
    VisitRange(chains_[c].begins.size(), first, end, [&](size_t node) { append(chains_[c].nodes[node].begun); });
  }
}

}  // namespace bufplan
