#include "planner/order/schedule.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {

absl::StatusOr<Schedule> Schedule::Create(const Graph& graph, absl::Span<const FusionId> fused) {
  Schedule s(graph);
  const size_t n = graph.ops().size();
  s.ops_.resize(n);
  for (size_t i = 0; i < n; ++i) s.ops_[i] = OpId(static_cast<int32_t>(i));
  if (fused.empty()) {
    s.OrderStreams();
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
    return absl::InvalidArgumentError(
        absl::StrCat("the required fusions make a cycle across streams through ops ", names));
  }
  s.own_hb_ = std::make_unique<HappensBefore>(*std::move(hb));
  s.hb_ = s.own_hb_.get();
  s.OrderStreams();
  return s;
}

int32_t Schedule::LastBeforeBoth(int32_t a, int32_t b) const {
  int32_t last = kStart;
  if (a == kStart || b == kStart) return last;
  for (int32_t stream = 0; stream < graph_->num_streams(); ++stream) {
    const std::optional<int32_t> before_a = hb_->LastBefore(a, stream), before_b = hb_->LastBefore(b, stream);
    if (before_a.has_value() && before_b.has_value()) last = std::max(last, std::min(*before_a, *before_b));
  }
  return last;
}

void Schedule::OrderStreams() {
  if (one_stream()) return;
  latest_concurrent_ = hb_->LatestConcurrentOfAll();
  std::vector<int32_t> streams;
  streams.reserve(graph_->ops().size());
  for (const Op& op : graph_->ops()) streams.push_back(static_cast<int32_t>(op.stream.index()));
  chain_times_ = std::make_unique<ChainTimes>(*hb_, streams, graph_->num_streams());
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
