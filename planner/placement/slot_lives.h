// Lives of storages on an axis without gaps, in order of their begins: what the large-scale methods work on.
//
//   begins      3  3  7  20        slot 0 and 1 = time 3, slot 2 = time 7, slot 3 = time 20
//   life [3, 8) -> slots [0, 3)    life [7, 20) -> slots [2, 3)
//
// Slot k is the k-th begin in ascending order. Two storages meet iff one of them is live when the other begins, so the
// slots keep who meets whom, and neighbours in time are neighbours in memory.
#ifndef BUFPLAN_PLANNER_PLACEMENT_SLOT_LIVES_H_
#define BUFPLAN_PLANNER_PLACEMENT_SLOT_LIVES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// Half-open, not empty.
struct SlotLife {
  int32_t first = 0, end = 0;

  bool Meets(SlotLife other) const { return first < other.end && other.first < end; }
};

// The storages that have a piece, by rank: ascending begin, then ascending index. All vectors but `load` are by rank.
struct SlotLives {
  std::vector<int32_t> storage;
  std::vector<SlotLife> life;  // `first` is the lowest rank that begins at the same time
  std::vector<int64_t> size_bytes;
  std::vector<uint8_t> log_alignment;
  std::vector<int64_t> load;  // by slot: the sum of the aligned sizes alive there
  int64_t live_slots = 0;     // the sum of the lengths of all lives

  size_t size() const { return life.size(); }
};

// Expects storages of at most one piece, which is the whole storage, fewer than 2^31 of them, and no order.
// COST: O(n log n), about linear for ascending or dense times. THREADS: no shared state.
SlotLives MakeSlotLives(const PlacementProblem& problem);

// The highest load of each life, by rank. COST: O(n + n / 64 * log n) and at most 128 slots looked at per life.
std::vector<int64_t> HighestLoads(const SlotLives& lives);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_SLOT_LIVES_H_
