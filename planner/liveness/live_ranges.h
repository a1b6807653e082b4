// Liveness: when every byte of every storage in an arena is live.
//
// The time axis of the result: 0 is the start, where inputs lie already; the unit at time t is t + 1; the end is ops
// + 1. A byte is live from the unit that writes it until the last one that needs it is done, both included.
//
//   one stream    unit t occupies [t + 1, t + 2), and two lives may share bytes iff they do not meet
//   several       the same times, of the run in list order, and beside them which lives are over before others begin,
//                 whatever the streams do: those that all users of the one happen before (see
//                 planner/placement/chain_order.h)
//
// A storage whose values have parts of different lives gets several pieces (see planner/placement/placement.h).
//
// What is first known to be alive on several streams at once counts as alive since a unit that happens before all of
// those.
//
// COST: near linear in values + uses; with several streams and k chains, k times as much. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_LIVENESS_LIVE_RANGES_H_
#define BUFPLAN_PLANNER_LIVENESS_LIVE_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "planner/liveness/uses.h"
#include "planner/order/frontier.h"
#include "planner/order/schedule.h"
#include "planner/placement/chain_order.h"
#include "planner/placement/placement.h"
#include "planner/sharing/storage.h"

namespace bufplan {

struct LiveRanges {
  std::vector<uint32_t> begin;  // by storage, into pieces; one more at the end
  std::vector<Piece> pieces;    // none for storage of the caller and of zero bytes
  // Several streams: the order of the pieces, the unit at which each begins, and the last ones that need it on their
  // streams.
  std::optional<ChainOrder> order;
  std::vector<int32_t> born;
  std::vector<Frontier> until;
  std::vector<int32_t>
      last_use;  // by value (root or view): the time of its last use by any name; Schedule::kStart: none

  absl::Span<const Piece> of(size_t storage) const {
    return absl::MakeConstSpan(pieces).subspan(begin[storage], begin[storage + 1] - begin[storage]);
  }
};

// The axis time at which the bytes begin of the unit at a place of the run / the first one at which a use is over
// there.
inline int64_t AxisBegin(int32_t place) { return int64_t{place} + 1; }
inline int64_t AxisEnd(int32_t place) { return int64_t{place} + 2; }

// The piece is needed by the unit at `time` too.
void RaiseOver(const Schedule& schedule, int32_t time, size_t piece, ChainOrder& order);

LiveRanges ComputeLiveRanges(const Graph& graph, const Schedule& schedule, const Uses& uses, const Sharing& sharing);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_LIVE_RANGES_H_
