#include "tests/oracle/shuffle.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph_builder.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

class Shuffler {
 public:
  Shuffler(const Graph& graph, const ShuffleOptions& options, uint64_t seed)
      : graph_(graph), options_(options), rng_(seed), builder_(graph.name()) {}

  absl::StatusOr<Graph> Run() {
    for (const Symbol& s : graph_.symbols()) builder_.AddSymbol(s.name, s.min, s.max, s.multiple_of);
    for (size_t i = 0; i < graph_.spaces().size(); ++i) {
      builder_.AddSpace(graph_.name(SpaceId(static_cast<int32_t>(i))), graph_.spaces()[i]);
    }
    for (int32_t i = 0; i < graph_.num_streams(); ++i) builder_.AddStream(graph_.name(StreamId(i)));
    AddValues();
    for (size_t i = 0; i < graph_.ops().size(); ++i) AddOp(OpId(static_cast<int32_t>(i)));
    AddConstraints();
    return std::move(builder_).Build();
  }

 private:
  void AddValues() {
    std::vector<size_t> order;
    for (size_t i = 0; i < graph_.values().size(); ++i) order.push_back(i);
    if (options_.values) rng_.Shuffle(order);
    new_.resize(order.size());
    for (size_t i : order) {
      const Value& v = graph_.values()[i];
      ValueOptions o;
      o.space = v.space;
      o.alignment_bytes = v.own_alignment_bytes;
      o.pinned_offset_bytes = v.pinned_offset_bytes;
      o.preserve = v.preserve;
      o.writable = v.writable;
      new_[i] = builder_.AddValue(graph_.name(ValueId(static_cast<int32_t>(i))), v.bytes, v.role, std::move(o));
    }
  }

  ValueId New(ValueId v) const { return new_[v.index()]; }
  std::optional<ValueId> New(const std::optional<ValueId>& v) const {
    return v.has_value() ? std::optional<ValueId>(New(*v)) : std::nullopt;
  }
  std::optional<Region> Copy(const std::optional<RegionId>& r) const {
    return r.has_value() ? std::optional<Region>(graph_.region(*r)) : std::nullopt;
  }

  void AddOp(OpId o) {
    const Op& op = graph_.op(o);
    const std::string name(graph_.name(o));
    OpOptions options;
    options.stream = op.stream;
    options.scratch_bytes = op.scratch_bytes;
    options.elide = op.elide;
    if (op.kind == OpKind::kCompute) return AddCompute(op, name, options);
    if (op.kind == OpKind::kBarrier) return static_cast<void>(builder_.Barrier(name, options));
    const absl::Span<const Read> reads = graph_.reads(op);
    const std::optional<ValueId> from = reads.empty() ? std::nullopt : New(std::optional<ValueId>(reads[0].value));
    if (op.kind == OpKind::kCommit)
      return static_cast<void>(builder_.Commit(name, *from, New(*op.commit_target), options));
    const Write& w = graph_.writes(op)[0];
    const ValueId to = New(w.value);
    const Expr bytes = graph_.value(w.value).bytes;
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

  // The list's items in another order, some of them twice if `repeat`.
  template <class T>
  std::vector<T> Other(absl::Span<const T> list, bool repeat) {
    std::vector<T> items(list.begin(), list.end());
    if (!options_.constraints) return items;
    for (size_t i = 0; i < list.size() && repeat; ++i) {
      if (rng_.Percent(30)) items.push_back(list[i]);
    }
    rng_.Shuffle(items);
    return items;
  }

  void AddConstraints() {
    for (const OrderEdge& e : Other(graph_.order(), true)) builder_.Order(e.before, e.after);
    for (const KeepAlive& k : Other(graph_.keep_alive(), true)) builder_.KeepAliveUntil(New(k.value), k.until);
    for (const DisjointPair& d : Other(graph_.disjoint(), true)) {
      const bool turn = options_.constraints && rng_.Percent(50);
      builder_.Disjoint(New(turn ? d.b : d.a), New(turn ? d.a : d.b));
    }
    for (Fusion f : graph_.fusions()) {
      if (options_.constraints) rng_.Shuffle(f.ops);
      for (FusionInPlace& p : f.in_place) p = {New(p.result), New(p.value), p.mode};
      builder_.AddFusion(std::move(f));
    }
    for (ValueId v : Other(graph_.outputs(), false)) builder_.Output(New(v));
  }

  const Graph& graph_;
  ShuffleOptions options_;
  Rng rng_;
  GraphBuilder builder_;
  std::vector<ValueId> new_;  // by old ValueId
};

}  // namespace

absl::StatusOr<Graph> Shuffle(const Graph& graph, const ShuffleOptions& options, uint64_t seed) {
  return Shuffler(graph, options, seed).Run();
}

}  // namespace bufplan
