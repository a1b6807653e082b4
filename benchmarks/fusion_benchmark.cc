// What optional fusion groups cost: the choice among those of a model, next to one plan without any.
//
// Groups are what engines fuse: an op and the one that reads its result next, now and then with a third. They overlap
// where a chain is longer. Counters: groups, those taken, plans made for the choice.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "benchmarks/synthetic_graph.h"
#include "io/ggml.h"
#include "io/read_file.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "planner/fusion/choose_groups.h"
#include "tests/oracle/rebuild.h"

namespace bufplan {
namespace {

// How far ahead in the list the next member may be.
constexpr size_t kReach = 4;

bool Uses(const Graph& graph, size_t op, size_t other) {
  const auto written = [&](ValueId v) { return graph.producer(v) == OpId(static_cast<int32_t>(other)); };
  const Op& o = graph.ops()[op];
  for (const Read& r : graph.reads(o)) {
    if (written(r.value)) return true;
  }
  return std::any_of(graph.writes(o).begin(), graph.writes(o).end(),
                     [&](const Write& w) { return w.base.has_value() && written(*w.base); });
}

// The op that may be fused onto `op`: it uses its result, and nothing in between does. 0: none.
size_t Next(const Graph& graph, size_t op) {
  for (size_t i = op + 1; i < std::min(op + kReach, graph.ops().size()); ++i) {
    if (!Uses(graph, i, op)) continue;
    const bool fits = graph.ops()[i].kind == OpKind::kCompute && graph.ops()[i].stream == graph.ops()[op].stream;
    return fits ? i : 0;
  }
  return 0;
}

// About `wanted` groups spread over the graph; benefits 1, 2 and 3.
Graph WithGroups(const Graph& graph, size_t wanted) {
  Recipe recipe = WholeRecipe(graph);
  const size_t step = std::max<size_t>(1, graph.ops().size() / wanted);
  for (size_t i = 0; i < graph.ops().size(); i += step) {
    if (graph.ops()[i].kind != OpKind::kCompute) continue;
    std::vector<size_t> members = {i};
    while (members.size() < 2 + i % 2 && Next(graph, members.back()) != 0) {
      // A member's result that a foreign op in between uses would be late.
      const size_t next = Next(graph, members.back());
      const auto late = [&](size_t m) {
        for (size_t o = m + 1; o < next; ++o) {
          if (std::find(members.begin(), members.end(), o) == members.end() && Uses(graph, o, m)) return true;
        }
        return false;
      };
      if (std::any_of(members.begin(), members.end(), late)) break;
      members.push_back(next);
    }
    if (members.size() < 2) continue;
    Fusion f;
    f.name = "group" + std::to_string(i);
    for (size_t m : members) f.ops.push_back(OpId(static_cast<int32_t>(m)));
    f.benefit = static_cast<double>(1 + i % 3);
    recipe.fusions.push_back(std::move(f));
  }
  return *Rebuild(graph, recipe);
}

void Choose(benchmark::State& state, const Graph& graph, const PlanOptions& options) {
  int64_t plans = 0, taken = 0;
  for (auto _ : state) {
    absl::StatusOr<GroupChoice> choice = ChooseGroups(graph, options);
    if (!choice.ok()) {
      state.SkipWithError(choice.status().ToString().c_str());
      return;
    }
    plans = choice->plans;
    taken = std::count_if(choice->plan.fused.begin(), choice->plan.fused.end(),
                          [](const FusionDecision& d) { return d.fused; });
  }
  state.counters["groups"] = static_cast<double>(graph.fusions().size());
  state.counters["taken"] = static_cast<double>(taken);
  state.counters["plans"] = static_cast<double>(plans);
}

void BM_Ggml(benchmark::State& state, const std::string& name, size_t groups, Effort effort) {
  const absl::StatusOr<std::string> text = ReadFile("tests/data/ggml/" + name + ".json");
  const absl::StatusOr<Graph> graph = text.ok() ? ReadGgmlGraph(*text) : absl::StatusOr<Graph>(text.status());
  if (!graph.ok()) {
    state.SkipWithError(graph.status().ToString().c_str());
    return;
  }
  Choose(state, groups == 0 ? *ReadGgmlGraph(*text) : WithGroups(*graph, groups), {.effort = effort});
}

void BM_Decoder(benchmark::State& state, Effort effort) {
  const Graph graph = DecoderGraph(state.range(0));
  const size_t groups = static_cast<size_t>(state.range(1));
  Choose(state, groups == 0 ? DecoderGraph(state.range(0)) : WithGroups(graph, groups), {.effort = effort});
}

// A capacity that binds: in every eighth layer a group would keep the large value for 64 bytes too long.
void BM_Tight(benchmark::State& state, Effort effort) {
  GraphBuilder b;
  ValueId x = b.Input("x", 64);
  const auto op = [&](std::vector<Operand> reads, int64_t bytes) {
    Result result;
    result.bytes = bytes;
    ComputeSpec spec;
    spec.reads = std::move(reads);
    spec.writes = {result};
    return ValueId(b.Compute("", spec));
  };
  for (int64_t i = 0; i < state.range(0); ++i) {
    const int32_t first = static_cast<int32_t>(10 * i);
    ValueId v = x;
    for (const int64_t bytes : {64, 64, 64, 64, 512, 8}) v = op({v}, bytes);
    const ValueId side = op({}, 64);
    x = op({op({op({v, side}, 64)}, 64), x}, 64);
    const auto group = [&](int32_t from, int32_t to, double benefit) {
      Fusion f;
      f.name = std::to_string(first + from);
      f.ops = {OpId(first + from), OpId(first + to)};
      f.benefit = benefit;
      b.AddFusion(f);
    };
    group(0, 1, 1);
    group(2, 3, 2);
    if (i % 8 == 0) group(5, 7, 3);
  }
  b.Output(x);
  const Graph graph = *std::move(b).Build();
  Choose(state, graph, {.effort = effort, .capacity_bytes = 640});
}

BENCHMARK_CAPTURE(BM_Ggml, llama7b_decode_default, "llama7b_decode", 0, Effort::kDefault)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Ggml, llama7b_decode_default_groups, "llama7b_decode", 200, Effort::kDefault)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Ggml, llama7b_decode_fast, "llama7b_decode", 0, Effort::kFast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Ggml, llama7b_decode_fast_groups, "llama7b_decode", 200, Effort::kFast)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Decoder, default, Effort::kDefault)
    ->Args({1000, 0})
    ->Args({1000, 96})
    ->Args({10000, 0})
    ->Args({10000, 1000})
    ->Args({100000, 0})
    ->Args({100000, 10000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Tight, default, Effort::kDefault)->Arg(32)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Decoder, fast, Effort::kFast)
    ->Args({1000, 0})
    ->Args({1000, 96})
    ->Args({100000, 0})
    ->Args({100000, 10000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bufplan
