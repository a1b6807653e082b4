// First fit from the peak of the load outward, and again with what did not fit moved ahead.
//
//   bytes ^  target - - - - - - - - - -
//         |      .___.____              What lives at the peak is placed first: it packs without a hole, in an order
//         |  .___|___|____|__.          that leaves holes of one kind only (latest end lowest, say). The rest follows
//         |  |_______|_______|          by size. What ends above the target gets a higher rank among the rest, and all
//         +--------peak--------> time   is placed again.
//
// Raising the rank of what fared badly is squeaky wheel optimization (Joslin, Clements 1999). Where the load is near
// its highest at few times, as in the graphs of networks, all else has slack, and the first pass often meets the bound.
#ifndef BUFPLAN_PLANNER_PLACEMENT_PEAK_FIRST_H_
#define BUFPLAN_PLANNER_PLACEMENT_PEAK_FIRST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/placement/deadline.h"
#include "planner/placement/slot_lives.h"
#include "planner/placement/time_buckets.h"

namespace bufplan {

enum class PeakOrder : uint8_t { kLatestEnd, kEarliestBegin, kLongest };  // lowest at the peak
inline constexpr PeakOrder kPeakOrders[] = {PeakOrder::kLatestEnd, PeakOrder::kEarliestBegin, PeakOrder::kLongest};

// Empties `buckets` and places all storages, up to `passes` times, fewer if none ends above the target, nothing
// changes, or the deadline passes, which ends the pass that is under way (without any pass, the result is INT64_MAX and
// `offset_bytes` stays as it is). Writes the offsets, by rank, of the best pass and returns its highest end; `buckets`
// holds the last pass. TIES: equal sizes go farthest from the peak first, then by lower rank. COST: a sort and a first
// fit per pass.
int64_t PlacePeakFirst(const SlotLives& lives, int64_t target_bytes, PeakOrder order, int passes, TimeBuckets& buckets,
                       std::vector<int64_t>& offset_bytes, Deadline deadline = {});

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_PEAK_FIRST_H_
