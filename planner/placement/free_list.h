// The free bytes of one line of addresses, for a sweep over time: best fit, and free ranges grow together again.
//
//   0        top          used below top: everything that is not in a free range
//   |##..#####..###|......
//      ^^     ^^            free ranges
//
// Few free ranges lie in two flat arrays; more than a few hundred in balanced trees.
// TIES: of equally good ranges the one with the lowest offset.
// COST: Take and Give O(free ranges) while there are few, O(log) beyond. THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_PLACEMENT_FREE_LIST_H_
#define BUFPLAN_PLANNER_PLACEMENT_FREE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"

namespace bufplan {

class FreeList {
 public:
  // Takes `bytes` > 0 at a multiple of `alignment`: from the smallest free range that has room, else above all that is
  // used. Returns the offset.
  int64_t Take(int64_t bytes, int64_t alignment);

  // Gives used bytes [low, high) back; low < high.
  void Give(int64_t low, int64_t high);

  // All bytes from here on are free.
  int64_t top() const { return top_; }

 private:
  static constexpr size_t kFew = 192;

  int64_t TakeFew(int64_t bytes, int64_t alignment);
  int64_t TakeMany(int64_t bytes, int64_t alignment);
  int64_t TakeTop(int64_t bytes, int64_t alignment);
  // Cuts [offset, offset + bytes) out of the i-th range, or out of the range at `low`.
  void CutFew(size_t i, int64_t offset, int64_t bytes);
  void CutMany(int64_t low, int64_t offset, int64_t bytes);
  void InsertFew(size_t i, int64_t low, int64_t high);
  void GiveMany(int64_t low, int64_t high);
  void AddMany(int64_t low, int64_t high);
  void RemoveMany(absl::btree_map<int64_t, int64_t>::iterator range);
  void MoveToTrees();

  int64_t top_ = 0;
  // While few: ascending, not touching.
  size_t count_ = 0;
  int64_t lows_[kFew + 1], highs_[kFew + 1];
  // Once there were many.
  bool many_ = false;
  absl::btree_map<int64_t, int64_t> high_of_low_;
  absl::btree_set<std::pair<int64_t, int64_t>> by_size_;  // bytes, low
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_FREE_LIST_H_
