#include "io/explain/movements.h"

#include "io/explain/layout.h"
#include "io/explain/value_uses.h"
#include "ir/region.h"
#include "planner/sharing/carried_bytes.h"
#include "planner/sharing/strided.h"

namespace bufplan {
namespace {

Region WholeOf(const Graph& graph, ValueId value) { return {0, graph.value(value).bytes, {}}; }

}  // namespace

bool SamePlace(const Location& a, const Location& b) {
  return a.kind != Location::Kind::kNone && a.strides == nullptr && a == b;
}

Region RegionOfPlace(const Location& location, const Expr& bytes) {
  if (location.strides == nullptr) return {location.offset_bytes, bytes, {}};
  return {location.offset_bytes, location.strides->run_bytes, location.strides->dims};
}

Movements::Movements(const Graph& graph, const Plan& plan) : g_(graph), p_(plan), marked_(graph.ops().size(), 0) {
  for (const FusionDecision& d : plan.fused) {
    if (!d.fused || d.fusion.index() >= graph.fusions().size()) continue;
    if (group_.empty()) group_.resize(graph.ops().size(), -1);
    for (OpId op : graph.fusions()[d.fusion.index()].ops) group_[op.index()] = d.fusion.value;
  }
  for (const Note& n : plan.notes) {
    if (n.action != Action::kElided || n.result.has_value() || n.op.index() >= marked_.size()) continue;
    if (IsCopy(n.op)) marked_[n.op.index()] = 1;
  }
}

std::optional<FusionId> Movements::GroupOf(OpId op) const {
  if (group_.empty() || group_[op.index()] < 0) return std::nullopt;
  return FusionId(group_[op.index()]);
}

bool Movements::IsCopy(OpId op) const { return IsMovement(g_.op(op).kind) && !GroupOf(op).has_value(); }

// Compose() finds the equal regions that the planner's own reasoning leads to; what it cannot compare is taken to
// differ.
bool Movements::Coincide(ValueId a, const Region& a_region, ValueId b, const Region& b_region) const {
  const Location &from = p_.location(a), &to = p_.location(b);
  if (from.kind == Location::Kind::kNone || !from.SameMemoryAs(to)) return false;
  const auto place = [&](ValueId v, const Region& region) {
    return Compose(RegionOfPlace(p_.location(v), g_.value(v).bytes), region, g_.symbols());
  };
  const std::optional<Region> source = place(a, a_region), target = place(b, b_region);
  return source.has_value() && target.has_value() && *source == *target;
}

void Movements::AddParts(OpId id, std::vector<MovedPart>& parts) const {
  const Op& op = g_.op(id);
  const auto text = [&](const std::optional<RegionId>& region) {
    return region.has_value() ? RegionText(g_.region(*region), g_.symbols()) : std::string("all");
  };
  const ValueId to = op.commit_target.has_value() ? *op.commit_target : g_.writes(op)[0].value;
  for (const Read& r : g_.reads(op)) {
    const Region source = r.region.has_value() ? g_.region(*r.region) : WholeOf(g_, r.value);
    MovedPart& part = parts.emplace_back();
    part.from = r.value;
    part.to = to;
    part.to_region = r.to_region.has_value() ? g_.region(*r.to_region) : WholeOf(g_, to);
    part.bytes = LargestBytes(g_, RegionBytes(source));
    part.coincides = Coincide(r.value, source, to, part.to_region);
    part.executed = part.bytes > 0 && !part.coincides && !Marked(id);
    part.from_text = text(r.region);
    part.to_text = text(r.to_region);
  }
}

// Whether the result takes bytes over from a base that the op, or its fused group, does not make itself.
bool Movements::TakesOver(OpId op, const Write& write) const {
  if (!write.base.has_value()) return false;
  const std::optional<FusionId> group = GroupOf(op);
  if (!group.has_value()) return true;
  const std::optional<OpId> from = g_.producer(*write.base);
  return p_.location(write.value).kind != Location::Kind::kNone && !(from.has_value() && GroupOf(*from) == group);
}

std::vector<MovedPart> Movements::PartsOf(OpId id) const {
  const Op& op = g_.op(id);
  std::vector<MovedPart> parts;
  if (IsCopy(id)) AddParts(id, parts);
  for (const Write& w : g_.writes(op)) {
    if (!TakesOver(id, w)) continue;
    MovedPart& part = parts.emplace_back();
    part.from = *w.base;
    part.to = w.value;
    part.carried = true;
    part.bytes = CarriedBytes(g_, id, w);
    part.coincides = SamePlace(p_.location(*w.base), p_.location(w.value));
    part.executed = part.bytes > 0 && !part.coincides && !Marked(id);
    part.from_text = part.to_text = w.cover == Cover::kPart ? "all" : "what is not overwritten";
    part.to_region = WholeOf(g_, w.value);
  }
  return parts;
}

}  // namespace bufplan
