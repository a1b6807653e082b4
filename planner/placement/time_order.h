// Indices in order of a time: the sort under every sweep of this folder.
//
//   times  = {5, 2, 2, 9}   ->   order = {1, 2, 0, 3}
//
// TIES: equal times in index order.
// COST: O(n) when the times already ascend, or span no more than about four times as many values as there are; else O(n
// log n). THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_PLACEMENT_TIME_ORDER_H_
#define BUFPLAN_PLANNER_PLACEMENT_TIME_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace bufplan {

// Overwrites `order`. At most 2^31 - 1 times.
void OrderByTime(absl::Span<const int64_t> times, std::vector<int32_t>& order);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_TIME_ORDER_H_
