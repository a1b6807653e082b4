// Time of the heaviest antichain, the lower bound for lives that are ordered in part only: up to a hundred thousand
// pieces on three to 32 chains, with a work limit and without one.
//
// `exact`: 1 if proven; `over_list`: its bytes over those of list order; `work` as returned.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "planner/placement/antichain.h"
#include "planner/placement/interval_order.h"
#include "planner/placement/lower_bound.h"
#include "tests/planner/placement/chain_cases.h"

namespace bufplan {
namespace {

// So that a run as a test can fail.
int num_failures = 0;

void Fail(benchmark::State& state, const char* why) {
  ++num_failures;
  state.SkipWithError(why);
}

void RunAntichain(benchmark::State& state, const PlacementProblem& problem, int64_t work_limit) {
  Antichain antichain;
  for (auto _ : state) antichain = HeaviestAntichain(problem, work_limit);
  const int64_t list_bytes = ComputeLowerBound(problem).load_bytes;
  if (antichain.bytes < list_bytes) Fail(state, "less than list order needs");
  if (!antichain.exact && work_limit == INT64_MAX) Fail(state, "not proven");
  state.counters["exact"] = antichain.exact ? 1 : 0;
  state.counters["over_list"] = static_cast<double>(antichain.bytes) / static_cast<double>(list_bytes);
  state.counters["work"] = static_cast<double>(antichain.work);
}

void RunIntervals(benchmark::State& state, const PlacementProblem& problem) {
  for (auto _ : state) benchmark::DoNotOptimize(AsIntervals(problem));
}

void RegisterAll() {
  for (const LargeChains kind : {LargeChains::kForkJoin, LargeChains::kSparse}) {
    for (const int32_t chains : {3, 8, 32}) {
      for (const size_t n : {size_t{1'000}, size_t{10'000}, size_t{100'000}}) {
        const std::string name =
            absl::StrCat(kind == LargeChains::kForkJoin ? "fork_join" : "sparse", "/chains:", chains, "/", n);
        const auto add = [&](const std::string& what, auto run) {
          benchmark::RegisterBenchmark(absl::StrCat(what, "/", name).c_str(), [=](benchmark::State& state) {
            run(state, LargeChainProblem(kind, n, chains));
          })->Unit(benchmark::kMillisecond);
        };
        const int64_t limit = 4 * static_cast<int64_t>(n) * chains;
        add("Limited", [limit](benchmark::State& s, const PlacementProblem& p) { RunAntichain(s, p, limit); });
        add("Exact", [](benchmark::State& s, const PlacementProblem& p) { RunAntichain(s, p, INT64_MAX); });
        add("AsIntervals", RunIntervals);
      }
    }
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
