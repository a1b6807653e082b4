// Speed of sharing on graphs full of copies, over the number of ops: the slope must stay near linear.
#include <cstdint>

#include "benchmark/benchmark.h"
#include "benchmarks/copy_graph.h"
#include "ir/graph.h"
#include "planner/make_plan.h"
#include "planner/order/schedule.h"
#include "planner/sharing/sharing.h"

namespace bufplan {
namespace {

void Share(benchmark::State& state, const Graph& graph) {
  const Schedule schedule = *Schedule::Create(graph, {});
  for (auto _ : state) benchmark::DoNotOptimize(ShareStorages(graph, schedule));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(graph.ops().size()));
}

void PlanIt(benchmark::State& state, const Graph& graph, Effort effort) {
  PlanStats stats;
  for (auto _ : state) {
    const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = effort});
    if (!plan.ok()) {
      state.SkipWithError(plan.status().ToString().c_str());
      return;
    }
    stats = plan->stats;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(graph.ops().size()));
  state.counters["kept"] = static_cast<double>(stats.copies_kept);
  state.counters["elided"] = static_cast<double>(stats.copies_elided);
}

void BM_ShareCopies(benchmark::State& state) { Share(state, CopyGraph(state.range(0))); }
void BM_ShareUpdateChain(benchmark::State& state) { Share(state, UpdateChain(state.range(0))); }
void BM_ShareManyReaders(benchmark::State& state) { Share(state, ManyReaders(state.range(0))); }
void BM_ShareWideConcat(benchmark::State& state) { Share(state, WideConcat(state.range(0))); }
void BM_PlanCopiesFast(benchmark::State& state) { PlanIt(state, CopyGraph(state.range(0)), Effort::kFast); }
void BM_PlanCopiesDefault(benchmark::State& state) { PlanIt(state, CopyGraph(state.range(0)), Effort::kDefault); }

BENCHMARK(BM_ShareCopies)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ShareUpdateChain)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ShareManyReaders)->Arg(250)->Arg(1000)->Arg(4000)->Arg(16000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ShareWideConcat)->Arg(250)->Arg(1000)->Arg(4000)->Arg(16000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PlanCopiesFast)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PlanCopiesDefault)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bufplan
