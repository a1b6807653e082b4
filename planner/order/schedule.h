// The schedule: what runs as one, in which order, and what happens before what.
//
// A *unit* is an op, or a fused group, which runs as one op, as a rule at its last member's place. Times are list
// positions: the unit that runs at the place of op i has time i; the other members of a group have no unit of their
// own.
//
//   time       0    1    2    3    4        kStart = -1 before all, End() = 5 after all
//   op         a    b    c    d    e        group {b, d}:
//   unit       a    .    c   b+d   e        TimeOf(b) = TimeOf(d) = 3, UnitAt(1) is empty
//
// Where a group must run before an op that is listed ahead of its last member, times count the units instead, in an
// order in which all edges lead forward: with c reading b, the units are a, b+d, c, e at times 0 to 3, and End() is 4.
//
// Edges that a plan adds may lead backward in the list. Units then run in another order, and where they do, and only
// there, the place of a unit in the run is not its time: see PlaceOf().
//
// COST: O(ops + edges); nothing but views on the graph when no group is fused. With several streams see chain_times.h.
// THREADS: immutable. LIFETIME: refers to the graph.
#ifndef BUFPLAN_PLANNER_ORDER_SCHEDULE_H_
#define BUFPLAN_PLANNER_ORDER_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/happens_before.h"
#include "planner/order/chain_times.h"

namespace bufplan {

class Schedule {
 public:
  static constexpr int32_t kStart = -1;

  // `fused` are the groups that run as one op. They must not overlap. `added`: order edges beside the graph's own.
  // ERRORS: InvalidArgument if the groups and edges together make a cycle; names them. Also if the op
  // of a keep-alive no longer comes after the producer of its value, as a group moves what lay between; names them.
  static absl::StatusOr<Schedule> Create(const Graph& graph, absl::Span<const FusionId> fused,
                                         absl::Span<const OrderEdge> added = {});

  // The same with these edges beside the graph's own, in place of others that were added. ERRORS: as Create.
  absl::StatusOr<Schedule> WithEdges(absl::Span<const OrderEdge> added) const { return Create(*graph_, fused_, added); }

  Schedule(Schedule&&) = default;
  Schedule& operator=(Schedule&&) = default;

  int32_t End() const { return end_; }
  int32_t TimeOf(OpId o) const { return time_.empty() ? o.value : time_[o.index()]; }
  absl::Span<const OpId> UnitAt(int32_t time) const {
    const size_t t = static_cast<size_t>(time);
    if (unit_begin_.empty()) return absl::MakeConstSpan(ops_).subspan(t, 1);
    return absl::MakeConstSpan(ops_).subspan(unit_begin_[t], unit_begin_[t + 1] - unit_begin_[t]);
  }
  // The op after which people call the unit at this time: of a group, its last member.
  OpId OpAt(int32_t time) const {
    const absl::Span<const OpId> unit = UnitAt(time);
    return unit.empty() ? OpId(time) : unit.back();
  }
  // The op at whose place in the list the unit at this time runs: of a group, that after which it runs.
  OpId ListedAt(int32_t time) const {
    const std::optional<FusionId> group = FusionAt(time);
    return group.has_value() ? graph_->fusions()[group->index()].at : OpAt(time);
  }
  // The group that runs at this time.
  std::optional<FusionId> FusionAt(int32_t time) const {
    if (fusion_.empty() || fusion_[static_cast<size_t>(time)] < 0) return std::nullopt;
    return FusionId(fusion_[static_cast<size_t>(time)]);
  }
  bool Fused(FusionId f) const { return FusionAt(TimeOf(graph_->fusions()[f.index()].ops.back())) == f; }
  // Written inside a fused group and used nowhere else: it has no bytes.
  bool Swallowed(ValueId v) const { return !swallowed_.empty() && swallowed_[v.index()]; }

  bool one_stream() const { return hb_->total_order_by_list(); }
  int32_t StreamOf(int32_t time) const { return graph_->op(OpAt(time)).stream.value; }
  // a and b are times of units, kStart or End().
  bool Before(int32_t a, int32_t b) const {
    if (a == kStart || b == End()) return a != b;
    if (b == kStart || a == End()) return false;
    return hb_->Before(a, b);
  }
  // The place in the run of the unit at `time`, counted from 0; kStart and End() stand for themselves. And the reverse.
  int32_t PlaceOf(int32_t time) const {
    return place_.empty() || time == kStart || time == End() ? time : place_[static_cast<size_t>(time)];
  }
  int32_t TimeAtPlace(int32_t place) const {
    return place_.empty() || place == kStart || place == End() ? place
                                                               : hb_->TopologicalOrder()[static_cast<size_t>(place)];
  }
  // When units are over for each chain, as places in the run. There are several streams.
  const ChainTimes& chain_times() const { return *chain_times_; }
  // The latest unit that happens before both; kStart if none does.
  int32_t LastBeforeBoth(int32_t a, int32_t b) const;
  // The latest time at which something may still run that does not happen after the unit at `a`; End() for End().
  int32_t LatestConcurrent(int32_t a) const {
    if (a == kStart || a == End() || one_stream()) return a;
    return latest_concurrent_[static_cast<size_t>(a)];
  }

 private:
  explicit Schedule(const Graph& graph) : graph_(&graph), hb_(&graph.happens_before()) {}
  void FindSwallowed();
  absl::Status Fuse();
  absl::Status CountUnits();
  void ListUnits();
  std::vector<int32_t> Streams() const;
  std::vector<HappensBefore::Edge> Edges() const;
  absl::Status Cycle(absl::Span<const int32_t> times, bool added) const;
  absl::Status AddEdges(absl::Span<const OrderEdge> added);
  void OrderStreams();
  absl::Status CheckKeepAlive(absl::Span<const FusionId> fused) const;

  const Graph* graph_;
  const HappensBefore* hb_;
  std::unique_ptr<HappensBefore> own_hb_;  // when groups are fused
  std::vector<FusionId> fused_;
  int32_t end_ = 0;
  std::vector<OpId> ops_;                    // by unit
  std::vector<size_t> unit_begin_;           // by time, into ops_; empty: every op is a unit
  std::vector<int32_t> time_, fusion_;       // by op / by time; empty: nothing is fused
  std::vector<int32_t> place_;               // by time; empty: the list is the run
  std::vector<int32_t> latest_concurrent_;   // by time; empty for one stream
  std::unique_ptr<ChainTimes> chain_times_;  // null for one stream
  std::vector<char> swallowed_;              // by value; empty: none
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_ORDER_SCHEDULE_H_
