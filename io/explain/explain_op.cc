#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "io/explain/describe.h"
#include "io/explain/explain_name.h"
#include "io/explain/layout.h"
#include "io/explain/text_table.h"
#include "io/explain/value_uses.h"
#include "ir/region.h"

namespace bufplan {
namespace {

class OpStory {
 public:
  OpStory(const Graph& graph, const Plan& plan, OpId op)
      : g_(graph), p_(plan), m_(graph, plan), id_(op), op_(graph.op(op)) {}
  std::string Make() { return absl::StrCat(Head(), Operands(), Moves(), Notes(), Order()); }

 private:
  std::string Head() const;
  std::string Executed() const;
  std::string Operands() const;
  std::string Moves() const;
  std::string Notes() const;
  std::string Order() const;
  std::string Name(ValueId v) const { return Printable(g_.name(v), 40); }
  std::string RegionOr(const std::optional<RegionId>& region, absl::string_view otherwise) const {
    return region.has_value() ? RegionText(g_.region(*region), g_.symbols()) : std::string(otherwise);
  }

  const Graph& g_;
  const Plan& p_;
  const Movements m_;
  const OpId id_;
  const Op& op_;
};

std::string OpStory::Executed() const {
  const std::optional<FusionId> group = m_.GroupOf(id_);
  if (group.has_value()) {
    const Fusion& f = g_.fusions()[group->index()];
    const bool member = std::binary_search(f.ops.begin(), f.ops.end(), f.at);
    return absl::StrCat("executed as part of fused group ", InQuotes(f.name),
                        member ? ", at the place of " : ", right after ", InQuotes(g_.name(f.at)));
  }
  if (op_.kind == OpKind::kView) return "never executed: a view is another name for bytes of its source";
  if (op_.kind == OpKind::kBarrier) return "order only: it moves no bytes";
  if (!IsMovement(op_.kind)) return "executed";
  int64_t moved = 0, there = 0, spared = 0;
  for (const MovedPart& part : m_.PartsOf(id_)) {
    (part.executed ? moved : part.coincides ? there : spared) += part.bytes;
  }
  const auto count = [](int64_t bytes) { return Plural(bytes, "byte", "bytes"); };
  if (moved > 0) {
    return absl::StrCat("executed: moves ", count(moved),
                        there > 0 ? absl::StrCat(", ", FormatCount(there), " are there already") : "");
  }
  if (spared == 0) return absl::StrCat("elided: no byte moves, ", count(there), " are there already");
  return absl::StrCat("elided: nothing is executed, ", count(spared), " need not be moved",
                      there > 0 ? absl::StrCat(", ", FormatCount(there), " are there already") : "");
}

std::string OpStory::Head() const {
  std::string text = absl::StrCat("op ", OpText(g_, id_));
  if (g_.num_streams() > 1) absl::StrAppend(&text, ", stream ", InQuotes(g_.name(op_.stream)));
  if (op_.elide == Elide::kNever) text += ", elide \"never\"";
  if (op_.elide == Elide::kMust) text += ", elide \"must\"";
  return absl::StrCat(text, "\n  ", Executed(), "\n");
}

std::string OpStory::Operands() const {
  TextTable table({TextAlign::kLeft, TextAlign::kLeft, TextAlign::kLeft, TextAlign::kLeft});
  for (const Read& r : g_.reads(op_)) {
    table.Row({"reads", Name(r.value), RegionOr(r.region, "all"), PlaceText(g_, p_.location(r.value))});
  }
  for (const Write& w : g_.writes(op_)) {
    if (w.base.has_value()) table.Row({"base", Name(*w.base), "", PlaceText(g_, p_.location(*w.base))});
    const std::string part = w.cover == Cover::kPart ? " in part" : "";
    table.Row({"writes", Name(w.value), absl::StrCat(RegionOr(w.region, w.base.has_value() ? "" : "all"), part),
               absl::StrCat(PlaceText(g_, p_.location(w.value)), ": ", WhyThere(g_, p_, m_, w.value))});
  }
  if (op_.commit_target.has_value()) {
    table.Row({"commits to", Name(*op_.commit_target), "all", PlaceText(g_, p_.location(*op_.commit_target))});
  }
  for (const ScratchPlace& s : p_.scratch) {
    if (s.op != id_) continue;
    table.Row({"scratch", "", absl::StrCat(BytesText(g_, op_.scratch_bytes), " bytes"), PlaceText(g_, s.location)});
  }
  return table.Text();
}

std::string OpStory::Moves() const {
  const std::vector<MovedPart> parts = m_.PartsOf(id_);
  if (parts.empty()) return "";
  TextTable table({TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft});
  constexpr size_t kMaxParts = 20;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == kMaxParts) {
      table.Row({"..", absl::StrCat("(", parts.size() - i, " more)")});
      break;
    }
    const MovedPart& part = parts[i];
    table.Row({part.executed     ? "moves"
               : part.bytes == 0 ? "nothing"
               : part.coincides  ? "in place"
                                 : "elided",
               FormatCount(part.bytes),
               part.carried
                   ? absl::StrCat("carried over from base ", Name(part.from), " (", part.from_text, ")")
                   : absl::StrCat(Name(part.from), " ", part.from_text, " -> ", Name(part.to), " ", part.to_text)});
  }
  return absl::StrCat("  bytes:\n", table.Text());
}

std::string OpStory::Notes() const {
  std::string text;
  for (const Note& n : p_.notes) {
    if (n.op == id_) absl::StrAppend(&text, "  note: ", Printable(WhyText(g_, n), 400), "\n");
  }
  return text;
}

std::string OpStory::Order() const {
  std::string text;
  for (const AddedEdge& e : p_.added_order) {
    if (e.before != id_ && e.after != id_) continue;
    const bool before = e.before == id_;
    absl::StrAppend(&text, "  added order: ", before ? "before " : "after ",
                    InQuotes(g_.name(before ? e.after : e.before)),
                    e.why.empty() ? "" : absl::StrCat(": ", Printable(e.why, 400)), "\n");
  }
  for (const KeepAlive& k : g_.keep_alive()) {
    if (k.until == id_) absl::StrAppend(&text, "  keeps ", InQuotes(g_.name(k.value)), " alive until it is done\n");
  }
  return text;
}

}  // namespace

std::string ExplainOp(const Graph& graph, const Plan& plan, OpId op) { return OpStory(graph, plan, op).Make(); }

}  // namespace bufplan
