// Liveness: when every byte of every storage in an arena is live.
//
// The time axis of the result: 0 is the start, where inputs lie already; the unit at time t is t + 1; the end is ops
// + 1. A byte is live from the unit that writes it until the last one that needs it is done, both included.
//
//   one stream    unit t occupies [t + 1, t + 2)
//   several       a use at t lasts until LatestConcurrent(t): what begins later happens after it on every stream. So
//   storages
//                 whose pieces do not meet are ordered, whatever the streams do.
//
// A storage whose values have parts of different lives gets several pieces (see planner/placement/placement.h).
//
// COST: near linear in values + uses. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_LIVENESS_LIVE_RANGES_H_
#define BUFPLAN_PLANNER_LIVENESS_LIVE_RANGES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/schedule.h"
#include "planner/placement/placement.h"
#include "planner/sharing/storage.h"

namespace bufplan {

struct LiveRanges {
  std::vector<uint32_t> begin;  // by storage, into pieces; one more at the end
  std::vector<Piece> pieces;    // none for storage of the caller and of zero bytes
  std::vector<int32_t>
      last_use;  // by value (root or view): the time of its last use by any name; Schedule::kStart: none

  absl::Span<const Piece> of(size_t storage) const {
    return absl::MakeConstSpan(pieces).subspan(begin[storage], begin[storage + 1] - begin[storage]);
  }
};

// The axis time at which a unit's bytes begin / the first one at which a use is surely over.
inline int64_t AxisBegin(int32_t time) { return int64_t{time} + 1; }
inline int64_t AxisEnd(int32_t time, const Schedule& schedule) { return int64_t{schedule.LatestConcurrent(time)} + 2; }

// kCount: as above. kIgnore: as if all ops ran one after the other in list order; what is live together then conflicts
// whatever the streams do, so this gives lower bounds.
enum class Concurrency : uint8_t { kCount, kIgnore };

LiveRanges ComputeLiveRanges(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing,
                             Concurrency concurrency = Concurrency::kCount);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_LIVE_RANGES_H_
