#include "planner/order/schedule.h"

#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {

absl::StatusOr<Schedule> Schedule::Create(const Graph& graph, absl::Span<const FusionId> fused) {
  Schedule s(graph);
  const size_t n = graph.ops().size();
  s.ops_.resize(n);
  for (size_t i = 0; i < n; ++i) s.ops_[i] = OpId(static_cast<int32_t>(i));
  if (fused.empty()) {
    if (!s.one_stream()) s.latest_concurrent_ = s.hb_->LatestConcurrentOfAll();
    return s;
  }

  s.time_.resize(n);
  std::iota(s.time_.begin(), s.time_.end(), 0);
  s.fusion_.assign(n, -1);
  for (FusionId f : fused) {
    const Fusion& group = graph.fusions()[f.index()];
    const int32_t at = group.ops.back().value;
    s.fusion_[static_cast<size_t>(at)] = f.value;
    for (OpId o : group.ops) s.time_[o.index()] = at;
  }
  s.unit_begin_.assign(n + 1, 0);
  for (int32_t t : s.time_) ++s.unit_begin_[static_cast<size_t>(t) + 1];
  std::partial_sum(s.unit_begin_.begin(), s.unit_begin_.end(), s.unit_begin_.begin());
  std::vector<size_t> next(s.unit_begin_.begin(), s.unit_begin_.end() - 1);
  for (size_t i = 0; i < n; ++i) s.ops_[next[static_cast<size_t>(s.time_[i])]++] = OpId(static_cast<int32_t>(i));
  s.FindSwallowed();

  std::vector<int32_t> streams(n);
  for (size_t i = 0; i < n; ++i) streams[i] = static_cast<int32_t>(graph.ops()[i].stream.index());
  std::vector<HappensBefore::Edge> edges;
  for (const auto& [from, to] : graph.cross_stream_edges()) {
    const int32_t a = s.time_[static_cast<size_t>(from)], b = s.time_[static_cast<size_t>(to)];
    if (a != b) edges.emplace_back(a, b);
  }
  std::vector<int32_t> cycle;
  absl::StatusOr<HappensBefore> hb = HappensBefore::Create(streams, graph.num_streams(), edges, &cycle);
  if (!hb.ok()) {
    std::string names;
    for (int32_t o : cycle) absl::StrAppend(&names, names.empty() ? "" : ", ", "\"", graph.name(OpId(o)), "\"");
    return absl::InvalidArgumentError(absl::StrCat("the fused groups make a cycle across streams through ops ", names));
  }
  s.own_hb_ = std::make_unique<HappensBefore>(*std::move(hb));
  s.hb_ = s.own_hb_.get();
  if (absl::Status status = s.CheckKeepAlive(fused); !status.ok()) return status;
  if (!s.one_stream()) s.latest_concurrent_ = s.hb_->LatestConcurrentOfAll();
  return s;
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
