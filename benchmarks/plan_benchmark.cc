// Speed of planning: the whole pipeline at each effort, and its stages, over the number of ops.
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "benchmarks/synthetic_graph.h"
#include "io/ggml.h"
#include "io/read_file.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "planner/liveness/live_ranges.h"
#include "planner/liveness/uses.h"
#include "planner/make_plan.h"
#include "planner/order/schedule.h"
#include "planner/sharing/sharing.h"

namespace bufplan {
namespace {

void PerOp(benchmark::State& state, const Graph& graph) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(graph.ops().size()));
}

void Plan(benchmark::State& state, const Graph& graph, Effort effort, bool check) {
  int64_t bytes = 0, bound = 0;
  for (auto _ : state) {
    absl::StatusOr<bufplan::Plan> plan = MakePlan(graph, {.effort = effort, .check = check});
    if (!plan.ok()) {
      state.SkipWithError(plan.status().ToString().c_str());
      return;
    }
    bytes = plan->arenas[0].bytes;
    bound = plan->arenas[0].lower_bound;
  }
  PerOp(state, graph);
  state.counters["over_bound"] = bound > 0 ? static_cast<double>(bytes) / static_cast<double>(bound) : 1.0;
}

void BM_PlanFast(benchmark::State& state) { Plan(state, DecoderGraph(state.range(0)), Effort::kFast, false); }
void BM_PlanFastChecked(benchmark::State& state) { Plan(state, DecoderGraph(state.range(0)), Effort::kFast, true); }
void BM_PlanDefault(benchmark::State& state) { Plan(state, DecoderGraph(state.range(0)), Effort::kDefault, false); }
void BM_PlanFastStreams(benchmark::State& state) { Plan(state, DecoderGraph(state.range(0), 8), Effort::kFast, false); }
// Eight streams, with a wait for another one every 20 ops, or 2,000.
void BM_PlanFastWideStreams(benchmark::State& state) {
  Plan(state, StreamsGraph(state.range(0), 8, static_cast<int>(state.range(1))), Effort::kFast, false);
}
void BM_PlanWideStreams(benchmark::State& state) {
  Plan(state, StreamsGraph(state.range(0), 8, static_cast<int>(state.range(1))), Effort::kDefault, false);
}
void BM_LivenessStreams(benchmark::State& state) {
  const Graph graph = StreamsGraph(state.range(0), 8, static_cast<int>(state.range(1)));
  const SharedStorages shared = *ShareStorages(graph, *Schedule::Create(graph, {}));
  for (auto _ : state) {
    const Schedule schedule = *Schedule::Create(graph, {});
    benchmark::DoNotOptimize(ComputeLiveRanges(graph, schedule, shared.uses, shared.sharing));
  }
  PerOp(state, graph);
}
void BM_PlanConcatReaders(benchmark::State& state) {
  Plan(state, ConcatReadersGraph(state.range(0)), Effort::kFast, false);
}

void BM_Sharing(benchmark::State& state) {
  const Graph graph = DecoderGraph(state.range(0));
  const Schedule schedule = *Schedule::Create(graph, {});
  for (auto _ : state) benchmark::DoNotOptimize(ShareStorages(graph, schedule));
  PerOp(state, graph);
}

void BM_Uses(benchmark::State& state) {
  const Graph graph = DecoderGraph(state.range(0));
  const Schedule schedule = *Schedule::Create(graph, {});
  for (auto _ : state) benchmark::DoNotOptimize(Uses(graph, schedule));
  PerOp(state, graph);
}

void BM_Liveness(benchmark::State& state) {
  const Graph graph = DecoderGraph(state.range(0));
  const Schedule schedule = *Schedule::Create(graph, {});
  const SharedStorages shared = *ShareStorages(graph, schedule);
  for (auto _ : state) benchmark::DoNotOptimize(ComputeLiveRanges(graph, schedule, shared.uses, shared.sharing));
  PerOp(state, graph);
}

void BM_Check(benchmark::State& state) {
  const Graph graph = DecoderGraph(state.range(0));
  const bufplan::Plan plan = *MakePlan(graph, {.effort = Effort::kFast});
  for (auto _ : state) benchmark::DoNotOptimize(CheckPlan(graph, plan));
  PerOp(state, graph);
}

// Real graphs.
void BM_PlanGgml(benchmark::State& state, const std::string& name, Effort effort) {
  const absl::StatusOr<std::string> text = ReadFile("tests/data/ggml/" + name + ".json");
  const absl::StatusOr<Graph> graph = text.ok() ? ReadGgmlGraph(*text) : absl::StatusOr<Graph>(text.status());
  if (!graph.ok()) {
    state.SkipWithError(graph.status().ToString().c_str());
    return;
  }
  int64_t bytes = 0, bound = 1;
  for (auto _ : state) {
    const absl::StatusOr<bufplan::Plan> plan = MakePlan(*graph, {.effort = effort, .check = false});
    if (!plan.ok()) state.SkipWithError(plan.status().ToString().c_str());
    if (!plan.ok()) return;
    bytes = plan->arenas[0].bytes;
    bound = plan->arenas[0].lower_bound;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(graph->ops().size()));
  state.counters["over_bound"] = static_cast<double>(bytes) / static_cast<double>(bound);
}

#define BUFPLAN_GGML(name)                                                                          \
  BENCHMARK_CAPTURE(BM_PlanGgml, name##_fast, #name, Effort::kFast)->Unit(benchmark::kMicrosecond); \
  BENCHMARK_CAPTURE(BM_PlanGgml, name##_default, #name, Effort::kDefault)->Unit(benchmark::kMicrosecond)
BUFPLAN_GGML(llama7b_decode);
BUFPLAN_GGML(moe8x7b_decode);
BUFPLAN_GGML(moe64_prefill2048_fa_last);
BUFPLAN_GGML(resnet50_b1);
BUFPLAN_GGML(unet_64);
#undef BUFPLAN_GGML

#define BUFPLAN_SIZES ->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond)
BENCHMARK(BM_PlanFast) BUFPLAN_SIZES;
BENCHMARK(BM_PlanFastChecked) BUFPLAN_SIZES;
BENCHMARK(BM_PlanDefault) BUFPLAN_SIZES;
BENCHMARK(BM_PlanFastStreams) BUFPLAN_SIZES;
#define BUFPLAN_WIDE \
  ->Args({1000, 20})->Args({1000, 2000})->Args({100000, 20})->Args({100000, 2000})->Unit(benchmark::kMillisecond)
BENCHMARK(BM_PlanFastWideStreams) BUFPLAN_WIDE;
BENCHMARK(BM_PlanWideStreams) BUFPLAN_WIDE;
BENCHMARK(BM_LivenessStreams) BUFPLAN_WIDE;
#undef BUFPLAN_WIDE
BENCHMARK(BM_PlanConcatReaders)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Uses) BUFPLAN_SIZES;
BENCHMARK(BM_Sharing) BUFPLAN_SIZES;
BENCHMARK(BM_Liveness) BUFPLAN_SIZES;
BENCHMARK(BM_Check) BUFPLAN_SIZES;
#undef BUFPLAN_SIZES

}  // namespace
}  // namespace bufplan
