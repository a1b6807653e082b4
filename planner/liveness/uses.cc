#include "planner/liveness/uses.h"

#include <algorithm>
#include <optional>

#include "ir/expr_proof.h"

namespace bufplan {
namespace {

// Calls f(root, use) for every use in the graph.
template <class F>
void ForEachUse(const Graph& graph, const Schedule& schedule, const Uses& uses, F f) {
  const auto produced_at = [&](ValueId v) {
    const std::optional<OpId> p = graph.producer(v);
    return p.has_value() ? schedule.TimeOf(*p) : Schedule::kStart;
  };
  // Where bytes of v that its unit does not make itself come from: the value from outside that its bases lead to. A
  // fused group that reads its own result reads those there, if the result lies on its base.
  const auto outside = [&](ValueId v, int32_t time) -> std::optional<ValueId> {
    while (produced_at(v) == time) {
      std::optional<ValueId> base;
      for (const Write& w : graph.writes(graph.op(*graph.producer(v)))) {
        if (w.value == v) base = w.base;
      }
      if (!base.has_value()) return std::nullopt;
      v = *base;
    }
    return v;
  };
  const auto shifted = [&](ValueId v, ByteRange r) {
    const ByteRange whole = uses.range(v);
    const bool constant_place = uses.offset(v).is_constant();
    return ByteRange{whole.begin + r.begin, constant_place ? whole.begin + r.end : whole.end};
  };
  const int32_t n = static_cast<int32_t>(graph.ops().size());
  for (int32_t o = 0; o < n; ++o) {
    const Op& op = graph.op(OpId(o));
    const int32_t time = schedule.TimeOf(OpId(o));
    const bool fused = schedule.FusionAt(time).has_value();
    if (op.kind != OpKind::kView || fused) {  // a fused group reads what it makes views of
      const absl::Span<const Read> reads = graph.reads(op);
      for (uint32_t i = 0; i < reads.size(); ++i) {
        const std::optional<ValueId> v = fused ? outside(reads[i].value, time) : reads[i].value;
        if (v.has_value()) f(uses.root(*v), Use{time, o, i, UseKind::kRead, *v, shifted(*v, reads[i].span)});
      }
    }
    const absl::Span<const Write> writes = graph.writes(op);
    for (uint32_t i = 0; i < writes.size(); ++i) {
      if (!writes[i].base.has_value()) continue;
      const ValueId v = *writes[i].base;
      if (fused && produced_at(v) == time) continue;
      f(uses.root(v), Use{time, o, i, UseKind::kBase, v, uses.range(v)});
    }
  }
  for (const KeepAlive& k : graph.keep_alive()) {
    f(uses.root(k.value),
      Use{schedule.TimeOf(k.until), k.until.value, 0, UseKind::kKeepAlive, k.value, uses.range(k.value)});
  }
  for (ValueId v : graph.outputs()) f(uses.root(v), Use{schedule.End(), -1, 0, UseKind::kEnd, v, uses.range(v)});
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const Value& v = graph.values()[i];
    const ValueId id(static_cast<int32_t>(i));
    if (v.preserve || (v.role == Role::kVariable && !graph.commit_to(id).has_value())) {
      f(id, Use{schedule.End(), -1, 0, UseKind::kEnd, id, uses.range(id)});
    }
  }
}

}  // namespace

Uses::Uses(const Graph& graph, const Schedule& schedule) : graph_(&graph) {
  ResolveViews(schedule);
  begin_.assign(graph.values().size() + 2, 0);
  ForEachUse(graph, schedule, *this, [&](ValueId root, const Use&) { ++begin_[root.index() + 2]; });
  for (size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  uses_.resize(begin_.back());
  ForEachUse(graph, schedule, *this, [&](ValueId root, const Use& use) { uses_[begin_[root.index() + 1]++] = use; });
}

void Uses::ResolveViews(const Schedule& schedule) {
  const Graph& graph = *graph_;
  bool any = false;
  for (const Op& op : graph.ops()) any = any || op.kind == OpKind::kView;
  if (!any) return;
  const size_t n = graph.values().size();
  root_.resize(n);
  offset_.resize(n);
  range_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    root_[i] = ValueId(static_cast<int32_t>(i));
    range_[i] = {0, graph.values()[i].max_bytes};
  }
  for (const Op& op : graph.ops()) {
    if (op.kind != OpKind::kView) continue;
    const Read& read = graph.reads(op)[0];
    const ValueId to = graph.writes(op)[0].value;
    if (schedule.Swallowed(read.value)) continue;  // its source has no bytes: the fused group writes it
    const Region& region = graph.region(*read.region);
    root_[to.index()] = root_[read.value.index()];
    offset_[to.index()] = offset_[read.value.index()] + region.at;
    const Expr& offset = offset_[to.index()];
    const int64_t root_bytes = graph.value(root_[to.index()]).max_bytes;
    ByteRange& range = range_[to.index()];
    if (offset.is_constant()) {
      range = {offset.constant(), offset.constant() + graph.value(to).max_bytes};
    } else {
      const std::optional<Bounds> from = BoundsOf(offset, graph.symbols());
      const std::optional<Bounds> end = BoundsOf(offset + graph.value(to).bytes, graph.symbols());
      range = {from.has_value() ? from->min : 0, end.has_value() ? std::min(end->max, root_bytes) : root_bytes};
      range.end = std::max(range.end, range.begin);
    }
  }
}

Region Uses::RegionOf(const Use& use) const {
  const Expr at = offset(use.through);
  if (use.kind == UseKind::kRead) {
    const Read& read = graph_->reads(graph_->op(OpId(use.op)))[use.read];
    if (read.region.has_value()) {
      Region region = graph_->region(*read.region);
      region.at += at;
      return region;
    }
  }
  return Region{at, graph_->value(use.through).bytes, {}};
}

}  // namespace bufplan
