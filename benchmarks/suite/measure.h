// Measures one method on one problem, in a process of its own.
//
// Time: wall clock around the call, the median of several runs where one is short. Memory: how far the resident set of
// the process peaks above what it was just before the first run, with the problem in it: what the method allocates and
// touches, its result included. Pages are counted, and the kernel counts them in batches, so that it is good to some
// 100 KiB. The program's own pages are mapped before. The check of the result is in neither.
#ifndef BUFPLAN_BENCHMARKS_SUITE_MEASURE_H_
#define BUFPLAN_BENCHMARKS_SUITE_MEASURE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "benchmarks/suite/cases.h"
#include "benchmarks/suite/methods.h"

namespace bufplan {

struct Measurement {
  std::string skipped;  // why the method does not do this problem; then there is nothing else
  int64_t bytes = 0;
  int64_t lower_bound = 0;  // proven by the method; 0: none
  bool optimal = false;
  int64_t chunks = 1;
  int64_t time_ns = 0;
  int64_t runs = 0;  // that the time is the median of
  std::optional<int64_t> memory_bytes;
};

// ERRORS: Internal if the result is wrong or the process dies; Unavailable if there can be no process. COST: up to nine
// runs, as long as they take less than half a second together. THREADS: forks; no other thread may hold a lock that the
// method needs.
absl::StatusOr<Measurement> Measure(const BenchCase& bench_case, const Method& method);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_MEASURE_H_
