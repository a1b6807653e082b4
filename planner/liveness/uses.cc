#include "planner/liveness/uses.h"

#include <algorithm>
#include <optional>

#include "ir/expr_proof.h"

namespace bufplan {
namespace {

ByteRange Shifted(const Uses& uses, ValueId v, ByteRange r) {
  if (uses.is_root(v)) return r;
  const ByteRange whole = uses.range(v);
  const bool constant_place = uses.offset(v).is_constant();
  return ByteRange{whole.begin + r.begin, constant_place ? whole.begin + r.end : whole.end};
}

int32_t ProducedAt(const Graph& graph, const Schedule& schedule, ValueId v) {
  const std::optional<OpId> p = graph.producer(v);
  return p.has_value() ? schedule.TimeOf(*p) : Schedule::kStart;
}

// Where bytes of v that its unit does not make itself come from: the value from outside that its bases lead to. A
// fused group that reads its own result reads those there, if the result lies on its base.
std::optional<ValueId> Outside(const Graph& graph, const Schedule& schedule, ValueId v, int32_t time) {
  while (ProducedAt(graph, schedule, v) == time) {
    std::optional<ValueId> base;
    for (const Write& w : graph.writes(graph.op(*graph.producer(v)))) {
      if (w.value == v) base = w.base;
    }
    if (!base.has_value()) return std::nullopt;
    v = *base;
  }
  return v;
}

// What a write overwrites, if that is one run.
std::optional<Region> WrittenRun(const Graph& graph, const Op& op, const Write& w) {
  if (w.cover == Cover::kPart) return std::nullopt;
  std::optional<RegionId> region = w.region;
  if (op.kind != OpKind::kCompute && op.kind != OpKind::kFill) {
    if (op.num_reads != 1) return std::nullopt;
    region = graph.reads(op)[0].to_region;
  }
  const Region run = region.has_value() ? graph.region(*region) : Region{0, graph.value(w.value).bytes, {}};
  return run.contiguous() ? std::optional<Region>(run) : std::nullopt;
}

bool IsConstant(const Region& r) { return r.contiguous() && r.at.is_constant() && r.run_bytes.is_constant(); }

}  // namespace

Uses::Uses(const Graph& graph, const Schedule& schedule, const std::vector<char>* in_full) : graph_(&graph) {
  ResolveViews(schedule);
  if (in_full != nullptr) FindNeeded(schedule, *in_full);
  begin_.assign(graph.values().size() + 2, 0);
  ForEachUse(schedule, [&](ValueId root, const Use&) { ++begin_[root.index() + 2]; });
  for (size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  uses_.resize(begin_.back());
  ForEachUse(schedule, [&](ValueId root, const Use& use) { uses_[begin_[root.index() + 1]++] = use; });
}

template <class F>
void Uses::ForEachUse(const Schedule& schedule, F f) const {
  const int32_t n = static_cast<int32_t>(graph_->ops().size());
  for (int32_t o = 0; o < n; ++o) ForEachUseOf(OpId(o), schedule, f);
  ForEachLastingUse(schedule, f);
}

template <class F>
void Uses::ForEachUseOf(OpId o, const Schedule& schedule, F f) const {
  const Op& op = graph_->op(o);
  const int32_t time = schedule.TimeOf(o);
  const bool fused = schedule.FusionAt(time).has_value();
  if (op.kind != OpKind::kView || fused) {  // a fused group reads what it makes views of
    const absl::Span<const Read> reads = graph_->reads(op);
    for (uint32_t i = 0; i < reads.size(); ++i) {
      const std::optional<ValueId> v = fused ? Outside(*graph_, schedule, reads[i].value, time) : reads[i].value;
      if (!v.has_value()) continue;
      const int32_t set = part_.empty() ? -1 : part_[op.first_read + i];
      if (set < 0) {
        f(root(*v), Use{time, o.value, i, UseKind::kRead, Extent::kNamed, *v, Shifted(*this, *v, reads[i].span)});
        continue;
      }
      for (const ByteRange& r : sets_[static_cast<size_t>(set)].ranges()) {
        f(root(*v), Use{time, o.value, i, UseKind::kRead, Extent::kRange, *v, r});
      }
    }
  }
  const absl::Span<const Write> writes = graph_->writes(op);
  for (uint32_t i = 0; i < writes.size(); ++i) {
    if (writes[i].base.has_value()) ForEachBaseUse(o, i, schedule, f);
  }
}

template <class F>
void Uses::ForEachBaseUse(OpId o, uint32_t i, const Schedule& schedule, F f) const {
  const Op& op = graph_->op(o);
  const Write& w = graph_->writes(op)[i];
  const int32_t time = schedule.TimeOf(o);
  const ValueId v = *w.base;
  const bool fused = schedule.FusionAt(time).has_value();
  if (fused && ProducedAt(*graph_, schedule, v) == time) return;
  const auto use = [&](Extent extent, ByteRange range) {
    if (!range.empty()) f(root(v), Use{time, o.value, i, UseKind::kBase, extent, v, range});
  };
  const int32_t set = base_.empty() ? -1 : base_[op.first_write + i];
  if (set >= 0) {
    for (const ByteRange& r : sets_[static_cast<size_t>(set)].ranges()) use(Extent::kRange, r);
    return;
  }
  const ByteRange all = range(v);
  const std::optional<Region> run = fused ? std::nullopt : WrittenRun(*graph_, op, w);
  if (!run.has_value()) return use(Extent::kNamed, all);
  if (IsConstant(*run) && offset(v).is_constant()) {
    const int64_t at = all.begin + run->at.constant();
    use(Extent::kRange, {all.begin, at});
    use(Extent::kRange, {at + run->run_bytes.constant(), all.end});
    return;
  }
  const std::optional<Bounds> at = BoundsOf(offset(v) + run->at, graph_->symbols());
  const std::optional<Bounds> end = BoundsOf(offset(v) + run->at + run->run_bytes, graph_->symbols());
  if (!at.has_value() || !end.has_value()) return use(Extent::kNamed, all);
  use(Extent::kBelow, {all.begin, std::min(all.end, at->max)});
  use(Extent::kAbove, {std::max(all.begin, end->min), all.end});
}

template <class F>
void Uses::ForEachLastingUse(const Schedule& schedule, F f) const {
  const Graph& graph = *graph_;
  for (const KeepAlive& k : graph.keep_alive()) {
    f(root(k.value),
      Use{schedule.TimeOf(k.until), k.until.value, 0, UseKind::kKeepAlive, Extent::kNamed, k.value, range(k.value)});
  }
  const auto at_end = [&](ValueId v) {
    f(root(v), Use{schedule.End(), -1, 0, UseKind::kEnd, Extent::kNamed, v, range(v)});
  };
  for (ValueId v : graph.outputs()) at_end(v);
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const Value& v = graph.values()[i];
    const ValueId id(static_cast<int32_t>(i));
    if (v.preserve || (v.role == Role::kVariable && !graph.commit_to(id).has_value())) at_end(id);
  }
}

// Backwards over the ops: what is needed of a result says what is needed of its base and its sources.
void Uses::FindNeeded(const Schedule& schedule, const std::vector<char>& in_full) {
  const Graph& graph = *graph_;
  const auto derives = [&](const Op& op) {
    if (op.kind != OpKind::kCompute) return op.kind != OpKind::kView && op.kind != OpKind::kBarrier;
    const absl::Span<const Write> writes = graph.writes(op);
    return std::any_of(writes.begin(), writes.end(), [](const Write& w) { return w.base.has_value(); });
  };
  // It makes a difference only where something is copied, or one value is the base of several.
  size_t reads = 0, writes = 0;
  bool any = false;
  std::vector<char> is_base;
  for (const Op& op : graph.ops()) {
    reads += op.num_reads;
    writes += op.num_writes;
    any = any || (op.kind != OpKind::kCompute && op.kind != OpKind::kCommit && derives(op));
    for (const Write& w : graph.writes(op)) {
      if (!w.base.has_value()) continue;
      is_base.resize(graph.values().size(), 0);
      char& seen = is_base[root(*w.base).index()];
      any = any || seen != 0;
      seen = 1;
    }
  }
  if (!any) return;
  std::vector<int32_t> part(reads, -1), base(writes, -1);
  std::vector<RangeSet> needed(graph.values().size());  // by root
  std::vector<char> derived(graph.values().size(), 0);  // only of these it matters
  for (const Op& op : graph.ops()) {
    for (const Write& w : graph.writes(op)) {
      derived[w.value.index()] = w.base.has_value() || (op.kind != OpKind::kCompute && op.kind != OpKind::kView);
    }
  }
  const auto need = [&](ValueId root, const Use& use) {
    if (derived[root.index()] != 0) needed[root.index()].Add(use.range);
  };
  ForEachLastingUse(schedule, need);
  for (int32_t i = static_cast<int32_t>(graph.ops().size()) - 1; i >= 0; --i) {
    const OpId o(i);
    const Op& op = graph.op(o);
    const absl::Span<const Read> operands = graph.reads(op);
    const bool matters = derives(op) || std::any_of(operands.begin(), operands.end(),
                                                    [&](const Read& r) { return derived[root(r.value).index()] != 0; });
    if (!matters) continue;
    const bool plain = op.kind == OpKind::kCompute || op.kind == OpKind::kFill || op.kind == OpKind::kCommit;
    const bool reduces = derives(op) && in_full[o.index()] == 0 && !schedule.FusionAt(schedule.TimeOf(o)).has_value();
    if (!reduces) {
      ForEachUseOf(o, schedule, need);
      continue;
    }
    for (uint32_t r = 0; r < op.num_reads; ++r) {
      const Read& read = graph.reads(op)[r];
      const Region whole{0, graph.value(read.value).bytes, {}};
      const Region from = read.region.has_value() ? graph.region(*read.region) : whole;
      const Region to = read.to_region.has_value() ? graph.region(*read.to_region) : whole;
      if (!plain) {
        const RangeSet& result = needed[graph.writes(op)[0].value.index()];
        const bool exact = IsConstant(from) && IsConstant(to) && offset(read.value).is_constant();
        const ByteRange target = IsConstant(to)
                                     ? ByteRange{to.at.constant(), to.at.constant() + to.run_bytes.constant()}
                                     : ByteRange{0, graph.value(graph.writes(op)[0].value).max_bytes};
        if (exact || !result.Meets(target)) {
          const int64_t shift = exact ? range(read.value).begin + from.at.constant() - target.begin : 0;
          RangeSet set = result.Within(target, shift);
          const bool all = set.ranges().size() == 1 && set.ranges()[0].size() == target.size();
          if (!all || target.empty()) {
            part[op.first_read + r] = static_cast<int32_t>(sets_.size());
            sets_.push_back(std::move(set));
          }
        }
      }
    }
    for (uint32_t k = 0; k < op.num_writes; ++k) {
      const Write& w = graph.writes(op)[k];
      if (!w.base.has_value()) continue;
      const std::optional<Region> run = WrittenRun(graph, op, w);
      if (!run.has_value() || !IsConstant(*run) || !offset(*w.base).is_constant()) continue;
      const int64_t shift = range(*w.base).begin;
      const ByteRange written = {run->at.constant(), run->at.constant() + run->run_bytes.constant()};
      base[op.first_write + k] = static_cast<int32_t>(sets_.size());
      sets_.push_back(needed[w.value.index()].Without(written).Within({0, graph.value(w.value).max_bytes}, shift));
    }
    // What this op needs goes on, by the same rules.
    part_.swap(part);
    base_.swap(base);
    ForEachUseOf(o, schedule, need);
    part_.swap(part);
    base_.swap(base);
  }
  part_ = std::move(part);
  base_ = std::move(base);
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

std::optional<ByteRange> Uses::Overwrites(const Use& use) const {
  const Op& op = graph_->op(OpId(use.op));
  const std::optional<Region> run = WrittenRun(*graph_, op, graph_->writes(op)[use.read]);
  if (!run.has_value() || !IsConstant(*run) || !offset(use.through).is_constant()) return std::nullopt;
  const int64_t at = range(use.through).begin + run->at.constant();
  return ByteRange{at, at + run->run_bytes.constant()};
}

Region Uses::RegionOf(const Use& use) const {
  const Expr at = offset(use.through);
  if (use.extent == Extent::kRange) return Region{use.range.begin, use.range.size(), {}};
  if (use.extent == Extent::kBelow || use.extent == Extent::kAbove) {
    const Op& op = graph_->op(OpId(use.op));
    const Region run = *WrittenRun(*graph_, op, graph_->writes(op)[use.read]);
    if (use.extent == Extent::kBelow) return Region{at, run.at, {}};
    const Expr end = run.at + run.run_bytes;
    return Region{at + end, graph_->value(use.through).bytes - end, {}};
  }
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
