#include "planner/sharing/destinations.h"

#include <algorithm>
#include <utility>

#include "ir/expr_proof.h"
#include "ir/region.h"
#include "planner/sharing/strided.h"

namespace bufplan {
namespace {

// Copies of copies are followed so far.
constexpr int kMaxSteps = 6;

bool IsMovement(OpKind kind) {
  return kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier && kind != OpKind::kView;
}

}  // namespace

bool Destinations::Moves(OpId op) const {
  return IsMovement(g_.op(op).kind) && !schedule_.FusionAt(schedule_.TimeOf(op)).has_value();
}

Destinations::Destinations(const Graph& graph, const Schedule& schedule, const Uses& uses)
    : g_(graph), schedule_(schedule), uses_(uses) {
  const absl::Span<const Op> ops = graph.ops();
  if (std::none_of(ops.begin(), ops.end(), [](const Op& op) { return IsMovement(op.kind); })) return;
  begin_.assign(graph.values().size() + 2, 0);
  leads_.assign(graph.values().size(), 0);
  std::vector<std::pair<ValueId, Destination>> found;  // the last op's first
  const auto add = [&](ValueId from, Destination d) {
    const bool made = d.by == ArrivesBy::kBase || d.by == ArrivesBy::kInPlace;
    const char leads = made                       ? leads_[d.to.index()]
                       : d.by == ArrivesBy::kPart ? kToParts
                                                  : leads_[d.to.index()] | kToAll;
    if (leads == 0) return;
    leads_[from.index()] |= leads;
    ++begin_[from.index() + 2];
    found.emplace_back(from, std::move(d));
  };
  for (size_t i = ops.size(); i-- > 0;) ForEachEdge(OpId(static_cast<int32_t>(i)), add);
  for (size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  edges_.resize(found.size());
  for (auto edge = found.rbegin(); edge != found.rend(); ++edge) {
    edges_[begin_[edge->first.index() + 1]++] = std::move(edge->second);
  }
}

template <class F>
void Destinations::ForEachEdge(OpId o, F f) const {
  const Op& op = g_.op(o);
  if (op.num_writes == 0 && !op.commit_target.has_value()) return;
  if (schedule_.FusionAt(schedule_.TimeOf(o)).has_value()) return;
  for (const Write& w : g_.writes(op)) {
    if (leads_[w.value.index()] == 0) continue;
    for (const InPlace& p : g_.in_place(w)) {
      f(uses_.root(p.value), Destination{w.value, -uses_.offset(p.value), o, ArrivesBy::kInPlace});
    }
    if (w.base.has_value()) f(uses_.root(*w.base), Destination{w.value, -uses_.offset(*w.base), o, ArrivesBy::kBase});
  }
  if (!IsMovement(op.kind) || op.elide == Elide::kNever) return;
  const ValueId to = op.commit_target.has_value() ? *op.commit_target : g_.writes(op)[0].value;
  for (uint32_t r = op.num_reads; r-- > 0;) {
    const Read& read = g_.reads(op)[r];
    const Region target = read.to_region.has_value() ? g_.region(*read.to_region) : Region{0, g_.value(to).bytes, {}};
    if (!target.contiguous() || uses_.Unread(o, r)) continue;
    std::optional<Source> source = SourceOf(o, r);
    for (int step = 0; step < kMaxSteps && source.has_value(); ++step) {
      const Region& from = source->region;
      const bool whole = from == Region{0, g_.value(source->value).bytes, {}};
      if (whole) {
        f(source->value, Destination{to, target.at, o});
      } else if (from.contiguous() && from.run_bytes.is_constant()) {
        f(source->value, Destination{to, target.at - from.at, o, ArrivesBy::kPart, from.run_bytes.constant()});
      }
      source = Before(*source);
    }
  }
}

Source Destinations::SourceOf(OpId op, uint32_t read) const {
  const Read& r = g_.reads(g_.op(op))[read];
  Region region = r.region.has_value() ? g_.region(*r.region) : Region{0, g_.value(r.value).bytes, {}};
  region.at += uses_.offset(r.value);
  return {uses_.root(r.value), Normalized(std::move(region), g_.symbols()), schedule_.TimeOf(op)};
}

// In a concat the first part that may hold the byte; parts follow each other.
uint32_t Destinations::FirstPartAt(const Op& op, const Expr& at) const {
  if (op.kind != OpKind::kConcat || op.num_reads < 8 || !at.is_constant()) return 0;
  const absl::Span<const Read> reads = g_.reads(op);
  const auto after = [&](int64_t byte, const Read& r) {
    const Expr& begin = g_.region(*r.to_region).at;
    return !begin.is_constant() || begin.constant() > byte;
  };
  const auto next = std::upper_bound(reads.begin(), reads.end(), at.constant(), after);
  return static_cast<uint32_t>(next - reads.begin()) - (next != reads.begin());
}

std::optional<Source> Destinations::Before(const Source& source) const {
  const std::optional<OpId> producer = g_.producer(source.value);
  if (!producer.has_value() || schedule_.FusionAt(schedule_.TimeOf(*producer)).has_value()) return std::nullopt;
  const Op& op = g_.op(*producer);
  const absl::Span<const Symbol> symbols = g_.symbols();
  const Write* write = nullptr;
  for (const Write& w : g_.writes(op)) {
    if (w.value == source.value) write = &w;
  }
  const auto on_base = [&]() -> std::optional<Source> {
    Region region = source.region;
    region.at += uses_.offset(*write->base);
    return Source{uses_.root(*write->base), std::move(region), schedule_.TimeOf(*producer)};
  };
  if (!IsMovement(op.kind)) {
    if (!write->base.has_value() || write->cover == Cover::kPart || !write->region.has_value()) return std::nullopt;
    if (!ProveRegionsDisjoint(source.region, g_.region(*write->region), symbols)) return std::nullopt;
    return on_base();
  }
  bool apart = true;
  for (uint32_t r = FirstPartAt(op, source.region.at); r < op.num_reads; ++r) {
    const Read& read = g_.reads(op)[r];
    const Region to = Normalized(
        read.to_region.has_value() ? g_.region(*read.to_region) : Region{0, g_.value(source.value).bytes, {}}, symbols);
    if (ProveRegionsDisjoint(source.region, to, symbols)) {
      if (op.kind == OpKind::kConcat && ProveLessEqual(RegionEnd(source.region), to.at, symbols)) break;
      continue;
    }
    apart = false;
    Source before = SourceOf(*producer, r);
    if (to == source.region) return before;
    if (!to.contiguous()) return std::nullopt;
    // Inside of the part: the same bytes of its source.
    if (!ProveLessEqual(to.at, source.region.at, symbols)) return std::nullopt;
    if (!ProveLessEqual(RegionEnd(source.region), to.at + to.run_bytes, symbols)) return std::nullopt;
    Region inside = source.region;
    inside.at -= to.at;
    std::optional<Region> region = Compose(before.region, inside, symbols);
    if (!region.has_value()) return std::nullopt;
    before.region = *std::move(region);
    return before;
  }
  if (apart && write->base.has_value()) return on_base();
  return std::nullopt;
}

}  // namespace bufplan
