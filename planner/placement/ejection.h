// Lowers the top of a placement by ejection chains: what ends too high is put to where it does the least harm, and what
// lay there has to find another place.
//
//   limit - - - - - - - - - - - -          1. ### ends above the limit: out with it.
//           ### <-.                        2. It goes to the place below the limit where the storages in its way are
//   ____aa____    |    _bb_                   cheapest to move: a and b leave.
//   ___|__|_______|___|____|__             3. a and b find free places, or eject others, until all have one.
//
// Cheap to move is what is small and lives where the load is low. Each time that a storage finds no free place it gets
// dearer, so that it is left alone when others are not, which is how the search leaves cycles. Weights that grow where
// a search is stuck are known from constraint satisfaction (Morris 1993, the breakout method), ejection chains from
// Glover (1996); packing with ejections of this kind from vehicle routing (Nagata, Braysy 2009). All is local in time:
// the cost of a step does not depend on the size of the problem.
#ifndef BUFPLAN_PLANNER_PLACEMENT_EJECTION_H_
#define BUFPLAN_PLANNER_PLACEMENT_EJECTION_H_

#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "planner/placement/deadline.h"
#include "planner/placement/slot_lives.h"
#include "planner/placement/time_buckets.h"

namespace bufplan {

class Ejection {
 public:
  // `offset_bytes`, by rank, says where the storages in `buckets` lie: all of them. Lower() keeps both in step.
  // `target_bytes`, a lower bound, is what the load is measured by.
  Ejection(const SlotLives& lives, int64_t target_bytes, TimeBuckets& buckets, std::vector<int64_t>& offset_bytes);

  // True if all were brought to end at or below `limit_bytes`, which is at least the highest load. Else, once
  // buckets.work() has reached `work_end` or the deadline has passed, all lie where they lay before. May be called
  // again, with other limits too: what it has learnt of the weights stays. TIES: the lowest place; the lower rank
  // leaves the pool last. COST: a step is linear in what meets the storage, times its logarithm.
  bool Lower(int64_t limit_bytes, int64_t work_end, Deadline deadline = {});

 private:
  double WeightOf(size_t rank) const { return static_cast<double>(base_[rank]) * (1 + stuck_[rank]); }
  void TakeOut(size_t rank);
  // The place at which what is in the way weighs least; `met_` holds what meets the storage.
  int64_t CheapestPlace(size_t rank, int64_t limit_bytes);
  void Undo();

  const SlotLives& lives_;
  TimeBuckets& buckets_;
  std::vector<int64_t>& offset_bytes_;
  std::vector<float> base_;                               // by rank
  std::vector<int32_t> stuck_;                            // by rank: how often there was no free place
  std::priority_queue<std::pair<double, int32_t>> pool_;  // storages without a place, the heaviest first

  // Since Lower() began: who was moved, and where it lay.
  std::vector<std::pair<int32_t, int64_t>> moved_;
  std::vector<int32_t> moved_in_;  // by rank: the last call that moved it
  std::vector<bool> is_out_;
  int32_t call_ = 0;

  std::vector<TimeBuckets::Entry> met_;
  std::vector<std::pair<int64_t, double>> lows_, highs_;  // of what was met, with weights
  std::vector<int64_t> places_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_EJECTION_H_
