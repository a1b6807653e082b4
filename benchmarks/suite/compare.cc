#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/suite/methods.h"
#include "benchmarks/suite/report.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;

Key KeyOf(const BenchResult& r) { return {r.suite, r.problem, r.method}; }

// Without overflow: whether new_ns exceeds old_ns by more than the tolerance and the floor.
bool IsSlower(int64_t old_ns, int64_t new_ns, const CompareOptions& options) {
  if (new_ns <= old_ns || new_ns - old_ns <= options.time_floor_ns) return false;
  const double most = static_cast<double>(old_ns) * (1 + static_cast<double>(options.time_tolerance_percent) / 100);
  return static_cast<double>(new_ns) > most;
}

std::string Milliseconds(int64_t ns) { return absl::StrFormat("%.2f ms", static_cast<double>(ns) * 1e-6); }

}  // namespace

Comparison Compare(absl::Span<const BenchResult> old_results, absl::Span<const BenchResult> new_results,
                   const CompareOptions& options) {
  absl::flat_hash_map<Key, const BenchResult*> by_key;
  for (const BenchResult& r : new_results) by_key[KeyOf(r)] = &r;
  Comparison comparison;
  for (const BenchResult& old : old_results) {
    const auto found = by_key.find(KeyOf(old));
    if (found == by_key.end() || !old.measured.skipped.empty()) continue;
    const auto regression = [&](const std::string& what) {
      comparison.regressions.push_back(
          absl::StrCat(Printable(old.suite), " ", Printable(old.problem), ", ", Printable(old.method), ": ", what));
    };
    ++comparison.compared;
    const Measurement &before = old.measured, &now = found->second->measured;
    if (!now.skipped.empty()) {
      regression(absl::StrCat(FormatCount(before.bytes), " bytes, now none: ", Printable(now.skipped, 200)));
      continue;
    }
    if (now.bytes > before.bytes) {
      regression(absl::StrCat(FormatCount(before.bytes), " bytes, now ", FormatCount(now.bytes)));
    }
    if (IsOurs(old.method) && IsSlower(before.time_ns, now.time_ns, options)) {
      regression(absl::StrCat(Milliseconds(before.time_ns), ", now ", Milliseconds(now.time_ns)));
    }
  }
  return comparison;
}

}  // namespace bufplan
