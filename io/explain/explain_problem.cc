// Explanations of interval problems.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "io/explain/explain.h"
#include "io/explain/layout.h"
#include "io/explain/nearest_names.h"
#include "io/explain/neighbours.h"
#include "io/explain/peak.h"
#include "io/explain/picture.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

constexpr size_t kMaxPeakRows = 30;
constexpr size_t kMaxNeighbours = 6;

std::string DrawAll(const Layout& layout, const std::optional<PeakTable>& peak, size_t width) {
  if (!peak.has_value()) return "";
  PictureOptions options;
  options.width = width;
  options.mark_time = peak->time;
  options.mark_text = "peak";
  return DrawMemory(layout, 0, options);
}

void AddRow(const Layout& layout, absl::string_view when, size_t i, const PlacedBytes& self, TextTable& table) {
  const PlacedBytes& p = layout.placed()[i];
  const int64_t shared = std::min(self.bytes.end, p.bytes.end) - std::max(self.bytes.begin, p.bytes.begin);
  table.Row({std::string(when), FormatCount(shared), Printable(layout.Label(p), 40),
             absl::StrCat("[", p.begin, ", ", p.end, ")")});
}

}  // namespace

std::string ExplainProblem(const Problem& problem, const ProblemPlan& plan, size_t width) {
  const Layout layout(problem, plan);
  std::string text =
      absl::StrCat("plan of ", problem.name.empty() ? "a problem" : absl::StrCat("problem ", InQuotes(problem.name)),
                   ": ", Plural(static_cast<int64_t>(problem.buffers.size()), "buffer", "buffers"), ", ",
                   FormatCount(plan.bytes), " bytes");
  if (plan.bytes >= 1024) absl::StrAppend(&text, " (", FormatSize(plan.bytes), ")");
  absl::StrAppend(&text,
                  plan.lower_bound > 0 ? absl::StrCat(", lower bound ", FormatCount(plan.lower_bound)) : std::string(),
                  plan.optimal ? ", optimal" : "", "\n");
  const std::optional<PeakTable> peak = PeakTableOf(layout, 0);
  if (!peak.has_value()) return text;
  return absl::StrCat(text, "  most is in use at time ", peak->time, ":\n", PeakText(layout, *peak, kMaxPeakRows),
                      DrawAll(layout, peak, width));
}

absl::StatusOr<std::string> ExplainBuffer(const Problem& problem, const ProblemPlan& plan, absl::string_view name,
                                          size_t width) {
  const auto found =
      std::find_if(problem.buffers.begin(), problem.buffers.end(), [&](const Buffer& b) { return b.name == name; });
  if (found == problem.buffers.end()) {
    std::vector<absl::string_view> known;
    for (const Buffer& b : problem.buffers) known.push_back(b.name);
    return absl::NotFoundError(absl::StrCat("the problem has no buffer ", InQuotes(name), DidYouMean(name, known)));
  }
  const Buffer& b = *found;
  const size_t index = static_cast<size_t>(found - problem.buffers.begin());
  std::string text = absl::StrCat("buffer ", InQuotes(b.name), ": ", FormatCount(b.bytes), " bytes, live in [", b.begin,
                                  ", ", b.end, ")");
  for (const TimeRange& gap : b.gaps) absl::StrAppend(&text, " without [", gap.begin, ", ", gap.end, ")");
  if (problem.alignment(b) > 1) absl::StrAppend(&text, ", alignment ", problem.alignment(b));
  if (b.offset_bytes.has_value()) absl::StrAppend(&text, ", pinned at offset ", FormatCount(*b.offset_bytes));
  absl::StrAppend(&text, "\n  lies at offset ", index < plan.offsets.size() ? FormatCount(plan.offsets[index]) : "?",
                  "\n");
  const Layout layout(problem, plan);
  const std::optional<size_t> entry = layout.Find(static_cast<int32_t>(index));
  if (!entry.has_value()) return absl::StrCat(text, "  it has no bytes or no time, and conflicts with nothing\n");
  const Neighbours n = NeighboursOf(layout, *entry);
  const PlacedBytes& self = layout.placed()[*entry];
  TextTable table({TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft, TextAlign::kLeft}, 4);
  table.Row({"when", "shared bytes", "buffer", "live"});
  const size_t first = n.before.size() - std::min(n.before.size(), kMaxNeighbours);
  if (first > 0) table.Row({"before", absl::StrCat("(", first, " more)")});
  for (size_t i = first; i < n.before.size(); ++i) AddRow(layout, "before", n.before[i], self, table);
  for (size_t i : n.together) AddRow(layout, "in a gap", i, self, table);
  for (size_t i = 0; i < std::min(n.after.size(), kMaxNeighbours); ++i)
    AddRow(layout, "after", n.after[i], self, table);
  if (n.after.size() > kMaxNeighbours) {
    table.Row({"after", absl::StrCat("(", n.after.size() - kMaxNeighbours, " more)")});
  }
  if (n.before.empty() && n.together.empty() && n.after.empty()) {
    text += "  nothing else ever lies in its bytes\n";
  } else {
    absl::StrAppend(&text, "  in the same bytes:\n", table.Text());
  }
  return text + DrawNeighbourhood(layout, *entry, width);
}

std::string DrawProblem(const Problem& problem, const ProblemPlan& plan, size_t width) {
  const Layout layout(problem, plan);
  return DrawAll(layout, PeakTableOf(layout, 0), width);
}

}  // namespace bufplan
