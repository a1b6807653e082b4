// Speed from text to plan: JSON of a graph read, and read and planned.
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "benchmarks/synthetic_graph.h"
#include "io/json_graph.h"
#include "planner/make_plan.h"

namespace bufplan {
namespace {

void Report(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void BM_ReadGraphJson(benchmark::State& state) {
  const std::string text = WriteGraphJson(DecoderGraph(state.range(0)));
  for (auto _ : state) {
    const absl::StatusOr<Graph> graph = ReadGraphJson(text);
    if (!graph.ok()) state.SkipWithError(graph.status().ToString().c_str());
  }
  Report(state, text);
}

void BM_ReadAndPlan(benchmark::State& state) {
  const std::string text = WriteGraphJson(DecoderGraph(state.range(0)));
  for (auto _ : state) {
    const absl::StatusOr<Graph> graph = ReadGraphJson(text);
    if (!graph.ok() || !MakePlan(*graph).ok()) state.SkipWithError("not planned");
  }
  Report(state, text);
}

void BM_WriteGraphJson(benchmark::State& state) {
  const Graph graph = DecoderGraph(state.range(0));
  std::string text;
  for (auto _ : state) text = WriteGraphJson(graph);
  Report(state, text);
}

BENCHMARK(BM_ReadGraphJson)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadAndPlan)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_WriteGraphJson)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bufplan
