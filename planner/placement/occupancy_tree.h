// Which bytes are occupied when: a segment tree over time for first fit where too many pieces meet to list the pairs.
//
// Each node stands for a span of time and keeps two lists of byte ranges:
//   whole:  what is occupied throughout the span, of pieces that this node stands for;
//   any:    what is occupied at some time in the span.
// A piece is entered at the O(log n) nodes that make up its lifetime, and in `any` of the nodes above. What is in its
// way is the union of `any` of those nodes and of `whole` of the nodes above. Ranges grow together when they touch, and
// a tight packing leaves few holes, so the lists stay short.
//
// Gaps that no piece fits into count as occupied, which changes no answer and keeps the lists shorter still.
// COST: Insert and Collect O(log n) lists; see RangeList for what each takes. Space O(n + ranges).
// THREADS: const calls may be concurrent.
#ifndef BUFPLAN_PLANNER_PLACEMENT_OCCUPANCY_TREE_H_
#define BUFPLAN_PLANNER_PLACEMENT_OCCUPANCY_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"
#include "planner/placement/range_list.h"

namespace bufplan {

class OccupancyTree {
 public:
  explicit OccupancyTree(const PlacementProblem& problem);

  void Clear();
  // Empties all lists that the piece was inserted into: of use only if every other piece is removed too.
  void Remove(size_t piece);
  // The given piece occupies its bytes from `base_bytes` on.
  void Insert(size_t piece, int64_t base_bytes);
  // Appends the lists of which the union is what the piece may not meet, empty ones left out; they hold until the next
  // Insert, Remove or Clear.
  void Collect(size_t piece, std::vector<const RangeList*>& lists) const;

 private:
  struct Node {
    RangeList whole, any;
  };

  const std::vector<Piece>& pieces_;
  std::vector<int32_t> first_slot_, end_slot_;  // by piece: its lifetime in slots
  size_t slots_ = 1;  // a power of two; node i has children 2i and 2i+1, slot s is node slots_ + s
  std::vector<Node> nodes_;
  int64_t granule_ = 1;    // ranges are rounded outward to this
  int64_t least_gap_ = 1;  // smaller gaps are of no use
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_OCCUPANCY_TREE_H_
