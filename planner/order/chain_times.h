// When a unit is over for each chain of a schedule: from which time on all that a chain runs happens after it.
//
// A chain is a stream with ops. The table is what makes "a happens before b" a comparison of two numbers, so that
// stages which know no graph can decide it (see planner/placement/chain_order.h).
//
//   time      0   1   2   3   4      edge 1 -> 3
//   chain 0   0───1───────────4      OverFor(1): chain 0: 2, chain 1: 3
//   chain 1       └─▶ . 2 ─ 3        OverFor(2): chain 0: 5 (never), chain 1: 3
//
// Many chains over many units are merged into fewer, so that the table has at most kMaxEntries. What is over for a
// merged chain is over for each of its streams: lives seem longer than they are, never shorter, and exact() is false.
//
// COST: O(units * streams) time, O(units * chains) space. THREADS: immutable.
#ifndef BUFPLAN_PLANNER_ORDER_CHAIN_TIMES_H_
#define BUFPLAN_PLANNER_ORDER_CHAIN_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/happens_before.h"

namespace bufplan {

class ChainTimes {
 public:
  static constexpr size_t kMaxEntries = size_t{1} << 26;

  // `stream_of_op`: as the relation was made from. `place`: by op, its place in a run of them all; empty: that is the
  // list.
  ChainTimes(const HappensBefore& order, absl::Span<const int32_t> stream_of_op, int32_t num_streams,
             absl::Span<const int32_t> place = {}, size_t max_entries = kMaxEntries);

  int32_t num_chains() const { return num_chains_; }
  int32_t ChainOf(int32_t op) const {
    return chain_of_stream_[static_cast<size_t>(stream_of_op_[static_cast<size_t>(op)])];
  }
  // By chain: every op of it at this place of the run or a later one happens after `op`.
  absl::Span<const int32_t> OverFor(int32_t op) const {
    const size_t k = static_cast<size_t>(num_chains_);
    return absl::MakeConstSpan(over_).subspan(static_cast<size_t>(op) * k, k);
  }
  // Each chain is one stream.
  bool exact() const { return exact_; }

 private:
  int32_t num_chains_ = 0;
  bool exact_ = true;
  std::vector<int32_t> stream_of_op_, chain_of_stream_;
  std::vector<int32_t> over_;  // by op, then by chain
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_ORDER_CHAIN_TIMES_H_
