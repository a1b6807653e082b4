#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "io/explain/describe.h"
#include "io/explain/explain_name.h"
#include "io/explain/layout.h"
#include "io/explain/neighbours.h"
#include "io/explain/text_table.h"
#include "io/explain/value_uses.h"

namespace bufplan {
namespace {

constexpr size_t kMaxUses = 20;
constexpr size_t kMaxBefore = 6;
constexpr size_t kMaxTogether = 20;

class ValueStory {
 public:
  ValueStory(const Graph& graph, const Plan& plan, ValueId value, size_t width)
      : g_(graph),
        p_(plan),
        m_(graph, plan),
        v_(value),
        width_(width),
        layout_(graph, plan),
        entry_(layout_.Find(value.value)) {}

  std::string Make() { return absl::StrCat(Head(), Place(), Wishes(), Life(), Sharers()); }

 private:
  std::string Name(ValueId v) const { return InQuotes(g_.name(v)); }
  std::string Head() const;
  std::string Place() const;
  std::string Wishes() const;
  std::string Life() const;
  std::string UseLine(const ValueUse& use) const;
  bool EndsLife(const ValueUse& use) const;
  bool IsStrided(const PlacedBytes& placed) const;
  std::string Sharers() const;
  std::string Relation(ValueId other) const;
  bool IsViewOf(ValueId view, ValueId source) const;
  std::string MadeFrom(ValueId result, ValueId source, absl::string_view it) const;
  LiveRange Live() const { return v_.index() < p_.live.size() ? p_.live[v_.index()] : LiveRange(); }

  const Graph& g_;
  const Plan& p_;
  const Movements m_;
  const ValueId v_;
  const size_t width_;
  const Layout layout_;
  const std::optional<size_t> entry_;
};

std::string ValueStory::Head() const {
  const Value& value = g_.value(v_);
  std::string text =
      absl::StrCat("value ", Name(v_), ": ", BytesText(g_, value.bytes), " bytes, ", ToString(value.role));
  if (value.preserve) text += " (preserve)";
  if (value.writable) text += " (writable)";
  if (g_.spaces().size() > 1) absl::StrAppend(&text, ", space ", InQuotes(g_.name(value.space)));
  if (value.alignment_bytes > 1) absl::StrAppend(&text, ", alignment ", value.alignment_bytes);
  if (value.pinned_offset_bytes.has_value()) {
    absl::StrAppend(&text, ", pinned at offset ", FormatCount(*value.pinned_offset_bytes));
  }
  return text + "\n";
}

std::string ValueStory::Place() const {
  std::string text = absl::StrCat("  lies ", PlaceText(g_, p_.location(v_)));
  // With several chunks the offset says more than the place in all of them together.
  if (entry_.has_value() && p_.location(v_).chunk == 0) {
    const PlacedBytes& p = layout_.placed()[*entry_];
    absl::StrAppend(&text, p_.location(v_).strides == nullptr ? ": bytes [" : ", within bytes [",
                    FormatCount(p.bytes.begin), ", ", FormatCount(p.bytes.end), ")");
  }
  const bool none = p_.location(v_).kind == Location::Kind::kNone;
  return absl::StrCat(text, none ? "\n  why: " : "\n  why there: ", WhyThere(g_, p_, m_, v_), "\n");
}

// What the plan says of wishes of its op for this value, and of where its op moves bytes to it.
std::string ValueStory::Wishes() const {
  std::string text;
  const std::optional<OpId> producer = g_.producer(v_);
  if (!producer.has_value()) return text;
  for (const Note& n : p_.notes) {
    if (n.op != *producer) continue;
    const bool of_this = n.result.has_value() ? n.result == v_ : g_.op(n.op).num_writes == 1;
    if (of_this) absl::StrAppend(&text, "  note: ", Printable(WhyText(g_, n), 400), "\n");
  }
  return text;
}

bool ValueStory::EndsLife(const ValueUse& use) const {
  const std::optional<OpId> last = Live().last;
  if (use.kind == ValueUseKind::kView) return false;
  if (!last.has_value() || !use.op.has_value()) return last.has_value() == use.op.has_value();
  if (*use.op == *last) return true;
  const std::optional<FusionId> group = m_.GroupOf(*use.op);
  return group.has_value() && group == m_.GroupOf(*last);
}

std::string ValueStory::UseLine(const ValueUse& use) const {
  std::string text = UseText(g_, v_, use);
  if (use.op.has_value() && g_.op(*use.op).commit_target.has_value() && use.kind == ValueUseKind::kRead) {
    const ValueId target = *g_.op(*use.op).commit_target;
    text = absl::StrCat(
        "is committed to ", Name(target),
        p_.location(v_).SameMemoryAs(p_.location(target)) ? ", whose bytes it has: to stay at the end" : "");
  }
  if (use.op.has_value()) {
    if (m_.Marked(*use.op) && use.kind != ValueUseKind::kView) text += " (elided)";
    const std::optional<FusionId> group = m_.GroupOf(*use.op);
    if (group.has_value())
      absl::StrAppend(&text, " (in fused group ", InQuotes(g_.fusions()[group->index()].name), ")");
  }
  return text;
}

std::string ValueStory::Life() const {
  const LiveRange live = Live();
  const std::optional<OpId> producer = g_.producer(v_);
  std::string text;
  if (p_.location(v_).kind != Location::Kind::kNone) {
    const bool own = p_.location(v_).kind == Location::Kind::kCaller && p_.location(v_).owner() == v_;
    const bool at_start = !live.last.has_value() && !own && NeededByNobody(g_, v_);
    text = at_start ? std::string("  there at the start only\n")
                    : absl::StrCat(own ? "  content needed from " : "  live from ", LiveEndText(g_, live.first, true),
                                   " to ", LiveEndText(g_, live.last, false), ", both included\n");
  }
  TextTable table({TextAlign::kLeft, TextAlign::kLeft, TextAlign::kLeft}, 4);
  if (producer.has_value()) {
    const bool view = g_.op(*producer).kind == OpKind::kView;
    const absl::string_view marked = m_.Marked(*producer) ? "makes it: elided" : "writes it";
    table.Row({Printable(g_.name(*producer), 40), view ? "names it: a view" : std::string(marked)});
  } else {
    table.Row({"start", "it is there"});
  }
  const std::vector<ValueUse> uses = UsesOf(g_, v_);
  const bool cut = uses.size() > kMaxUses;
  size_t real = 0, last = 0;
  for (size_t i = 0; i < uses.size(); ++i) {
    const ValueUse& use = uses[i];
    if (use.kind != ValueUseKind::kView) ++real;
    const bool ends = EndsLife(use);
    last += ends ? 1 : 0;
    if (cut && i == kMaxUses / 2) {
      table.Row({"..", absl::StrCat("(", FormatCount(static_cast<int64_t>(uses.size() - kMaxUses)), " more)")});
    }
    if (cut && i >= kMaxUses / 2 && i < uses.size() - kMaxUses / 2) continue;
    table.Row({use.op.has_value() ? Printable(g_.name(*use.op), 40) : "end", UseLine(use), ends ? "<- the last" : ""});
  }
  absl::StrAppend(&text, table.Text());
  if (real == 0) {
    absl::StrAppend(&text, "    nobody needs it",
                    live.last.has_value() ? ": its bytes are free again after its op" : "", "\n");
  } else if (last == 0 && p_.location(v_).kind != Location::Kind::kNone) {
    absl::StrAppend(&text, "    the plan keeps it until ", LiveEndText(g_, live.last, false),
                    ": what lies in the same bytes is needed there\n");
  }
  return text;
}

bool ValueStory::IsViewOf(ValueId view, ValueId source) const {
  for (std::optional<ValueId> v = ViewSource(g_, view); v.has_value(); v = ViewSource(g_, *v)) {
    if (*v == source) return true;
  }
  return false;
}

// How `result` comes to lie in the bytes of `source`; empty if its op has nothing to do with that.
std::string ValueStory::MadeFrom(ValueId result, ValueId source, absl::string_view it) const {
  if (IsViewOf(result, source)) return absl::StrCat("is a view of ", it);
  const std::optional<OpId> producer = g_.producer(result);
  if (!producer.has_value()) return "";
  const std::string op = Printable(g_.name(*producer), 40);
  for (const Write& w : g_.writes(g_.op(*producer))) {
    if (w.value != result) continue;
    if (w.base == source) return absl::StrCat("updates ", it, " (base) in ", op);
    for (const InPlace& p : g_.in_place(w)) {
      if (p.value == source) return absl::StrCat("is in place of ", it, " in ", op);
    }
  }
  for (const MovedPart& part : m_.PartsOf(*producer)) {
    if (part.from == source && part.to == result && !part.executed && part.bytes > 0) {
      return absl::StrCat("has the content of ", it, ", which ", op, " need not move");
    }
  }
  return "";
}

std::string ValueStory::Relation(ValueId other) const {
  std::string text = MadeFrom(other, v_, "this");
  if (!text.empty()) return text;
  text = MadeFrom(v_, other, "it");
  return text.empty() ? "" : absl::StrCat("this ", text);
}

bool ValueStory::IsStrided(const PlacedBytes& placed) const {
  return placed.what == PlacedBytes::What::kValue && p_.location(ValueId(placed.id)).strides != nullptr;
}

std::string ValueStory::Sharers() const {
  if (!entry_.has_value()) return "";
  const Neighbours n = NeighboursOf(layout_, *entry_);
  if (n.before.empty() && n.together.empty() && n.after.empty()) return "  nothing else ever lies in its bytes\n";
  TextTable table({TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft, TextAlign::kLeft, TextAlign::kLeft}, 4);
  table.Row({"when", "shared bytes", "value", "live", "how"});
  const auto row = [&](absl::string_view when, size_t i) {
    const PlacedBytes &self = layout_.placed()[*entry_], &p = layout_.placed()[i];
    const int64_t shared = std::min(self.bytes.end, p.bytes.end) - std::max(self.bytes.begin, p.bytes.begin);
    const bool exact = !IsStrided(self) && !IsStrided(p);
    std::string how = p.what == PlacedBytes::What::kValue ? Relation(ValueId(p.id)) : "";
    if (how.empty() && when == "together") how = "no byte of both is needed at one time, or both have the same content";
    table.Row(
        {std::string(when), absl::StrCat(exact ? "" : "up to ", FormatCount(shared)), Printable(layout_.Label(p), 40),
         absl::StrCat(Printable(layout_.TimeLabel(p.begin), 30), " .. ", Printable(layout_.TimeLabel(p.end - 1), 30)),
         how});
  };
  const auto more = [&](absl::string_view when, size_t left_out) {
    if (left_out > 0) table.Row({std::string(when), absl::StrCat("(", left_out, " more)")});
  };
  const size_t first = n.before.size() - std::min(n.before.size(), kMaxBefore);
  more("before", first);
  for (size_t i = first; i < n.before.size(); ++i) row("before", n.before[i]);
  for (size_t i = 0; i < std::min(n.together.size(), kMaxTogether); ++i) row("together", n.together[i]);
  more("together", n.together.size() - std::min(n.together.size(), kMaxTogether));
  for (size_t i = 0; i < std::min(n.after.size(), kMaxBefore); ++i) row("after", n.after[i]);
  more("after", n.after.size() - std::min(n.after.size(), kMaxBefore));
  return absl::StrCat("  in the same bytes:\n", table.Text(), DrawNeighbourhood(layout_, *entry_, width_));
}

}  // namespace

std::string ExplainValue(const Graph& graph, const Plan& plan, ValueId value, size_t width) {
  return ValueStory(graph, plan, value, width).Make();
}

}  // namespace bufplan
