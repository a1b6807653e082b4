// Which bytes are occupied when, for lives that are ordered in part only (see chain_order.h): what OccupancyTree is for
// intervals. No pair of pieces is listed.
//
// Two pieces that meet: the one that begins first in the list is not over for the other's chain when that one begins.
// So per chain there is one place for each piece that begins there, in list order, and over the places a segment tree
// with two lists of byte ranges per node:
//   whole:  of pieces, of any chain, that began earlier and are not over at any of the node's places;
//   begun:  of pieces that begin at one of the node's places.
// What is in a piece's way is the union of `whole` of the nodes above its own place (what was there first), and for
// each chain of `begun` of the nodes that make up the places between its begin and its end (what comes while it lives).
//
//   chain 0   p0  p1  p2  p3        p1 is over for chain 0 at p3, for chain 1 at q2: entered in `whole` of {p2} and
//   chain 1     q0  q1    q2        {q1}, in `begun` of what is above its own place
//
// COST: Insert and Collect O(chains * log n) lists; see RangeList for what each takes. Space O(n + ranges).
// THREADS: const calls may be concurrent.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CHAIN_OCCUPANCY_H_
#define BUFPLAN_PLANNER_PLACEMENT_CHAIN_OCCUPANCY_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "planner/placement/placement.h"
#include "planner/placement/range_list.h"

namespace bufplan {

class ChainOccupancy {
 public:
  // The problem has an order, and outlives the object.
  explicit ChainOccupancy(const PlacementProblem& problem);

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
    RangeList whole, begun;
  };
  struct Chain {
    std::vector<int64_t> begins;  // of its pieces, ascending
    std::vector<Node> nodes;      // node i has children 2i and 2i+1; place s is node begins.size() + s
  };

  // The places on a chain of what begins after the piece in the list and before it is over; half-open.
  std::pair<size_t, size_t> Meanwhile(size_t piece, size_t chain) const;
  template <class Whole, class Begun>
  void VisitInserted(size_t piece, Whole whole, Begun begun);

  const PlacementProblem& problem_;
  std::vector<Chain> chains_;
  std::vector<int32_t> place_;  // by piece, on its own chain
  int64_t granule_ = 1;         // ranges are rounded outward to this
  int64_t least_gap_ = 1;       // smaller gaps are of no use
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CHAIN_OCCUPANCY_H_
