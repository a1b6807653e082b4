// An order for first fit that fills from below: always the storage next that can lie lowest above all that meets it.
//
//   bytes ^      __
//         |  ___|  |      the skyline: the top of what is placed, by time. A storage would come to lie on the highest
//         point of | |   |  |__    the skyline during its life; the one for which that is lowest goes next.
//         +------------> time
//
// First fit in this order lies nowhere above the skyline's own placement. Strip packing knows the rule as best-fit
// skyline; branch and bound searches for buffer placement (TelaMalloc, MiniMalloc) branch on the same choice. Here it
// is one greedy pass.
#ifndef BUFPLAN_PLANNER_PLACEMENT_LOWEST_FIRST_H_
#define BUFPLAN_PLANNER_PLACEMENT_LOWEST_FIRST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/placement.h"

namespace bufplan {

struct LowestFirst {
  std::vector<int32_t> order;
  int64_t work = 0;  // elementary steps
};

// Pins and disjoint pairs have no influence. Absent if more than `max_work` steps would be needed, or
// the deadline passes.
// TIES: storages that can lie equally low go in the order `preference` lists them (a permutation of all).
// COST: O((n + k) log n), where k counts how often a storage came up and had to go back because the skyline had grown
// under it; k is a few n in practice. THREADS: no shared state.
std::optional<LowestFirst> OrderLowestFirst(const PlacementProblem& problem, absl::Span<const int32_t> preference,
                                            int64_t max_work, Deadline deadline = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_LOWEST_FIRST_H_
