#include "tests/oracle/rebuild.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

class Rebuilder {
 public:
  Rebuilder(const Graph& graph, const Recipe& recipe) : graph_(graph), recipe_(recipe), builder_(graph.name()) {}

  absl::StatusOr<Graph> Run() {
    for (const Symbol& s : graph_.symbols()) builder_.AddSymbol(s.name, s.min, s.max, s.multiple_of);
    for (size_t i = 0; i < graph_.spaces().size(); ++i) {
      builder_.AddSpace(Name(SpaceId(static_cast<int32_t>(i))), graph_.spaces()[i]);
    }
    for (int32_t i = 0; i < recipe_.num_streams; ++i) {
      builder_.AddStream(i < graph_.num_streams() ? Name(StreamId(i)) : absl::StrCat("more", i));
    }
    AddValues();
    new_op_.assign(graph_.ops().size(), std::nullopt);
    for (size_t i = 0; i < graph_.ops().size(); ++i) {
      const OpId o(static_cast<int32_t>(i));
      if (!recipe_.keeps_op[i]) continue;
      if (!HasAll(o)) return absl::InvalidArgumentError("an op lacks what it uses");
      AddOp(o);
      new_op_[i] = builder_.last_op();
    }
    AddConstraints();
    return std::move(builder_).Build();
  }

 private:
  void AddValues() {
    new_.assign(graph_.values().size(), std::nullopt);
    for (size_t i : recipe_.values) {
      const Value& v = graph_.values()[i];
      ValueOptions o;
      o.space = v.space;
      o.alignment_bytes = v.own_alignment_bytes;
      o.pinned_offset_bytes = v.pinned_offset_bytes;
      o.preserve = v.preserve;
      o.writable = v.writable;
      new_[i] = builder_.AddValue(Name(ValueId(static_cast<int32_t>(i))), recipe_.bytes[i], v.role, std::move(o));
    }
  }

  template <class IdType>
  std::string Name(IdType id) const {
    return recipe_.keeps_names ? std::string(graph_.name(id)) : std::string();
  }
  bool Has(ValueId v) const { return new_[v.index()].has_value(); }
  bool Has(OpId o) const { return new_op_[o.index()].has_value(); }
  bool HasAll(OpId o) const {
    const Op& op = graph_.op(o);
    bool all = !op.commit_target.has_value() || Has(*op.commit_target);
    for (const Read& r : graph_.reads(op)) all = all && Has(r.value);
    for (const Write& w : graph_.writes(op)) all = all && Has(w.value) && (!w.base.has_value() || Has(*w.base));
    return all;
  }
  ValueId New(ValueId v) const { return *new_[v.index()]; }
  OpId New(OpId o) const { return *new_op_[o.index()]; }
  std::optional<ValueId> New(const std::optional<ValueId>& v) const {
    return v.has_value() ? std::optional<ValueId>(New(*v)) : std::nullopt;
  }
  std::optional<Region> Copy(const std::optional<RegionId>& r) const {
    return r.has_value() ? std::optional<Region>(graph_.region(*r)) : std::nullopt;
  }

  void AddOp(OpId o) {
    const Op& op = graph_.op(o);
    const std::string name = Name(o);
    OpOptions options;
    options.stream = recipe_.stream_of_op[o.index()];
    options.scratch_bytes = recipe_.scratch[o.index()];
    options.elide = op.elide;
    if (op.kind == OpKind::kCompute) return AddCompute(op, name, options);
    if (op.kind == OpKind::kBarrier) return static_cast<void>(builder_.Barrier(name, options));
    const absl::Span<const Read> reads = graph_.reads(op);
    const std::optional<ValueId> from = reads.empty() ? std::nullopt : New(std::optional<ValueId>(reads[0].value));
    if (op.kind == OpKind::kCommit)
      return static_cast<void>(builder_.Commit(name, *from, New(*op.commit_target), options));
    const Write& w = graph_.writes(op)[0];
    const ValueId to = New(w.value);
    const Expr bytes = recipe_.bytes[w.value.index()];
    switch (op.kind) {
      case OpKind::kView: builder_.View(name, *from, graph_.region(*reads[0].region).at, bytes, to, options); break;
      case OpKind::kSlice: builder_.Slice(name, *from, graph_.region(*reads[0].region).at, bytes, to, options); break;
      case OpKind::kClone: builder_.Clone(name, *from, to, options); break;
      case OpKind::kTransfer: builder_.Transfer(name, *from, to, options); break;
      case OpKind::kUpdate:
        builder_.Update(name, New(*w.base), *from, graph_.region(*reads[0].to_region).at, to, options);
        break;
      case OpKind::kFill: builder_.Fill(name, New(w.base), Copy(w.region), bytes, to, options); break;
      case OpKind::kConcat: {
        std::vector<ValueId> parts;
        for (const Read& r : reads) parts.push_back(New(r.value));
        builder_.Concat(name, parts, to, options);
        break;
      }
      default: {
        std::vector<CopyPart> parts;
        for (const Read& r : reads) parts.push_back({New(r.value), Copy(r.region), Copy(r.to_region)});
        builder_.Copy(name, std::move(parts), New(w.base), bytes, to, options);
      }
    }
  }

  void AddCompute(const Op& op, const std::string& name, const OpOptions& options) {
    ComputeSpec spec;
    spec.options = options;
    for (const Read& r : graph_.reads(op)) {
      Operand operand(New(r.value));
      operand.region = Copy(r.region);
      operand.strides_ok = r.strides_ok;
      operand.offset_multiple = r.offset_multiple;
      spec.reads.push_back(std::move(operand));
    }
    for (const Write& w : graph_.writes(op)) {
      Result& result = spec.writes.emplace_back();
      result.value = New(w.value);
      result.base = New(w.base);
      result.region = Copy(w.region);
      result.cover = w.cover;
      result.movable = w.movable;
      for (const InPlace& p : graph_.in_place(w)) result.in_place.push_back({New(p.value), p.mode});
    }
    builder_.Compute(name, std::move(spec));
  }

  void AddConstraints() {
    for (const OrderEdge& e : recipe_.order) {
      if (Has(e.before) && Has(e.after)) builder_.Order(New(e.before), New(e.after));
    }
    for (const KeepAlive& k : recipe_.keep_alive) {
      if (Has(k.value) && Has(k.until)) builder_.KeepAliveUntil(New(k.value), New(k.until));
    }
    for (const DisjointPair& d : recipe_.disjoint) {
      if (Has(d.a) && Has(d.b)) builder_.Disjoint(New(d.a), New(d.b));
    }
    for (Fusion f : recipe_.fusions) {
      if (!std::all_of(f.ops.begin(), f.ops.end(), [&](OpId o) { return Has(o); })) continue;
      for (OpId& o : f.ops) o = New(o);
      for (FusionInPlace& p : f.in_place) p = {New(p.result), New(p.value), p.mode};
      builder_.AddFusion(std::move(f));
    }
    for (ValueId v : recipe_.outputs) {
      if (Has(v)) builder_.Output(New(v));
    }
  }

  const Graph& graph_;
  const Recipe& recipe_;
  GraphBuilder builder_;
  std::vector<std::optional<ValueId>> new_;  // by old ValueId
  std::vector<std::optional<OpId>> new_op_;  // by old OpId
};

}  // namespace

Recipe WholeRecipe(const Graph& graph) {
  Recipe r;
  for (size_t i = 0; i < graph.values().size(); ++i) r.values.push_back(i);
  r.keeps_op.assign(graph.ops().size(), true);
  for (const Value& v : graph.values()) r.bytes.push_back(v.bytes);
  r.num_streams = graph.num_streams();
  for (const Op& op : graph.ops()) {
    r.scratch.push_back(op.scratch_bytes);
    r.stream_of_op.push_back(op.stream);
  }
  r.order.assign(graph.order().begin(), graph.order().end());
  r.keep_alive.assign(graph.keep_alive().begin(), graph.keep_alive().end());
  r.disjoint.assign(graph.disjoint().begin(), graph.disjoint().end());
  r.fusions.assign(graph.fusions().begin(), graph.fusions().end());
  r.outputs.assign(graph.outputs().begin(), graph.outputs().end());
  return r;
}

absl::StatusOr<Graph> Rebuild(const Graph& graph, const Recipe& recipe) { return Rebuilder(graph, recipe).Run(); }

}  // namespace bufplan
