// The explanation of a whole plan.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "io/explain/describe.h"
#include "io/explain/explain.h"
#include "io/explain/layout.h"
#include "io/explain/movements.h"
#include "io/explain/peak.h"
#include "io/explain/picture.h"
#include "io/explain/refusals.h"
#include "io/explain/text_table.h"
#include "io/explain/value_uses.h"

namespace bufplan {
namespace {

constexpr size_t kMaxPeakRows = 30;
constexpr size_t kMaxRows = 20;
constexpr size_t kMaxElided = 12;

std::string MoreText(size_t count) { return absl::StrCat("and ", FormatCount(static_cast<int64_t>(count)), " more"); }

std::string MoreLine(size_t count, size_t shown, absl::string_view hint) {
  return count <= shown ? "" : absl::StrCat("  ", MoreText(count - shown), hint, "\n");
}

class Overview {
 public:
  Overview(const Graph& graph, const Plan& plan, size_t width)
      : g_(graph), p_(plan), layout_(graph, plan), width_(width) {}

  std::string Make() {
    return absl::StrCat(Head(), Arenas(), CallerStorage(), Copies(), Refused(), AddedOrder(), Fusions());
  }
  std::string Pictures() const;

 private:
  std::string Head() const;
  std::string Arenas() const;
  std::string CallerStorage() const;
  std::string Copies() const;
  std::string Refused() const;
  std::string AddedOrder() const;
  std::string Fusions() const;
  std::optional<int64_t> PlannedPeak() const;
  std::string Picture(size_t memory, const std::optional<PeakTable>& peak) const;
  std::string WhyMoved(OpId op) const;
  // A data movement, or an op that takes over bytes from bases, and the bytes that it moves and need not move.
  struct Copy {
    OpId op;
    int64_t moved = 0, spared = 0;
  };
  static Copy SumOf(const std::vector<Copy>& copies);
  static std::string CopyBytes(const Copy& copy);
  void AddCopies(absl::string_view head, const std::vector<Copy>& copies, size_t max_rows, TextTable& table) const;

  const Graph& g_;
  const Plan& p_;
  const Layout layout_;
  const size_t width_;
};

std::string Overview::Head() const {
  std::string text =
      absl::StrCat("plan of ", g_.name().empty() ? "a graph" : absl::StrCat("graph ", InQuotes(g_.name())), ": ",
                   Plural(static_cast<int64_t>(g_.ops().size()), "op", "ops"), ", ",
                   Plural(static_cast<int64_t>(g_.values().size()), "value", "values"), ", ",
                   Plural(g_.num_streams(), "stream", "streams"), "; ", p_.optimal ? "optimal" : "feasible", "\n");
  if (!p_.options.empty()) {
    absl::StrAppend(&text, "options:");
    for (const auto& [name, value] : p_.options) absl::StrAppend(&text, " ", Printable(name), "=", Printable(value));
    absl::StrAppend(&text, "\n");
  }
  if (!g_.symbols().empty()) {
    absl::StrAppend(&text, "numbers below are for ", SymbolValuesText(g_, LargestSymbolValues(g_)), "\n");
  }
  if (g_.num_streams() > 1) {
    absl::StrAppend(&text, "several streams: times below are positions in the list; ops of different streams may run ",
                    "at the same time\n");
  }
  return text;
}

std::optional<int64_t> Overview::PlannedPeak() const {
  if (!p_.stats.peak_op.has_value()) return std::nullopt;
  return int64_t{p_.stats.peak_op->value} + 1;
}

std::string Overview::Picture(size_t memory, const std::optional<PeakTable>& peak) const {
  PictureOptions options;
  options.width = width_;
  if (peak.has_value()) {
    options.mark_time = peak->time;
    options.mark_text = "peak";
  }
  std::string text = DrawMemory(layout_, static_cast<int32_t>(memory), options);
  const std::vector<int64_t>& chunks = layout_.memories()[memory].chunk_begin;
  if (chunks.size() < 2) return text;
  absl::StrAppend(&text, "  chunks one above the other, beginning at");
  constexpr size_t kMaxChunks = 8;
  for (size_t i = 0; i < std::min(chunks.size(), kMaxChunks); ++i) absl::StrAppend(&text, " ", FormatCount(chunks[i]));
  return absl::StrCat(text, chunks.size() > kMaxChunks ? " ..\n" : "\n");
}

std::string Overview::Pictures() const {
  std::string text;
  for (size_t m = 0; m < g_.spaces().size(); ++m) {
    const std::optional<PeakTable> peak = PeakTableOf(layout_, static_cast<int32_t>(m), PlannedPeak());
    if (!peak.has_value()) continue;
    absl::StrAppend(&text, "\narena ", InQuotes(layout_.memories()[m].name), ":\n", Picture(m, peak));
  }
  return text;
}

std::string Overview::Arenas() const {
  std::string text;
  for (const Arena& a : p_.arenas) {
    const size_t m = a.space.index();
    absl::StrAppend(&text, "\narena ", InQuotes(layout_.memories()[m].name), ": ", FormatCount(a.bytes), " bytes");
    if (a.bytes >= 1024) absl::StrAppend(&text, " (", FormatSize(a.bytes), ")");
    absl::StrAppend(&text, ", lower bound ", FormatCount(a.lower_bound), a.optimal ? ", optimal" : "");
    if (a.chunks.size() > 1) {
      absl::StrAppend(&text, ", ", a.chunks.size(), " chunks:");
      for (int64_t bytes : a.chunks) absl::StrAppend(&text, " ", FormatCount(bytes));
    }
    absl::StrAppend(&text, "\n");
    const std::optional<PeakTable> peak = PeakTableOf(layout_, static_cast<int32_t>(m), PlannedPeak());
    if (!peak.has_value()) continue;
    const std::string when = peak->time <= 0 ? "before the first op"
                             : peak->time + 1 >= layout_.end()
                                 ? "after the last op"
                                 : absl::StrCat("at op ", OpText(g_, OpId(static_cast<int32_t>(peak->time - 1))));
    absl::StrAppend(&text, "  most is in use ", when, ":\n", PeakText(layout_, *peak, kMaxPeakRows));
    absl::StrAppend(&text, Picture(m, peak));
  }
  return text;
}

std::string Overview::CallerStorage() const {
  std::vector<std::vector<ValueId>> guests(g_.values().size());
  std::vector<ValueId> owners;
  for (size_t i = 0; i < p_.locations.size(); ++i) {
    const Location& l = p_.locations[i];
    const ValueId v(static_cast<int32_t>(i));
    if (l.kind != Location::Kind::kCaller || l.owner() == v || ViewSource(g_, v).has_value()) continue;
    std::vector<ValueId>& list = guests[l.owner().index()];
    if (list.empty()) owners.push_back(l.owner());
    list.push_back(v);
  }
  if (owners.empty()) return "";
  constexpr size_t kMaxNames = 5, kMaxOwners = 8;
  std::string text = "\nvalues in storage of the caller, views left out:\n";
  TextTable table({TextAlign::kLeft, TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft});
  for (size_t i = 0; i < std::min(owners.size(), kMaxOwners); ++i) {
    const std::vector<ValueId>& list = guests[owners[i].index()];
    std::string names;
    for (size_t j = 0; j < std::min(list.size(), kMaxNames); ++j) {
      absl::StrAppend(&names, j == 0 ? "" : ", ", Printable(g_.name(list[j]), 40));
    }
    if (list.size() > kMaxNames) absl::StrAppend(&names, ", ..");
    table.Row({std::string(ToString(g_.value(owners[i]).role)), Printable(g_.name(owners[i]), 40),
               FormatCount(static_cast<int64_t>(list.size())), names});
  }
  return absl::StrCat(text, table.Text(), MoreLine(owners.size(), kMaxOwners, ""));
}

// The notes on what the op moves, without those on in-place wishes.
std::string Overview::WhyMoved(OpId op) const {
  std::string text;
  const auto first = std::partition_point(p_.notes.begin(), p_.notes.end(), [&](const Note& n) { return n.op < op; });
  for (auto n = first; n != p_.notes.end() && n->op == op; ++n) {
    if (IsInPlaceRefusal(g_, *n)) continue;
    std::string why = WhyText(g_, *n);
    if (absl::StartsWith(why, "kept: ")) why.erase(0, 6);
    if (!why.empty()) absl::StrAppend(&text, text.empty() ? "" : "; ", Printable(why, 400));
  }
  return text;
}

Overview::Copy Overview::SumOf(const std::vector<Copy>& copies) {
  Copy sum;
  for (const Copy& copy : copies) {
    sum.moved += copy.moved;
    sum.spared += copy.spared;
  }
  return sum;
}

// "64 of 128" if some of the bytes are there already; of what moves nothing, all that it need not move.
std::string Overview::CopyBytes(const Copy& copy) {
  if (copy.moved == 0) return FormatCount(copy.spared);
  if (copy.spared == 0) return FormatCount(copy.moved);
  return absl::StrCat(FormatCount(copy.moved), " of ", FormatCount(copy.moved + copy.spared));
}

// At most max_rows of them, those of most bytes, in list order.
void Overview::AddCopies(absl::string_view head, const std::vector<Copy>& copies, size_t max_rows,
                         TextTable& table) const {
  if (copies.empty()) return;
  std::vector<size_t> shown(copies.size());
  std::iota(shown.begin(), shown.end(), size_t{0});
  std::vector<Copy> rest;
  if (copies.size() > max_rows) {
    const auto bytes = [&](size_t i) { return std::make_pair(copies[i].moved, copies[i].spared); };
    std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) { return bytes(a) > bytes(b); });
    for (size_t i = max_rows; i < shown.size(); ++i) rest.push_back(copies[shown[i]]);
    shown.resize(max_rows);
    std::sort(shown.begin(), shown.end());
  }
  table.Row({absl::StrCat(head), "kind", "bytes", "why"});
  for (size_t i : shown) {
    const Copy& copy = copies[i];
    table.Row({Printable(g_.name(copy.op), 30), std::string(ToString(g_.op(copy.op).kind)), CopyBytes(copy),
               WhyMoved(copy.op)});
  }
  if (!rest.empty()) table.Row({MoreText(rest.size()), "", CopyBytes(SumOf(rest))});
}

std::string Overview::Copies() const {
  const Movements movements(g_, p_);
  std::vector<Copy> kept, elided, on_bases;
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    Copy copy{OpId(static_cast<int32_t>(i))};
    for (const MovedPart& part : movements.PartsOf(copy.op)) (part.executed ? copy.moved : copy.spared) += part.bytes;
    if (copy.moved > 0) {
      kept.push_back(copy);
    } else if (movements.IsCopy(copy.op)) {
      elided.push_back(copy);
    } else if (copy.spared > 0) {
      on_bases.push_back(copy);
    }
  }
  if (kept.empty() && elided.empty() && on_bases.empty()) return "\ncopies: none\n";
  TextTable table({TextAlign::kLeft, TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft});
  AddCopies("kept", kept, kMaxRows, table);
  AddCopies("elided", elided, kMaxElided, table);
  const auto count = [](const std::vector<Copy>& copies) { return FormatCount(static_cast<int64_t>(copies.size())); };
  std::string in_place;
  if (!on_bases.empty()) {
    in_place = absl::StrCat("; ", FormatCount(SumOf(on_bases).spared), " bytes of the bases of ",
                            Plural(static_cast<int64_t>(on_bases.size()), "other op", "other ops"), " stay in place");
  }
  return absl::StrCat("\ncopies: ", count(kept), " kept (", CopyBytes(SumOf(kept)), " bytes), ", count(elided),
                      " elided (", CopyBytes(SumOf(elided)), " bytes not moved)", in_place, "\n", table.Text());
}

std::string Overview::Refused() const {
  const RefusalSummary summary = SummariseRefusals(g_, p_);
  if (summary.groups.empty()) return "";
  std::string text = absl::StrCat("\nin-place wishes refused: ", FormatCount(summary.count), "\n");
  TextTable table({TextAlign::kRight, TextAlign::kLeft});
  for (size_t i = 0; i < std::min(summary.groups.size(), kMaxRows); ++i) {
    const RefusalGroup& group = summary.groups[i];
    table.Row({FormatCount(group.count), group.count > 1 ? group.reason : Printable(group.example, 400)});
    if (group.count > 1) table.Row({"", absl::StrCat("e.g. ", Printable(group.example, 400))});
  }
  return absl::StrCat(text, table.Text(), MoreLine(summary.groups.size(), kMaxRows, " reasons"));
}

std::string Overview::AddedOrder() const {
  if (p_.added_order.empty()) return "";
  std::string text = absl::StrCat("\norder edges added: ", p_.added_order.size(), "\n");
  TextTable table({TextAlign::kLeft, TextAlign::kLeft});
  for (size_t i = 0; i < std::min(p_.added_order.size(), kMaxRows); ++i) {
    const AddedEdge& e = p_.added_order[i];
    table.Row({absl::StrCat(Printable(g_.name(e.before), 40), " before ", Printable(g_.name(e.after), 40)),
               Printable(e.why, 400)});
  }
  return absl::StrCat(text, table.Text(), MoreLine(p_.added_order.size(), kMaxRows, ""));
}

std::string Overview::Fusions() const {
  if (p_.fused.empty()) return "";
  std::string text = "\nfusion groups:\n";
  TextTable table({TextAlign::kLeft, TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft, TextAlign::kLeft});
  table.Row({"group", "", "ops", "cost", "why"});
  for (size_t i = 0; i < std::min(p_.fused.size(), kMaxRows); ++i) {
    const FusionDecision& d = p_.fused[i];
    const Fusion& f = g_.fusions()[d.fusion.index()];
    absl::string_view why = d.why;
    if (!absl::ConsumePrefix(&why, "left separate: ")) absl::ConsumePrefix(&why, "taken: ");
    table.Row({Printable(f.name, 40), d.fused ? "fused" : "separate", FormatCount(static_cast<int64_t>(f.ops.size())),
               absl::StrCat(FormatCount(d.cost_bytes), " bytes"), Printable(why, 400)});
  }
  return absl::StrCat(text, table.Text(), MoreLine(p_.fused.size(), kMaxRows, ""));
}

}  // namespace

std::string ExplainPlan(const Graph& graph, const Plan& plan, size_t width) {
  return Overview(graph, plan, width).Make();
}

std::string DrawPlan(const Graph& graph, const Plan& plan, size_t width) {
  return Overview(graph, plan, width).Pictures();
}

}  // namespace bufplan
