#include "planner/placement/occupancy_tree.h"

#include <algorithm>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

// Calls use(node) for the nodes that make up the slots [first, end), and above(node) for each node over one of them.
template <class Use, class Above>
void VisitNodes(size_t slots, size_t first, size_t end, Use use, Above above) {
  size_t left = slots + first, right = slots + end;
  for (; left < right; left >>= 1, right >>= 1) {
    if (left & 1) use(left++);
    if (right & 1) use(--right);
  }
  size_t low = slots + first, high = slots + end - 1, size = 1;
  while (low > 1) {
    low >>= 1;
    high >>= 1;
    size <<= 1;
    const size_t low_first = low * size - slots, high_first = high * size - slots;
    if (low_first < first || low_first + size > end) above(low);
    if (high != low && (high_first < first || high_first + size > end)) above(high);
  }
}

}  // namespace

OccupancyTree::OccupancyTree(const PlacementProblem& problem) : pieces_(problem.pieces) {
  // Two pieces meet iff one of them is live when the other begins, so begins are times enough.
  std::vector<int64_t> begins;
  begins.reserve(pieces_.size());
  for (const Piece& piece : pieces_) begins.push_back(piece.begin);
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  while (slots_ < begins.size()) slots_ *= 2;
  nodes_.resize(2 * slots_);

  granule_ = CommonAlignment(problem);
  if (!pieces_.empty()) least_gap_ = INT64_MAX;
  first_slot_.reserve(pieces_.size());
  end_slot_.reserve(pieces_.size());
  const auto slot = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(begins.begin(), begins.end(), time) - begins.begin());
  };
  for (const Piece& piece : pieces_) {
    first_slot_.push_back(slot(piece.begin));
    end_slot_.push_back(slot(piece.end));
    least_gap_ = std::min(least_gap_, piece.high - piece.low);
    // Rounding outward is exact only if whatever is placed next begins at a multiple too.
    if (piece.low % granule_ != 0) granule_ = 1;
  }
}

void OccupancyTree::Clear() {
  for (Node& node : nodes_) {
    node.whole.Clear();
    node.any.Clear();
  }
}

void OccupancyTree::Remove(size_t piece) {
  const auto clear = [&](size_t node) {
    nodes_[node].whole.Clear();
    nodes_[node].any.Clear();
  };
  VisitNodes(slots_, static_cast<size_t>(first_slot_[piece]), static_cast<size_t>(end_slot_[piece]), clear, clear);
}

void OccupancyTree::Insert(size_t piece, int64_t base_bytes) {
  const OccupiedRange range = {AlignDown(base_bytes + pieces_[piece].low, granule_),
                               AlignUp(base_bytes + pieces_[piece].high, granule_)};
  VisitNodes(
      slots_, static_cast<size_t>(first_slot_[piece]), static_cast<size_t>(end_slot_[piece]),
      [&](size_t node) {
        nodes_[node].whole.Add(range, least_gap_);
        nodes_[node].any.Add(range, least_gap_);
      },
      [&](size_t node) { nodes_[node].any.Add(range, least_gap_); });
}

void OccupancyTree::Collect(size_t piece, std::vector<const RangeList*>& lists) const {
  const auto append = [&lists](const RangeList& ranges) {
    if (!ranges.empty()) lists.push_back(&ranges);
  };
  VisitNodes(
      slots_, static_cast<size_t>(first_slot_[piece]), static_cast<size_t>(end_slot_[piece]),
      [&](size_t node) { append(nodes_[node].any); }, [&](size_t node) { append(nodes_[node].whole); });
}

}  // namespace bufplan
