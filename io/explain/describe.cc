#include "io/explain/describe.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "io/explain/layout.h"
#include "io/explain/text_table.h"
#include "io/explain/value_uses.h"
#include "ir/region.h"

namespace bufplan {
namespace {

// A value that becomes others in place is followed so far.
constexpr int kMaxSteps = 16;
// Values that lead to one are looked at so far.
constexpr size_t kMaxReached = 64;
constexpr size_t kMaxNames = 3;

// "a", "b" and 7 more.
std::string NamesText(const std::vector<std::string>& names) {
  if (names.size() <= kMaxNames) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMaxNames, ", "), " and ", names.size() - kMaxNames,
                      " more");
}

class Reason {
 public:
  Reason(const Graph& graph, const Plan& plan, const Movements& movements, ValueId value)
      : g_(graph), p_(plan), m_(movements), v_(value), location_(plan.location(value)) {}

  std::string Make() const;

 private:
  std::string Name(ValueId v) const { return InQuotes(g_.name(v)); }
  std::string Name(OpId op) const { return Printable(g_.name(op), 40); }
  std::string NoBytes() const;
  std::string OnBaseOrInPlace(OpId producer) const;
  std::string AtSource(OpId producer) const;
  std::string AtDestination() const;
  std::string AtDestination(ValueId v, absl::string_view copied) const;
  std::optional<ValueId> NextInPlace(ValueId v) const;
  bool LeadsTo(ValueId result) const;
  std::string BesideSameContent() const;

  const Graph& g_;
  const Plan& p_;
  const Movements& m_;
  const ValueId v_;
  const Location& location_;
};

std::string Reason::NoBytes() const {
  const std::optional<OpId> producer = g_.producer(v_);
  if (!producer.has_value()) return "the plan gives it no bytes";
  if (const std::optional<FusionId> group = m_.GroupOf(*producer)) {
    return absl::StrCat("used only inside of fused group ", InQuotes(g_.fusions()[group->index()].name));
  }
  if (const std::optional<ValueId> source = ViewSource(g_, v_)) {
    return absl::StrCat("a view of ", Name(*source), ", which has none");
  }
  std::vector<std::string> elided;
  for (const ValueUse& use : UsesOf(g_, v_)) {
    if (use.kind == ValueUseKind::kView) continue;
    if (!use.op.has_value() || !m_.Marked(*use.op)) return "the plan gives it no bytes";
    elided.push_back(Name(*use.op));
  }
  if (elided.empty()) return absl::StrCat("nobody reads it, so ", Name(*producer), " moves nothing");
  return absl::StrCat("nobody reads it, so ", Name(*producer), " moves nothing: what ", NamesText(elided),
                      " would move is there already");
}

std::string Reason::OnBaseOrInPlace(OpId producer) const {
  for (const Write& w : g_.writes(g_.op(producer))) {
    if (w.value != v_) continue;
    if (w.base.has_value() && SamePlace(p_.location(*w.base), location_)) {
      return absl::StrCat("on its base ", Name(*w.base), ", which is updated in place");
    }
    for (const InPlace& p : g_.in_place(w)) {
      if (SamePlace(p_.location(p.value), location_)) {
        return absl::StrCat("in place of ", Name(p.value), ", an operand of its op");
      }
    }
  }
  return "";
}

// Of the result of a data movement.
std::string Reason::AtSource(OpId producer) const {
  std::vector<std::string> there, moved;
  for (const MovedPart& part : m_.PartsOf(producer)) {
    if (part.bytes == 0) continue;
    (part.coincides ? there : moved).push_back(Name(part.from));
  }
  const bool marked = m_.Marked(producer);
  if (moved.empty() && there.size() == 1) return absl::StrCat("where its source ", there[0], " lies");
  if (moved.empty() && !there.empty()) return absl::StrCat("where its parts ", NamesText(there), " lie");
  if (marked && !moved.empty()) {
    return UsesOf(g_, v_).empty() ? "anywhere: nobody reads it" : "where the same bytes are already";
  }
  if (!there.empty()) return absl::StrCat("where its part ", NamesText(there), " lies; the rest is copied beside it");
  return "";
}

std::string Reason::AtDestination(ValueId v, absl::string_view copied) const {
  for (const ValueUse& use : UsesOf(g_, v)) {
    if (use.kind != ValueUseKind::kRead) continue;
    for (const MovedPart& part : m_.PartsOf(*use.op)) {
      if (part.carried || !part.coincides || part.bytes == 0 || part.from != use.through) continue;
      return absl::StrCat("written straight to where ", Name(*use.op), " copies ", copied, ": into ", Name(part.to),
                          " at ", part.to_region.at.ToString(g_.symbols()));
    }
  }
  return "";
}

// What the value becomes in place, as a base or an operand of the op that makes it.
std::optional<ValueId> Reason::NextInPlace(ValueId v) const {
  for (const ValueUse& use : UsesOf(g_, v)) {
    if (use.kind == ValueUseKind::kView || !use.op.has_value() || use.through != v) continue;
    for (const Write& w : g_.writes(g_.op(*use.op))) {
      const absl::Span<const InPlace> in_place = g_.in_place(w);
      const bool wished =
          w.base == v || std::any_of(in_place.begin(), in_place.end(), [&](const InPlace& p) { return p.value == v; });
      if (wished && SamePlace(p_.location(v), p_.location(w.value))) return w.value;
    }
  }
  return std::nullopt;
}

std::string Reason::AtDestination() const {
  std::string text = AtDestination(v_, "it");
  std::optional<ValueId> next = NextInPlace(v_);
  for (int step = 0; step < kMaxSteps && text.empty() && next.has_value(); ++step, next = NextInPlace(*next)) {
    text = AtDestination(*next, absl::StrCat(Name(*next), ", which is made in place of it"));
  }
  return text;
}

// Whether data movements, views and bases lead from v_ to `result`.
bool Reason::LeadsTo(ValueId result) const {
  std::vector<ValueId> reached = {result};
  const auto reach = [&](ValueId v) {
    if (std::find(reached.begin(), reached.end(), v) == reached.end()) reached.push_back(v);
  };
  for (size_t i = 0; i < reached.size() && i < kMaxReached; ++i) {
    const std::optional<OpId> producer = g_.producer(reached[i]);
    if (reached[i] == v_) return true;
    if (!producer.has_value()) continue;
    const Op& op = g_.op(*producer);
    for (const Write& w : g_.writes(op)) {
      if (w.value == reached[i] && w.base.has_value()) reach(*w.base);
    }
    if (!IsMovement(op.kind) && op.kind != OpKind::kView) continue;
    for (const Read& r : g_.reads(op)) reach(r.value);
  }
  return false;
}

// A result of an elided movement at the same place.
std::string Reason::BesideSameContent() const {
  for (const Note& n : p_.notes) {
    if (n.op.index() >= g_.ops().size() || !m_.Marked(n.op) || g_.op(n.op).num_writes == 0) continue;
    const ValueId result = g_.writes(g_.op(n.op))[0].value;
    const bool same_place = p_.location(result) == location_ && g_.value(result).bytes == g_.value(v_).bytes;
    if (result == v_ || !same_place || !LeadsTo(result)) continue;
    return absl::StrCat("written straight to where ", Name(result), " lies, which has the same content: ", Name(n.op),
                        " moves nothing");
  }
  return "";
}

std::string Reason::Make() const {
  const std::optional<OpId> producer = g_.producer(v_);
  if (location_.kind == Location::Kind::kNone) return NoBytes();
  if (!producer.has_value()) {
    const Role role = g_.value(v_).role;
    return role == Role::kInput ? "an input, there before the first op" : "its own storage, which is the caller's";
  }
  if (const std::optional<ValueId> source = ViewSource(g_, v_)) {
    return absl::StrCat("a view of ", Name(*source), ": where that lies");
  }
  std::string text = OnBaseOrInPlace(*producer);
  if (text.empty() && m_.IsCopy(*producer)) text = AtSource(*producer);
  if (text.empty()) text = AtDestination();
  if (text.empty()) text = BesideSameContent();
  if (!text.empty()) return text;
  return location_.kind == Location::Kind::kCaller ? "storage of the caller that it may write" : "bytes of its own";
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

std::string BytesText(const Graph& graph, const Expr& bytes) {
  if (bytes.is_constant()) return FormatCount(bytes.constant());
  const std::vector<int64_t> largest = LargestSymbolValues(graph);
  const std::optional<int64_t> value = bytes.Evaluate(largest);
  return absl::StrCat(bytes.ToString(graph.symbols()), " (", value.has_value() ? FormatCount(*value) : "no value",
                      " at ", SymbolValuesText(graph, largest), ")");
}

std::string PlaceText(const Graph& graph, const Location& location) {
  std::string text;
  switch (location.kind) {
    case Location::Kind::kNone: return "nowhere";
    case Location::Kind::kArena:
      text = absl::StrCat("in space ", InQuotes(graph.name(location.space())),
                          location.chunk != 0 ? absl::StrCat(", chunk ", location.chunk) : "");
      break;
    case Location::Kind::kCaller:
      text = absl::StrCat("in storage of ", ToString(graph.value(location.owner()).role), " ",
                          InQuotes(graph.name(location.owner())));
      break;
  }
  absl::StrAppend(&text, ", offset ", BytesText(graph, location.offset_bytes));
  if (location.strides == nullptr) return text;
  return absl::StrCat(text, ", strided: ", RegionText(RegionOfPlace(location, 0), graph.symbols()));
}

std::string WhyThere(const Graph& graph, const Plan& plan, const Movements& movements, ValueId value) {
  return Reason(graph, plan, movements, value).Make();
}

}  // namespace bufplan
