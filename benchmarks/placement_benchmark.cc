// Time and quality of placement: synthetic problems of one to a hundred thousand storages, and the problems under
// benchmarks/data.
//
// `over_bound` is the bytes of the placement over the lower bound; `per_storage` the time for one storage.
// Run from the root of the repository, or through Bazel, so that the data is found.
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/placement.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

// Lifetimes as in the graphs of networks: a storage per step, most of them read within a few steps, some much later;
// or, for training, kept until the step that mirrors theirs.
PlacementProblem Synthetic(int64_t n, bool training) {
  std::mt19937_64 random(1);
  const auto below = [&random](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  std::vector<Interval> intervals;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t later = training ? 2 * (n - i) : 10 + below(40);
    const int64_t life = below(10) == 0 ? later : 2 + below(4);
    intervals.push_back({i, i + life, 256 * (1 + below(64))});
  }
  return FromIntervals(intervals, 256);
}

// So that a run as a test can fail.
int num_failures = 0;

void Fail(benchmark::State& state, const std::string& why) {
  ++num_failures;
  state.SkipWithError(why.c_str());
}

void RunPlace(benchmark::State& state, const PlacementProblem& problem, PlacementEffort effort) {
  if (problem.storages.empty()) {
    Fail(state, "no data; run from the root of the repository");
    return;
  }
  Placement placement;
  for (auto _ : state) {
    absl::StatusOr<Placement> result = Place(problem, {effort});
    if (!result.ok()) {
      Fail(state, std::string(result.status().message()));
      return;
    }
    placement = *std::move(result);
    benchmark::DoNotOptimize(placement.offset_bytes.data());
  }
  // The full check compares all pairs.
  if (problem.storages.size() <= 2000) {
    if (const std::string fault = FindFault(problem, placement); !fault.empty()) Fail(state, fault);
  }
  const double n = static_cast<double>(problem.storages.size());
  state.counters["storages"] = n;
  state.counters["over_bound"] =
      static_cast<double>(placement.total_bytes) / static_cast<double>(placement.lower_bound_bytes);
  state.counters["per_storage"] = benchmark::Counter(
      n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert, benchmark::Counter::kIs1000);
}

void RunLowerBound(benchmark::State& state, const PlacementProblem& problem) {
  for (auto _ : state) benchmark::DoNotOptimize(ComputeLowerBound(problem));
}

void RegisterAll() {
  const std::pair<const char*, PlacementEffort> efforts[] = {{"fast", PlacementEffort::kFast},
                                                             {"default", PlacementEffort::kDefault}};
  const auto register_place = [&efforts](const std::string& name, auto make) {
    for (const auto& [effort_name, effort] : efforts) {
      const PlacementEffort e = effort;
      benchmark::RegisterBenchmark(absl::StrCat("Place/", effort_name, "/", name).c_str(),
                                   [make, e](benchmark::State& state) { RunPlace(state, make(), e); })
          ->Unit(benchmark::kMicrosecond);
    }
  };
  for (const int64_t n : {1'000, 10'000, 100'000}) {
    for (const bool training : {false, true}) {
      const std::string name = absl::StrCat(training ? "training/" : "inference/", n);
      register_place(name, [n, training] { return Synthetic(n, training); });
      benchmark::RegisterBenchmark(absl::StrCat("LowerBound/", name).c_str(), [n, training](benchmark::State& state) {
        RunLowerBound(state, Synthetic(n, training));
      })->Unit(benchmark::kMicrosecond);
    }
  }
  for (const DataFile& file : DataFiles()) {
    const std::string path = file.path;
    register_place(path.substr(path.rfind('/') + 1), [path] { return FromIntervals(ReadCsv(path)); });
  }
}

}  // namespace

int RunAll() {
  RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return num_failures == 0 ? 0 : 1;
}

}  // namespace bufplan

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  return bufplan::RunAll();
}
