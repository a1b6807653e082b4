// Results of suites: as a table, as a file, and two of them compared.
//
//   {"format": "bufplan.bench", "version": 1, "bufplan": "0.1.0",
//    "results": [
//     {"suite": "hard", "problem": "A", "method": "default", "buffers": 154, "bytes": 1048576, "lower_bound": 1048576,
//      "optimal": true, "chunks": 1, "time_ns": 1200345, "runs": 9, "memory_bytes": 204800},
//     {"suite": "hard", "problem": "A", "method": "usmp hill climb", "buffers": 154, "skipped": "..."}]}
//
// One line a result. "memory_bytes" is missing where the system does not say.
//
// ERRORS (reading): InvalidArgument, "line 3, column 17: ..." or "at /results/3/bytes: ...". THREADS: no shared state.
#ifndef BUFPLAN_BENCHMARKS_SUITE_REPORT_H_
#define BUFPLAN_BENCHMARKS_SUITE_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/suite/measure.h"

namespace bufplan {

struct BenchResult {
  std::string suite, problem, method;
  int64_t buffers = 0;
  int64_t lower_bound = 0;  // the best that is known
  bool optimal = false;     // proven by the method, or equal to that bound
  Measurement measured;
};

std::string WriteReportJson(absl::Span<const BenchResult> results);
absl::StatusOr<std::vector<BenchResult>> ReadReportJson(absl::string_view text);

// The results of one suite: a block for each problem, and one line for each method over all of them.
std::string ReportTable(absl::Span<const BenchResult> results);
std::string SummaryTable(absl::Span<const BenchResult> results);

struct CompareOptions {
  int64_t time_tolerance_percent = 50;
  int64_t time_floor_ns = 10'000'000;
};

struct Comparison {
  std::vector<std::string> regressions;  // one line each
  int64_t compared = 0;                  // results that both have
};

// A regression is a result that needs more bytes than the old one, or is skipped where the old one was not; or one of
// ours that takes longer by more than the tolerance and by more than the floor. What only one of the reports has does
// not count.
Comparison Compare(absl::Span<const BenchResult> old_results, absl::Span<const BenchResult> new_results,
                   const CompareOptions& options);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_REPORT_H_
