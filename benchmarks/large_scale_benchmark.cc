// Time and quality of large-scale placement: random lives of a thousand to ten million storages, and the larger
// problems under benchmarks/data.
//
// `over_bound` is the bytes of the placement over the lower bound, `load` that bound; `per_storage` the time for one
// storage. As a test, and unless `--all` is given, it stops at a hundred thousand. Run from the root of the repository,
// or through Bazel, so that the data is found.
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "benchmarks/tensor_lives.h"
#include "planner/placement/placement.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

// So that a run as a test can fail.
int num_failures = 0;

void RunPlace(benchmark::State& state, const PlacementProblem& problem) {
  Placement placement;
  for (auto _ : state) {
    absl::StatusOr<Placement> result = Place(problem, {});
    if (!result.ok() || problem.storages.empty()) {
      ++num_failures;
      state.SkipWithError(result.ok() ? "no data; run from the root of the repository"
                                      : std::string(result.status().message()).c_str());
      return;
    }
    placement = *std::move(result);
    benchmark::DoNotOptimize(placement.offset_bytes.data());
  }
  const double n = static_cast<double>(problem.storages.size());
  state.counters["n"] = n;
  state.counters["load"] = static_cast<double>(placement.lower_bound_bytes);
  state.counters["over_bound"] =
      static_cast<double>(placement.total_bytes) / static_cast<double>(placement.lower_bound_bytes);
  state.counters["per_storage"] = benchmark::Counter(
      n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert, benchmark::Counter::kIs1000);
}

void RegisterAll(size_t most) {
  for (size_t n = 1'000; n <= most; n *= 10) {
    benchmark::RegisterBenchmark(absl::StrCat("LargeScale/random/", n).c_str(), [n](benchmark::State& state) {
      RunPlace(state, RandomTensorLives({.num_storages = n}));
    })->Unit(benchmark::kMillisecond);
  }
  for (const DataFile& file : DataFiles()) {
    const std::string path = file.path;
    if (path.find("minimalloc") != std::string::npos) continue;
    benchmark::RegisterBenchmark(absl::StrCat("LargeScale/", path.substr(path.rfind('/') + 1)).c_str(),
                                 [path](benchmark::State& state) { RunPlace(state, FromIntervals(ReadCsv(path))); })
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

int RunAll(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const bool all = argc == 2 && std::strcmp(argv[1], "--all") == 0;
  if (!all && benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  RegisterAll(all ? 10'000'000 : 100'000);
  benchmark::RunSpecifiedBenchmarks();
  return num_failures == 0 ? 0 : 1;
}

}  // namespace bufplan

int main(int argc, char** argv) { return bufplan::RunAll(argc, argv); }
