#include "planner/order/schedule.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {

absl::StatusOr<Schedule> Schedule::Create(const Graph& graph, absl::Span<const FusionId> fused,
                                          absl::Span<const OrderEdge> added) {
  Schedule s(graph);
  s.fused_.assign(fused.begin(), fused.end());
  s.ops_.resize(graph.ops().size());
  for (size_t i = 0; i < s.ops_.size(); ++i) s.ops_[i] = OpId(static_cast<int32_t>(i));
  if (!fused.empty()) s.Fuse(fused);
  if (!fused.empty() || !added.empty()) {
    if (absl::Status status = s.AddEdges(added); !status.ok()) return status;
    if (absl::Status status = s.CheckKeepAlive(fused); !status.ok()) return status;
  }
  s.OrderStreams();
  return s;
}

void Schedule::Fuse(absl::Span<const FusionId> fused) {
  const size_t n = ops_.size();
  time_.resize(n);
  std::iota(time_.begin(), time_.end(), 0);
  fusion_.assign(n, -1);
  for (FusionId f : fused) {
    const Fusion& group = graph_->fusions()[f.index()];
    const int32_t at = group.ops.back().value;
    fusion_[static_cast<size_t>(at)] = f.value;
    for (OpId o : group.ops) time_[o.index()] = at;
  }
  unit_begin_.assign(n + 1, 0);
  for (int32_t t : time_) ++unit_begin_[static_cast<size_t>(t) + 1];
  std::partial_sum(unit_begin_.begin(), unit_begin_.end(), unit_begin_.begin());
  std::vector<size_t> next(unit_begin_.begin(), unit_begin_.end() - 1);
  for (size_t i = 0; i < n; ++i) ops_[next[static_cast<size_t>(time_[i])]++] = OpId(static_cast<int32_t>(i));
  FindSwallowed();
}

// A relation of its own: of units, with more edges.
absl::Status Schedule::AddEdges(absl::Span<const OrderEdge> added) {
  std::vector<int32_t> streams;
  streams.reserve(ops_.size());
  for (const Op& op : graph_->ops()) streams.push_back(static_cast<int32_t>(op.stream.index()));
  std::vector<HappensBefore::Edge> edges;
  const auto add = [&](int32_t from, int32_t to) {
    const int32_t a = TimeOf(OpId(from)), b = TimeOf(OpId(to));
    if (a != b) edges.emplace_back(a, b);
  };
  for (const auto& [from, to] : graph_->cross_stream_edges()) add(from, to);
  for (const OrderEdge& e : added) add(e.before.value, e.after.value);
  std::vector<int32_t> cycle;
  absl::StatusOr<HappensBefore> hb = HappensBefore::Create(streams, graph_->num_streams(), edges, &cycle);
  if (!hb.ok()) {
    std::string names;
    for (int32_t o : cycle) absl::StrAppend(&names, names.empty() ? "" : ", ", "\"", graph_->name(OpId(o)), "\"");
    return absl::InvalidArgumentError(absl::StrCat(fused_.empty()  ? "the added order edges"
                                                   : added.empty() ? "the fused groups"
                                                                   : "the fused groups and added order edges",
                                                   " make a cycle across streams through ops ", names));
  }
  own_hb_ = std::make_unique<HappensBefore>(*std::move(hb));
  hb_ = own_hb_.get();
  const absl::Span<const int32_t> run = hb_->TopologicalOrder();
  if (std::is_sorted(run.begin(), run.end())) return absl::OkStatus();
  place_.resize(run.size());
  for (size_t i = 0; i < run.size(); ++i) place_[static_cast<size_t>(run[i])] = static_cast<int32_t>(i);
  return absl::OkStatus();
}

int32_t Schedule::LastBeforeBoth(int32_t a, int32_t b) const {
  int32_t last = kStart;
  if (a == kStart || b == kStart) return last;
  for (int32_t stream = 0; stream < graph_->num_streams(); ++stream) {
    const std::optional<int32_t> before_a = hb_->LastBefore(a, stream), before_b = hb_->LastBefore(b, stream);
    if (!before_a.has_value() || !before_b.has_value()) continue;
    const int32_t both = std::min(*before_a, *before_b);
    if (last == kStart || PlaceOf(both) > PlaceOf(last)) last = both;
  }
  return last;
}

void Schedule::OrderStreams() {
  if (one_stream()) return;
  latest_concurrent_ = hb_->LatestConcurrentOfAll();
  std::vector<int32_t> streams;
  streams.reserve(graph_->ops().size());
  for (const Op& op : graph_->ops()) streams.push_back(static_cast<int32_t>(op.stream.index()));
  chain_times_ = std::make_unique<ChainTimes>(*hb_, streams, graph_->num_streams(), place_);
}

// All edges of the graph still lead forward. What may be gone is a place on a stream: a member that now runs later.
absl::Status Schedule::CheckKeepAlive(absl::Span<const FusionId> fused) const {
  const HappensBefore& hb = graph_->happens_before();
  for (const KeepAlive& k : graph_->keep_alive()) {
    const std::optional<OpId> producer = graph_->producer(k.value);
    if (!producer.has_value()) continue;
    const int32_t until = TimeOf(k.until);
    if (TimeOf(*producer) == until || Before(TimeOf(*producer), until)) continue;
    const std::string what =
        absl::StrCat("keep_alive of value \"", graph_->name(k.value), "\" until op \"", graph_->name(k.until),
                     "\": its producer \"", graph_->name(*producer), "\" is not ordered before that any more");
    for (FusionId f : fused) {
      const Fusion& group = graph_->fusions()[f.index()];
      for (OpId o : group.ops) {
        const bool between =
            (o == *producer || hb.Before(producer->value, o.value)) && hb.Before(o.value, k.until.value);
        if (!between || TimeOf(o) == until || Before(TimeOf(o), until)) continue;
        return absl::InvalidArgumentError(absl::StrCat(what, ", as fusion \"", group.name, "\" runs \"",
                                                       graph_->name(o), "\" at the place of \"",
                                                       graph_->name(group.ops.back()), "\""));
      }
    }
    return absl::InvalidArgumentError(what);
  }
  return absl::OkStatus();
}

void Schedule::FindSwallowed() {
  swallowed_.assign(graph_->values().size(), 0);
  const auto inside = [&](ValueId v, int32_t time) {
    const std::optional<OpId> producer = graph_->producer(v);
    return producer.has_value() && time_[producer->index()] == time;
  };
  for (size_t i = 0; i < time_.size(); ++i) {
    if (fusion_[static_cast<size_t>(time_[i])] < 0) continue;
    for (const Write& w : graph_->writes(graph_->ops()[i])) swallowed_[w.value.index()] = 1;
  }
  for (size_t i = 0; i < time_.size(); ++i) {
    const Op& op = graph_->ops()[i];
    for (const Read& r : graph_->reads(op)) {
      if (!inside(r.value, time_[i])) swallowed_[r.value.index()] = 0;
    }
    for (const Write& w : graph_->writes(op)) {
      if (w.base.has_value() && !inside(*w.base, time_[i])) swallowed_[w.base->index()] = 0;
    }
  }
  for (ValueId v : graph_->outputs()) swallowed_[v.index()] = 0;
  for (const KeepAlive& k : graph_->keep_alive()) swallowed_[k.value.index()] = 0;
}

}  // namespace bufplan
