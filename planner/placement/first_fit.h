// First fit: storages one by one in a given order, each at the lowest place where it meets no storage placed before.
//
// Pinned storages come first, whatever the order says. Chunks lie side by side on one line of addresses, `pitch` apart,
// so that first fit takes the first chunk that has room, and the lowest place there; without a chunk limit the line is
// one chunk.
//
//   line:   |chunk 0 .....|..|chunk 1 .....|..|chunk 2
//           0              pitch            2 * pitch
//
// A storage with several pieces goes to the lowest offset at which each piece is free of the others': for a piece [low,
// high) and a placed range [a, b) the offsets in (a - high, b - low) are forbidden. Two ways to find the forbidden
// offsets give the same placements: lists of the pieces that meet in time (ConflictLists) where there are few such
// pairs, and a segment tree of occupied ranges (OccupancyTree) where there are many. TIES: none, an order decides
// everything. COST: by lists, O(n + sum of d log d) per pass for d neighbours; by the tree, O(n log n) lists of ranges,
// which are short in tight packings. THREADS: one pass at a time per object.
#ifndef BUFPLAN_PLANNER_PLACEMENT_FIRST_FIT_H_
#define BUFPLAN_PLANNER_PLACEMENT_FIRST_FIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/chain_occupancy.h"
#include "planner/placement/conflict_lists.h"
#include "planner/placement/occupancy_tree.h"
#include "planner/placement/placement.h"
#include "planner/placement/range_list.h"

namespace bufplan {

enum class ConflictSearch : uint8_t { kAuto, kLists, kTree };

class FirstFit {
 public:
  // `problem` must outlive the object; sums of aligned sizes and pins must fit 64 bits, with chunks many times over
  // (see Place()).
  explicit FirstFit(const PlacementProblem& problem, ConflictSearch search = ConflictSearch::kAuto);

  // Two pinned storages that meet, lower index first, if any do.
  std::optional<std::pair<size_t, size_t>> PinConflict();

  // Places all storages; `order` names each unpinned one once (pinned ones are skipped). Returns the bytes of all
  // chunks together and the offsets on the line, or nothing (`line_offset` stays as it is) as soon as it is clear that
  // at least `give_up_bytes` are needed, or when work() reaches `work_end`.
  std::optional<int64_t> Run(absl::Span<const int32_t> order, int64_t give_up_bytes, int64_t work_end,
                             std::vector<int64_t>& line_offset);

  // From `from_work` steps on Run() gives nothing once that has passed; it looks every few ten thousand steps.
  void StopAt(Deadline deadline, int64_t from_work);
  // Whether it has; looks at the clock, from those steps on.
  bool TooLate() { return too_late_ = too_late_ || (work_ >= first_look_ && deadline_.Passed()); }

  // Turns offsets on the line into a placement, bounds left out.
  Placement OnChunks(absl::Span<const int64_t> line_offset) const;

  // Elementary steps so far, the same on every machine: neighbours and ranges looked at.
  int64_t work() const { return work_; }
  // Absent if the tree is in use.
  const ConflictLists* lists() const { return lists_.has_value() ? &*lists_ : nullptr; }

 private:
  struct DisjointEdge {
    int32_t other;
    int64_t low, high;  // offset - offset of the other is not in (low, high)
  };
  struct Cursor {
    const RangeList* ranges;
    int64_t low, bytes;  // of the piece
    RangeList::Position position;
  };

  void IndexDisjoint();
  void Start();
  // The lowest place at or above `from`, given what is placed.
  int64_t LowestFrom(size_t storage, int64_t from);
  void CollectFromLists(size_t storage, int64_t from);
  int64_t LowestFromLists(size_t storage, int64_t from);
  int64_t LowestFromTree(size_t storage, int64_t from);
  // Calls f(tree), whichever there is; not for lists.
  template <class F>
  void WithTree(F f) {
    if (tree_.has_value()) {
      f(*tree_);
    } else {
      f(*chains_);
    }
  }
  bool LooksTooLate();
  // False if the total has reached the limit.
  bool PlaceAt(size_t storage, int64_t offset, int64_t give_up_bytes);
  // `offset`, or the start of the next chunk if the storage would straddle.
  int64_t WithinChunk(size_t storage, int64_t offset) const;

  const PlacementProblem& problem_;
  std::vector<int32_t> pinned_;
  int64_t chunk_bytes_ = INT64_MAX, pitch_ = INT64_MAX;
  // One of three.
  std::optional<ConflictLists> lists_;
  std::optional<OccupancyTree> tree_;     // intervals
  std::optional<ChainOccupancy> chains_;  // lives with an order
  std::vector<uint32_t> first_edge_;      // by storage; empty without disjoint pairs
  std::vector<DisjointEdge> edges_;

  // State of a pass.
  std::vector<int64_t> line_offset_;   // by storage; kNowhere for those not placed
  std::vector<int32_t> placed_order_;  // the storages that are placed
  std::vector<OccupiedRange> placed_;  // by piece, for the lists; low is kNowhere for those not placed
  std::vector<int64_t> chunk_top_;
  int64_t total_ = 0;
  int64_t work_ = 0;
  Deadline deadline_;
  int64_t first_look_ = INT64_MAX, next_look_ = INT64_MAX;  // at the clock, in steps
  bool too_late_ = false;
  std::vector<OccupiedRange> forbidden_;  // offsets strictly between low and high
  std::vector<const RangeList*> range_lists_;
  std::vector<Cursor> cursors_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_FIRST_FIT_H_
