#include "io/explain/describe.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "io/explain/layout.h"
#include "io/explain/text_table.h"
#include "io/explain/value_uses.h"
#include "ir/region.h"

namespace bufplan {
namespace {

Region WholeOf(const Graph& graph, ValueId value) { return {0, graph.value(value).bytes, {}}; }

bool SamePlace(const Location& a, const Location& b) {
  return a.kind != Location::Kind::kNone && a.SameMemoryAs(b) && a.offset_bytes == b.offset_bytes;
}

// Whether two regions at two locations are the same bytes in the same order.
bool Coincide(const Location& a, Region a_region, const Location& b, Region b_region) {
  if (a.kind == Location::Kind::kNone || !a.SameMemoryAs(b)) return false;
  a_region.at += a.offset_bytes;
  b_region.at += b.offset_bytes;
  return a_region == b_region;
}

// The bytes of its base that the result of `write` keeps.
Expr CarriedBytes(const Graph& graph, const Op& op, const Write& write) {
  Expr rest = graph.value(write.value).bytes;
  if (write.cover == Cover::kPart) return rest;
  if (!IsMovement(op.kind)) return write.region.has_value() ? rest - RegionBytes(graph.region(*write.region)) : Expr(0);
  for (const Read& r : graph.reads(op)) {
    rest -= r.to_region.has_value() ? RegionBytes(graph.region(*r.to_region)) : graph.value(write.value).bytes;
  }
  return rest;
}

}  // namespace

std::string OpText(const Graph& graph, OpId op) {
  return absl::StrCat(InQuotes(graph.name(op)), " (", ToString(graph.op(op).kind), ", op ", op.index() + 1, " of ",
                      graph.ops().size(), ")");
}

std::string LiveEndText(const Graph& graph, const std::optional<OpId>& op, bool first) {
  if (op.has_value()) return Printable(graph.name(*op));
  return first ? "the start" : "the end";
}

std::string LiveText(const Graph& graph, const LiveRange& live) {
  return absl::StrCat(LiveEndText(graph, live.first, true), " .. ", LiveEndText(graph, live.last, false));
}

int64_t LargestBytes(const Graph& graph, const Expr& bytes) {
  return std::max<int64_t>(0, bytes.Evaluate(LargestSymbolValues(graph)).value_or(0));
}

std::string BytesText(const Graph& graph, const Expr& bytes) {
  if (bytes.is_constant()) return FormatCount(bytes.constant());
  const std::vector<int64_t> largest = LargestSymbolValues(graph);
  const std::optional<int64_t> value = bytes.Evaluate(largest);
  return absl::StrCat(bytes.ToString(graph.symbols()), " (", value.has_value() ? FormatCount(*value) : "no value",
                      " at ", SymbolValuesText(graph, largest), ")");
}

std::string PlaceText(const Graph& graph, const Location& location) {
  switch (location.kind) {
    case Location::Kind::kNone: return "nowhere: swallowed by a fused group";
    case Location::Kind::kArena:
      return absl::StrCat("in space ", InQuotes(graph.name(location.space())),
                          location.chunk != 0 ? absl::StrCat(", chunk ", location.chunk) : "", ", offset ",
                          BytesText(graph, location.offset_bytes));
    case Location::Kind::kCaller:
      return absl::StrCat("in storage of ", ToString(graph.value(location.owner()).role), " ",
                          InQuotes(graph.name(location.owner())), ", offset ", BytesText(graph, location.offset_bytes));
  }
  return "";
}

std::vector<MovedPart> PartsOf(const Graph& graph, const Plan& plan, OpId id) {
  const Op& op = graph.op(id);
  std::vector<MovedPart> parts;
  const auto text = [&](const std::optional<RegionId>& region) {
    return region.has_value() ? RegionText(graph.region(*region), graph.symbols()) : std::string("all");
  };
  if (IsMovement(op.kind)) {
    const ValueId to = op.commit_target.has_value() ? *op.commit_target : graph.writes(op)[0].value;
    for (const Read& r : graph.reads(op)) {
      const Region source = r.region.has_value() ? graph.region(*r.region) : WholeOf(graph, r.value);
      const Region target = r.to_region.has_value() ? graph.region(*r.to_region) : WholeOf(graph, to);
      MovedPart& part = parts.emplace_back();
      part.from = r.value;
      part.to = to;
      part.bytes = LargestBytes(graph, RegionBytes(source));
      part.executed = part.bytes > 0 && !Coincide(plan.location(r.value), source, plan.location(to), target);
      part.from_text = text(r.region);
      part.to_text = text(r.to_region);
    }
  }
  for (const Write& w : graph.writes(op)) {
    if (!w.base.has_value()) continue;
    MovedPart& part = parts.emplace_back();
    part.from = *w.base;
    part.to = w.value;
    part.carried = true;
    part.bytes = LargestBytes(graph, CarriedBytes(graph, op, w));
    part.executed = part.bytes > 0 && !SamePlace(plan.location(*w.base), plan.location(w.value));
    part.from_text = part.to_text = w.cover == Cover::kPart ? "all" : "what is not overwritten";
  }
  return parts;
}

std::optional<FusionId> FusedGroupOf(const Graph& graph, const Plan& plan, OpId op) {
  for (const FusionDecision& d : plan.fused) {
    if (!d.fused || d.fusion.index() >= graph.fusions().size()) continue;
    const std::vector<OpId>& ops = graph.fusions()[d.fusion.index()].ops;
    if (std::binary_search(ops.begin(), ops.end(), op)) return d.fusion;
  }
  return std::nullopt;
}

std::string WhyThere(const Graph& graph, const Plan& plan, ValueId value) {
  const Location& location = plan.location(value);
  const std::optional<OpId> producer = graph.producer(value);
  if (location.kind == Location::Kind::kNone) return "used only inside of a fused group";
  if (!producer.has_value()) {
    const Role role = graph.value(value).role;
    return role == Role::kInput ? "an input, there before the first op" : "its own storage, which is the caller's";
  }
  const Op& op = graph.op(*producer);
  if (op.kind == OpKind::kView) {
    const ValueId source = graph.reads(op)[0].value;
    return absl::StrCat("a view of ", InQuotes(graph.name(source)), ": where that lies");
  }
  for (const Write& w : graph.writes(op)) {
    if (w.value != value) continue;
    if (w.base.has_value() && SamePlace(plan.location(*w.base), location)) {
      return absl::StrCat("on its base ", InQuotes(graph.name(*w.base)), ", which is updated in place");
    }
    for (const InPlace& p : graph.in_place(w)) {
      if (SamePlace(plan.location(p.value), location)) {
        return absl::StrCat("in place of ", InQuotes(graph.name(p.value)), ", an operand of its op");
      }
    }
  }
  for (const MovedPart& part : PartsOf(graph, plan, *producer)) {
    if (!part.carried && !part.executed && part.bytes > 0 && part.to == value) {
      return absl::StrCat("the same bytes as its source ", InQuotes(graph.name(part.from)), ": no copy");
    }
  }
  if (location.kind == Location::Kind::kCaller) return "storage of the caller that it may write";
  return "bytes of its own";
}

}  // namespace bufplan
