// What the executor takes for an op on the host, beside what the op itself does.
//
// Graphs of tiny ops, chained or on four streams that wait for each other every eighth op. "Idle" ops have a kernel
// that writes one byte, so that nearly all the time is the executor's; "mixing" ones read and write 64 bytes. Captured
// steps are replayed, others enqueued anew. Prepare is what other symbol values cost.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "gpu_runtime/execute/executor.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "ir/plan.h"
#include "planner/make_plan.h"

namespace bufplan::runtime {
namespace {

constexpr int64_t kBytes = 64;
constexpr int kWaitEvery = 8;

// One chain per stream; every eighth op of a chain also reads the newest value of the chain before it.
Graph TinyOps(int64_t ops, int streams) {
  GraphBuilder b;
  std::vector<StreamId> ids;
  for (int s = 0; s < streams; ++s) ids.push_back(b.AddStream(absl::StrCat("s", s)));
  const ValueId in = b.Input("in", kBytes);
  std::vector<ValueId> newest(static_cast<size_t>(streams), in);
  for (int64_t i = 0; i < ops; ++i) {
    const size_t s = static_cast<size_t>(i % streams);
    ComputeSpec spec;
    spec.options.stream = ids[s];
    spec.reads = {bufplan::Operand(newest[s])};
    const bool waits = streams > 1 && i / streams % kWaitEvery == kWaitEvery - 1;
    if (waits) spec.reads.push_back(bufplan::Operand(newest[(s + 1) % static_cast<size_t>(streams)]));
    Result result;
    result.bytes = kBytes;
    spec.writes = {result};
    newest[s] = b.Compute(absl::StrCat("op", i), spec);
  }
  for (ValueId v : newest) b.Output(v);
  return *std::move(b).Build();
}

void Execute(benchmark::State& state, int streams, bool idle, bool capture) {
  const Graph graph = TinyOps(state.range(0), streams);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = Effort::kFast});
  if (!plan.ok()) return state.SkipWithError(plan.status().ToString().c_str());
  const std::unique_ptr<Device> device = MakeHostDevice();
  DevicePool pool(*device);
  KernelTable table;
  if (idle) {
    table.of_op.assign(graph.ops().size(), [](Device& d, StreamHandle stream, const KernelSite& site) {
      // Looks its operands up, as any kernel does.
      const std::byte* const from = site.read(0, 0).data;
      std::byte* const to = site.write(0, 0).data;
      d.Fill(stream, to, 0, from == nullptr ? 0 : 1);
    });
  }
  const auto executor = Executor::Create(pool, graph, &*plan, {.kernels = idle ? &table : nullptr, .capture = capture});
  if (!executor.ok() || !(*executor)->Prepare({}).ok() || !(*executor)->Run().ok()) {
    return state.SkipWithError("not prepared");
  }
  for (auto _ : state) {
    if (!(*executor)->Run().ok()) state.SkipWithError("failed");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["per_op"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void BM_Idle(benchmark::State& state) { Execute(state, 1, true, false); }
void BM_IdleCaptured(benchmark::State& state) { Execute(state, 1, true, true); }
void BM_IdleStreams(benchmark::State& state) { Execute(state, 4, true, false); }
void BM_IdleStreamsCaptured(benchmark::State& state) { Execute(state, 4, true, true); }
void BM_Mixing(benchmark::State& state) { Execute(state, 1, false, false); }
void BM_MixingCaptured(benchmark::State& state) { Execute(state, 1, false, true); }

void BM_Prepare(benchmark::State& state) {
  const Graph graph = TinyOps(state.range(0), 1);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = Effort::kFast});
  if (!plan.ok()) return state.SkipWithError(plan.status().ToString().c_str());
  const std::unique_ptr<Device> device = MakeHostDevice();
  DevicePool pool(*device);
  const auto executor = Executor::Create(pool, graph, &*plan, {});
  if (!executor.ok()) return state.SkipWithError("not made");
  for (auto _ : state) {
    if (!(*executor)->Prepare({}).ok()) state.SkipWithError("failed");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Wall time: the work is done by other threads.
BENCHMARK(BM_Idle)->Arg(1000)->Arg(10000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_IdleCaptured)->Arg(1000)->Arg(10000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_IdleStreams)->Arg(1000)->Arg(10000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_IdleStreamsCaptured)->Arg(1000)->Arg(10000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Mixing)->Arg(10000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_MixingCaptured)->Arg(10000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Prepare)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bufplan::runtime
