// A set of bytes as disjoint ranges in ascending order, and the question first fit asks of it: where is the next gap
// that is large enough?
//
// Few ranges lie in one array. Many lie in blocks of some dozens that know their largest gap, so that a search leaps
// over blocks of crumbs. COST: Add and NextFree O(log n) for few ranges, O(n / 64) short steps in the worst case for
// many. THREADS: const calls may be concurrent.
#ifndef BUFPLAN_PLANNER_PLACEMENT_RANGE_LIST_H_
#define BUFPLAN_PLANNER_PLACEMENT_RANGE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace bufplan {

struct OccupiedRange {
  int64_t low = 0, high = 0;  // half-open
};

class RangeList {
 public:
  bool empty() const { return few_.empty() && many_ == nullptr; }
  void Clear();

  // Adds a range. What is left between ranges and is smaller than `least_gap` (at least 1) counts as part of the set
  // from then on.
  void Add(OccupiedRange range, int64_t least_gap);

  // Where a search has got to. Valid until the list changes.
  struct Position {
    size_t block = 0, range = 0;
  };

  // The lowest place at or above `from` where `bytes` > 0 bytes are free. `position` starts as {} and is carried from
  // call to call, with `from` never smaller than before. Adds to `work` the ranges and blocks looked at.
  int64_t NextFree(int64_t from, int64_t bytes, Position& position, int64_t& work) const;

 private:
  static constexpr size_t kFew = 96;
  static constexpr size_t kBlock = 64;

  struct Block {
    explicit Block(std::vector<OccupiedRange> r) : ranges(std::move(r)) { Update(); }
    // Sets what follows from the ranges.
    void Update();
    int64_t low = 0, high = 0;          // from the first range to the last
    int64_t largest_gap = 0;            // between two ranges
    std::vector<OccupiedRange> ranges;  // never empty
  };

  static void AddTo(OccupiedRange range, int64_t least_gap, std::vector<OccupiedRange>& ranges);
  void MakeBlocks();
  void AddToBlocks(OccupiedRange range, int64_t least_gap);
  int64_t NextFreeInBlocks(int64_t from, int64_t bytes, Position& position, int64_t& work) const;

  std::vector<OccupiedRange> few_;
  std::unique_ptr<std::vector<Block>> many_;  // in place of few_
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_RANGE_LIST_H_
