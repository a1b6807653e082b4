#include "gpu_runtime/registry/group_match.h"

#include <algorithm>
#include <cstddef>

#include "gpu_runtime/registry/find_fused_kernel.h"
namespace bufplan::runtime {
namespace {

bool NamesFit(const FusedDefinition& d, absl::Span<const ChainMember> chain) {
  const bool repeats = d.max_repeats > 1;
  if (repeats ? chain.size() < 2 || chain.size() > d.max_repeats : chain.size() != d.members.size()) return false;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (chain[i].op->definition->name != d.members[repeats ? 0 : i]) return false;
  }
  return true;
}

// The operand of `o` that is all of `value`, if it is read once.
std::optional<size_t> LinkOf(const Graph& graph, const BoundOp& bound, OpId o, ValueId value) {
  std::optional<size_t> link;
  const absl::Span<const Read> reads = graph.reads(graph.op(o));
  for (size_t slot = 0; slot < reads.size(); ++slot) {
    if (reads[slot].value != value) continue;
    const bool whole =
        !reads[slot].region.has_value() && IntegerOf(bound.spec, bound.definition->reads[slot].offset) == Expr(0);
    if (link.has_value() || !whole) return std::nullopt;
    link = slot;
  }
  return link;
}

bool ReadsBase(const Graph& graph, OpId o, ValueId value) {
  for (const Write& w : graph.writes(graph.op(o))) {
    if (w.base == value) return true;
  }
  return false;
}

// The members as a chain; empty if they are none.
std::vector<ChainMember> ChainOf(const Graph& graph, const ValueUses& uses,
                                 absl::Span<const std::optional<BoundOp>> bound, absl::Span<const OpId> ops) {
  std::vector<ChainMember> chain;
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::optional<BoundOp>& op = bound[ops[i].index()];
    if (!op.has_value()) return {};
    ChainMember member{.op = &*op};
    const absl::Span<const Write> writes = graph.writes(graph.op(ops[i]));
    if (i > 0) {
      const Write& previous = graph.writes(graph.op(ops[i - 1]))[0];
      const std::optional<size_t> link = LinkOf(graph, *op, ops[i], previous.value);
      if (!link.has_value() || ReadsBase(graph, ops[i], previous.value)) return {};
      member.link = *link;
    }
    const bool last = i + 1 == ops.size();
    member.kept = last || uses.OutsideOf(ops, writes[0].value);
    if (!last) {
      // A value between is all that its op writes of it, and only the next member reads it.
      if (writes[0].base.has_value() || writes[0].region.has_value()) return {};
      if (IntegerOf(op->spec, op->definition->writes[0].offset) != Expr(0)) return {};
      for (OpId user : uses.users(writes[0].value)) {
        if (user != ops[i + 1] && std::binary_search(ops.begin(), ops.end(), user)) return {};
      }
    }
    for (size_t w = 1; w < writes.size(); ++w) {
      if (!uses.OutsideOf(ops, writes[w].value)) return {};
      for (OpId user : uses.users(writes[w].value)) {
        if (std::binary_search(ops.begin(), ops.end(), user)) return {};
      }
    }
    chain.push_back(member);
  }
  return chain;
}

Expr OffsetOfRead(const ChainMember& m, size_t slot) {
  return IntegerOf(m.op->spec, m.op->definition->reads[slot].offset);
}
Expr OffsetOfWrite(const ChainMember& m, size_t slot) {
  return IntegerOf(m.op->spec, m.op->definition->writes[slot].offset);
}

}  // namespace

std::optional<GroupMatch> MatchGroup(const Graph& graph, const ValueUses& uses,
                                     absl::Span<const std::optional<BoundOp>> bound, absl::Span<const OpId> ops) {
  const std::vector<ChainMember> chain = ChainOf(graph, uses, bound, ops);
  for (const FusedDefinition& d : AllFusedKernels()) {
    if (NamesFit(d, chain) && d.matches(chain)) return GroupMatch{&d, chain};
  }
  return std::nullopt;
}

bool MayLieOn(const Graph& graph, absl::Span<const OpId> ops, const GroupMatch& match, const FusionInPlace& place) {
  const std::vector<FusedInPlaceRule> rules = match.definition->in_place(match.chain);
  const auto allowed = [&](size_t read_member, size_t read) {
    return std::any_of(rules.begin(), rules.end(), [&](const FusedInPlaceRule& r) {
      if (r.read_member != read_member || r.read != read) return false;
      if (graph.writes(graph.op(ops[r.write_member]))[r.write].value != place.result) return false;
      if (r.mode == InPlaceMode::kAny) return true;
      return place.mode == InPlaceMode::kSameIndex &&
             OffsetOfRead(match.chain[read_member], read) == OffsetOfWrite(match.chain[r.write_member], r.write);
    });
  };
  bool found = false;
  for (size_t m = 0; m < ops.size(); ++m) {
    if (ReadsBase(graph, ops[m], place.value)) return false;
    const absl::Span<const Read> reads = graph.reads(graph.op(ops[m]));
    for (size_t slot = 0; slot < reads.size(); ++slot) {
      if (reads[slot].value != place.value) continue;
      if (!allowed(m, slot)) return false;
      found = true;
    }
  }
  return found;
}

std::vector<FusionInPlace> InPlaceOf(const Graph& graph, const ValueUses& uses, absl::Span<const OpId> ops,
                                     const GroupMatch& match) {
  std::vector<FusionInPlace> places;
  for (const FusedInPlaceRule& r : match.definition->in_place(match.chain)) {
    const FusionInPlace place{graph.writes(graph.op(ops[r.write_member]))[r.write].value,
                              graph.reads(graph.op(ops[r.read_member]))[r.read].value, r.mode};
    if (!uses.OutsideOf(ops, place.result)) continue;
    if (!MayLieOn(graph, ops, match, place)) continue;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return places;
}

}  // namespace bufplan::runtime
