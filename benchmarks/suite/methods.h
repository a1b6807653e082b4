// What is measured on a problem: our efforts and the baselines, behind one function each.
#ifndef BUFPLAN_BENCHMARKS_SUITE_METHODS_H_
#define BUFPLAN_BENCHMARKS_SUITE_METHODS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "benchmarks/suite/cases.h"

namespace bufplan {

// What a method gives back, checked or to be checked.
struct MethodResult {
  std::vector<int64_t> offset_bytes;  // by buffer; empty if the method has checked its own plan of a graph
  std::vector<int32_t> chunk;         // by buffer; empty: all in chunk 0
  std::vector<int64_t> chunk_bytes;
  int64_t total_bytes = 0;
  int64_t lower_bound = 0;  // proven by the method; 0: it has none
  bool optimal = false;     // proven by the method
};

struct Method {
  std::string name;
  // ERRORS: Unimplemented or ResourceExhausted if the method does not do this problem.
  std::function<absl::StatusOr<MethodResult>(const BenchCase&)> run;
};

// "fast", "default" and, if asked for, "max": placement of the interval problem. Where it is of a graph, "graph fast"
// and so on: the graph from sharing to the plan, without its check. Then the baselines, in chunks those
// that know them.
std::vector<Method> MethodsFor(const BenchCase& bench_case, bool with_max);

// Whether the method is ours.
bool IsOurs(absl::string_view method);

// No buffers alive at once overlap, in every chunk; chunks and totals are what they should be.
// ERRORS: Internal, with what is wrong.
absl::Status CheckResult(const BenchCase& bench_case, const MethodResult& result);

// The bytes that no placement of the problem gets below.
int64_t LowerBoundOf(const BenchCase& bench_case);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SUITE_METHODS_H_
