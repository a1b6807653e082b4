#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "benchmarks/suite/report.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

// Below that a figure says nothing, see measure.h.
constexpr int64_t kLeastMemory = 100 << 10;

double Over(const BenchResult& r) {
  if (r.lower_bound <= 0) return 0;
  return 100.0 * static_cast<double>(r.measured.bytes - r.lower_bound) / static_cast<double>(r.lower_bound);
}

std::string OverText(double percent) {
  if (percent <= 0) return "0%";
  return percent < 0.01 ? "<0.01%" : absl::StrFormat("%.2f%%", percent);
}

std::string MemoryText(std::optional<int64_t> bytes) {
  if (!bytes.has_value()) return "-";
  return *bytes < kLeastMemory ? "<0.1 MiB" : FormatSize(*bytes);
}

// What a method did on all problems.
struct MethodSum {
  std::string method;
  int64_t done = 0, skipped = 0, optimal = 0, time_ns = 0;
  double sum_over = 0, max_over = 0;
};

}  // namespace

std::string ReportTable(absl::Span<const BenchResult> results) {
  using enum TextAlign;
  TextTable table({kLeft, kRight, kLeft, kRight, kRight, kRight, kRight, kRight, kLeft});
  table.Row({"problem", "buffers", "method", "bytes", "over", "chunks", "time", "memory", "optimal"});
  const std::string* problem = nullptr;
  for (const BenchResult& r : results) {
    if (problem == nullptr || *problem != r.problem) {
      table.Row({Printable(r.problem), FormatCount(r.buffers), "lower bound", FormatCount(r.lower_bound)});
      problem = &r.problem;
    }
    const Measurement& m = r.measured;
    if (!m.skipped.empty()) {
      table.Row({"", "", r.method, "-", "-", "-", "-", "-"});
      continue;
    }
    table.Row({"", "", r.method, FormatCount(m.bytes), OverText(Over(r)), absl::StrCat(m.chunks),
               FormatTime(absl::Nanoseconds(m.time_ns)), MemoryText(m.memory_bytes), r.optimal ? "yes" : ""});
  }
  return table.Text();
}

std::string SummaryTable(absl::Span<const BenchResult> results) {
  std::vector<MethodSum> sums;
  for (const BenchResult& r : results) {
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const MethodSum& s) { return s.method == r.method; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), MethodSum{.method = r.method});
    if (!r.measured.skipped.empty()) {
      ++sum->skipped;
      continue;
    }
    ++sum->done;
    sum->optimal += r.optimal ? 1 : 0;
    sum->time_ns += r.measured.time_ns;
    sum->sum_over += Over(r);
    sum->max_over = std::max(sum->max_over, Over(r));
  }
  using enum TextAlign;
  TextTable table({kLeft, kRight, kRight, kRight, kRight, kRight});
  table.Row({"method", "problems", "optimal", "mean over", "worst over", "time"});
  for (const MethodSum& s : sums) {
    if (s.done == 0) {
      table.Row({s.method, "-", "-", "-", "-", "-"});
      continue;
    }
    const std::string problems =
        s.skipped == 0 ? absl::StrCat(s.done) : absl::StrCat(s.done, " of ", s.done + s.skipped);
    table.Row({s.method, problems, absl::StrCat(s.optimal), OverText(s.sum_over / static_cast<double>(s.done)),
               OverText(s.max_over), FormatTime(absl::Nanoseconds(s.time_ns))});
  }
  return table.Text();
}

}  // namespace bufplan
