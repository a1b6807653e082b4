#include "io/tool/plan_summary.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "io/explain/text_table.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

std::string GapText(int64_t bytes, int64_t lower_bound) {
  if (bytes <= lower_bound) return "0%";
  if (lower_bound <= 0) return "-";
  const double percent = 100.0 * static_cast<double>(bytes - lower_bound) / static_cast<double>(lower_bound);
  return percent < 0.01 ? "<0.01%" : absl::StrFormat("%.2f%%", percent);
}

std::string SumText(const PlanSummary& summary) {
  int64_t arenas = 0;
  for (const auto& a : summary.arenas) arenas += a.bytes;
  const int64_t sum = summary.stats.sum_bytes;
  std::string text = absl::StrCat(FormatCount(sum), " bytes (", FormatSize(sum), ")");
  if (sum <= 0 || arenas <= 0) return text;
  const double times = static_cast<double>(sum) / static_cast<double>(arenas);
  if (sum == arenas) return text + "; the arena is as large";
  if (times < 1) {
    return absl::StrCat(
        text, absl::StrFormat("; the arena is %.2f%% larger, by alignment, scratch or pins", 100 * (1 / times - 1)));
  }
  return absl::StrCat(text, absl::StrFormat("; the arena is %.2f times smaller", times));
}

// What the data movements and carried bases of the graph would move, each as it is written, and what the plan moves.
// The difference is no property of the elided copies: parts of kept ones and bases of other ops stay in place as well.
std::string MovedText(const PlanStats& stats) {
  int64_t before = 0;
  if (__builtin_add_overflow(stats.bytes_copied, stats.bytes_not_copied, &before)) before = INT64_MAX;
  return absl::StrCat(FormatCount(before), " before, ", FormatCount(stats.bytes_copied), " after");
}

std::string SymbolText(const Symbol& s) {
  std::string text = s.min == s.max ? absl::StrCat(s.name, "=", s.min) : absl::StrCat(s.name, "=", s.min, "..", s.max);
  if (s.multiple_of != 1) absl::StrAppend(&text, " by ", s.multiple_of);
  return Printable(text);
}

}  // namespace

PlanSummary SummaryOf(const Graph& graph, const Plan& plan, absl::Duration time) {
  PlanSummary summary;
  summary.optimal = plan.optimal;
  for (const Arena& a : plan.arenas) {
    summary.arenas.push_back({std::string(graph.name(a.space)), a.bytes, a.lower_bound, a.optimal, a.chunks});
  }
  summary.stats = plan.stats;
  summary.added_edges = plan.added_order.size();
  if (plan.stats.peak_op.has_value()) summary.peak_op = std::string(graph.name(*plan.stats.peak_op));
  for (ValueId v : plan.stats.live_at_peak) summary.live_at_peak.emplace_back(graph.name(v));
  summary.symbols.assign(graph.symbols().begin(), graph.symbols().end());
  summary.time = time;
  return summary;
}

PlanSummary SummaryOf(const Problem& problem, const ProblemPlan& plan, absl::Duration time) {
  PlanSummary summary;
  summary.graph = false;
  summary.optimal = plan.optimal;
  summary.arenas.push_back({"device", plan.bytes, plan.lower_bound, plan.optimal, {plan.bytes}});
  for (const Buffer& b : problem.buffers) {
    // As in the plan file: a statistic that stops at the end of 64 bits.
    if (__builtin_add_overflow(summary.stats.sum_bytes, b.bytes, &summary.stats.sum_bytes)) {
      summary.stats.sum_bytes = INT64_MAX;
    }
  }
  summary.time = time;
  return summary;
}

std::string SummaryTable(const PlanSummary& summary) {
  const bool chunks =
      std::any_of(summary.arenas.begin(), summary.arenas.end(), [](const auto& a) { return a.chunks.size() > 1; });
  constexpr TextAlign kLeft = TextAlign::kLeft, kRight = TextAlign::kRight;
  TextTable arenas({kLeft, kRight, kRight, kRight, kRight, kLeft, kLeft}, 0);
  arenas.Row({"space", "bytes", "", "lower bound", "gap", "optimal", chunks ? "chunks" : ""});
  for (const auto& a : summary.arenas) {
    std::string chunk_text;
    if (a.chunks.size() > 1) {
      chunk_text = absl::StrCat(a.chunks.size(), ":");
      for (size_t i = 0; i < std::min<size_t>(a.chunks.size(), 6); ++i) {
        absl::StrAppend(&chunk_text, " ", FormatCount(a.chunks[i]));
      }
      if (a.chunks.size() > 6) chunk_text += " ..";
    } else if (chunks) {
      chunk_text = "1";
    }
    arenas.Row({Printable(a.space, 40), FormatCount(a.bytes), FormatSize(a.bytes), FormatCount(a.lower_bound),
                GapText(a.bytes, a.lower_bound), a.optimal ? "yes" : "not proven", chunk_text});
  }
  const PlanStats& s = summary.stats;
  TextTable rest({kLeft, kLeft}, 0);
  if (summary.graph) {
    rest.Row(
        {"copies kept", absl::StrCat(FormatCount(s.copies_kept), " (", FormatCount(s.bytes_copied), " bytes copied)")});
    rest.Row({"copies elided", FormatCount(s.copies_elided)});
    rest.Row({"bytes moved", MovedText(s)});
    if (summary.added_edges > 0) {
      rest.Row({"order edges added", FormatCount(static_cast<int64_t>(summary.added_edges))});
    }
  }
  rest.Row({"sum of sizes", SumText(summary)});
  if (!summary.symbols.empty()) {
    std::string text;
    for (const Symbol& symbol : summary.symbols) absl::StrAppend(&text, text.empty() ? "" : ", ", SymbolText(symbol));
    rest.Row({"symbols", text});
  }
  rest.Row({"time", FormatTime(summary.time)});
  return absl::StrCat(arenas.Text(), "\n", rest.Text());
}

std::string SummaryJson(const PlanSummary& summary) {
  JsonObjectText stats;
  const PlanStats& s = summary.stats;
  stats.Integer("copies_elided", s.copies_elided).Integer("copies_kept", s.copies_kept);
  stats.Integer("bytes_copied", s.bytes_copied).Integer("bytes_not_copied", s.bytes_not_copied);
  stats.Integer("sum_bytes", s.sum_bytes);
  stats.Raw("peak_op", summary.peak_op.empty() ? "null" : JsonString(summary.peak_op));
  stats.Raw("live_at_peak", JsonArray(summary.live_at_peak, [](const std::string& name) { return JsonString(name); }));
  JsonObjectText object;
  object.String("status", summary.optimal ? "optimal" : "feasible");
  object.Raw("arenas", JsonArray(summary.arenas, [](const PlanSummary::ArenaLine& a) {
               JsonObjectText arena;
               arena.String("space", a.space).Integer("bytes", a.bytes).Integer("lower_bound", a.lower_bound);
               arena.Bool("optimal", a.optimal);
               arena.Raw("chunks", JsonArray(a.chunks, [](int64_t bytes) { return absl::StrCat(bytes); }));
               return arena.Finish();
             }));
  if (summary.graph) object.Integer("order_edges_added", static_cast<int64_t>(summary.added_edges));
  object.Raw("stats", stats.Finish());
  object.Raw("seconds", absl::StrFormat("%.6f", absl::ToDoubleSeconds(summary.time)));
  return object.Finish() + "\n";
}

std::string FailureJson(const Shortfall& shortfall, bool proven, absl::string_view message) {
  JsonObjectText object;
  object.String("status", proven ? "infeasible" : "gave up");
  object.Raw("space", shortfall.space.empty() ? "null" : JsonString(shortfall.space));
  object.Integer("capacity", shortfall.capacity_bytes).Integer("lower_bound", shortfall.lower_bound_bytes);
  object.Raw("best_known", shortfall.best_bytes.has_value() ? absl::StrCat(*shortfall.best_bytes) : "null");
  object.String("message", message);
  return object.Finish() + "\n";
}

}  // namespace bufplan
