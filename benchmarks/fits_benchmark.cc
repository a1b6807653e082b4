// Whether a plan serves the graph of the next step: what a framework asks instead of planning again.
#include <cstdint>

#include "benchmark/benchmark.h"
#include "benchmarks/decode_graph.h"
#include "benchmarks/synthetic_graph.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/structure.h"
#include "planner/make_plan.h"

namespace bufplan {
namespace {

// The same graph built twice, so that the second lies elsewhere in memory.
void Fits(benchmark::State& state, const Graph& planned, const Graph& next) {
  const absl::StatusOr<Plan> plan = MakePlan(planned, {.effort = Effort::kFast, .check = false});
  if (!plan.ok()) return state.SkipWithError(plan.status().ToString().c_str());
  if (!plan->Fits(next)) return state.SkipWithError("the plan does not fit its own graph");
  for (auto _ : state) benchmark::DoNotOptimize(plan->Fits(next));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(next.ops().size()));
  state.counters["per_op"] =
      benchmark::Counter(static_cast<double>(next.ops().size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void BM_Fits(benchmark::State& state) { Fits(state, DecoderGraph(state.range(0)), DecoderGraph(state.range(0))); }
void BM_FitsStreams(benchmark::State& state) {
  Fits(state, DecoderGraph(state.range(0), 8), DecoderGraph(state.range(0), 8));
}
void BM_FitsSymbols(benchmark::State& state) {
  const DecodeShape shape = {.layers = static_cast<int>(state.range(0))};
  Fits(state, DecodeGraph(shape), DecodeGraph(shape));
}

void BM_StructureOf(benchmark::State& state) {
  const Graph graph = DecoderGraph(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(Structure::Of(graph));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(graph.ops().size()));
}

BENCHMARK(BM_Fits)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_FitsStreams)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_FitsSymbols)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_StructureOf)->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bufplan
