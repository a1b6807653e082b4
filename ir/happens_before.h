// The happens-before relation of ops on streams, as a queryable relation.
//
// Ops 0..n-1 are in list order, each on one stream. `a` happens before `b` iff a path leads from a to b of: next op of
// the same stream, or an edge. The relation is strict and transitive. Edges may lead backward in the list as long as
// the whole stays acyclic.
//
//   list      0    1    2    3    4          edges (1,2), (2,4)
//   stream 0  0────1─────────3────4          Before(0,2), Before(2,4)
//                  └──▶ 2 ────────▲          not ordered: 2 and 3
//   stream 1            2
//
// Method: vector clocks (Fidge 1988, Mattern 1989). The clock of an op holds, per stream, how many of that stream's ops
// happen before it. Departing from the textbook, an op shares the clock of its predecessor in the stream unless an edge
// tells it something new, streams without ops have no column, and a single stream has no clocks at all.
//
// COST: n ops, e edges, k streams that have ops, j ops at which a clock changes (j <= ops with an incoming edge from
// another stream). Build: O(n + e + j*k), and O(n log n) more if an edge leads backward. Space: O(n + e) while
// building, then O(n + j*k). A single stream: O(n) for TopologicalOrder, nothing else.
// THREADS: immutable after Create. LIFETIME: keeps no reference to its inputs.
//
// Example:
//   auto hb = HappensBefore::Create({0, 0, 1, 0, 0}, 2, {{1, 2}, {2, 4}});
//   hb->Before(0, 2);            // true
//   hb->LastBefore(4, 1);        // 2
//   hb->LatestConcurrent(2);     // 3
#ifndef BUFPLAN_IR_HAPPENS_BEFORE_H_
#define BUFPLAN_IR_HAPPENS_BEFORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace bufplan {

class HappensBefore {
 public:
  using Edge = std::pair<int32_t, int32_t>;  // (from, to): from happens before to

  // The most clock entries (j*k) that are stored.
  static constexpr size_t kMaxClockEntries = size_t{1} << 26;

  // An empty relation.
  HappensBefore() = default;

  // ERRORS: InvalidArgument: a stream or an op of an edge is out of range (the message gives it and its bound), or the
  // ops form a cycle: the message lists its op indices, and `cycle`, if not null, receives them, each happening before
  // the next and the last before the first. ResourceExhausted: more than kMaxClockEntries clock entries.
  // TIES: of several cycles one is reported, the same one for the same input.
  static absl::StatusOr<HappensBefore> Create(absl::Span<const int32_t> stream_of_op, int32_t num_streams,
                                              absl::Span<const Edge> edges, std::vector<int32_t>* cycle = nullptr);

  int32_t num_ops() const { return static_cast<int32_t>(order_.size()); }

  // Whether a happens before b; false for a == b. Requires ops in range. O(1).
  bool Before(int32_t a, int32_t b) const {
    if (total_order_by_list_) return a < b;
    const size_t i = static_cast<size_t>(a), j = static_cast<size_t>(b);
    const Place& from = place_[i];
    const Place& to = place_[j];
    if (from.column == to.column) return from.position < to.position;
    return from.position < clocks_[to.clock + static_cast<size_t>(from.column)];
  }
  // Neither happens before the other, and a != b.
  bool Concurrent(int32_t a, int32_t b) const { return a != b && !Before(a, b) && !Before(b, a); }

  // The last op of `stream` that happens before b; nullopt if none does. O(1).
  std::optional<int32_t> LastBefore(int32_t b, int32_t stream) const;
  // The first op of `stream` that happens after a; nullopt if none does. O(log n).
  std::optional<int32_t> FirstAfter(int32_t a, int32_t stream) const;
  // The largest list index among a and the ops that do not happen after a: every op with a larger index happens after
  // a. O(1) for one stream, else O(k log n).
  int32_t LatestConcurrent(int32_t a) const;

  // LatestConcurrent of every op. O(n + j*k).
  std::vector<int32_t> LatestConcurrentOfAll() const;

  // The ops, each after all that happen before it; the list order if that is such an order. TIES: smallest index first.
  absl::Span<const int32_t> TopologicalOrder() const { return order_; }
  // Before(a, b) == (a < b) for all ops: all are on one stream (or there is at most one op).
  bool total_order_by_list() const { return total_order_by_list_; }

 private:
  class Builder;

  // Where an op stands: the `position`-th op of the stream in `column`; its clock starts at clocks_[clock].
  struct Place {
    int32_t column = 0;
    int32_t position = 0;
    size_t clock = 0;
  };

  absl::Span<const int32_t> OpsOfColumn(int32_t column) const {
    const size_t begin = column_begin_[static_cast<size_t>(column)];
    return absl::MakeConstSpan(column_ops_).subspan(begin, column_begin_[static_cast<size_t>(column) + 1] - begin);
  }
  // The number of ops at the front of `column` that do not happen after a.
  size_t CountNotAfter(int32_t a, int32_t column) const;

  bool total_order_by_list_ = true;
  int32_t only_stream_ = 0;           // The stream in use, if total_order_by_list_.
  std::vector<int32_t> order_;        // TopologicalOrder.
  std::vector<Place> place_;          // Per op.
  std::vector<int32_t> column_;       // Per stream: its column. Streams without ops share the last, empty one.
  std::vector<size_t> column_begin_;  // Per column, into column_ops_; one more at the end.
  std::vector<int32_t> column_ops_;   // Ops by column, in list order.
  std::vector<int32_t> clocks_;       // Rows of one entry per column; the first row is all zero.
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_HAPPENS_BEFORE_H_
