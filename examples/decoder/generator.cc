#include "examples/decoder/generator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/registry/bind_kernels.h"
#include "io/tool/kernel_attrs.h"

namespace bufplan::decoder {

using runtime::DeviceBuffer;
using runtime::DevicePool;
using runtime::Executor;

absl::StatusOr<DeviceWeights> DeviceWeights::Make(const DecoderGraph& graph, uint64_t seed, DevicePool& pool) {
  if (absl::Status s = pool.Reserve(1, 0); !s.ok()) return s;
  const absl::StatusOr<std::vector<ContentSpec>> contents = ContentSpecsOf(graph.graph);
  if (!contents.ok()) return contents.status();
  DeviceWeights weights;
  for (size_t i = 0; i < graph.weights.size(); ++i) {
    const ValueId v = graph.weights[i].value;
    const std::vector<std::byte> bytes =
        RandomContent((*contents)[v.index()], graph.graph.value(v).max_bytes, runtime::MixTwo(seed, i));
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(pool.device(), static_cast<int64_t>(bytes.size()));
    if (!buffer.ok()) return buffer.status();
    pool.device().CopyIn(pool.Stream(0), buffer->data(), bytes.data(), buffer->bytes());
    if (absl::Status s = pool.device().Synchronize(); !s.ok()) return s;
    weights.buffers_.push_back(*std::move(buffer));
  }
  return weights;
}

absl::StatusOr<std::unique_ptr<Generator>> Generator::Make(const DecoderGraph& graph, const Plan* plan,
                                                           const DeviceWeights& weights, DevicePool& pool,
                                                           bool capture) {
  std::unique_ptr<Generator> g(new Generator(graph));
  g->device_ = &pool.device();
  absl::StatusOr<runtime::KernelTable> kernels = runtime::BindKernels(graph.graph, graph.specs);
  if (!kernels.ok()) return kernels.status();
  g->kernels_ = *std::move(kernels);
  absl::StatusOr<std::unique_ptr<Executor>> executor =
      Executor::Create(pool, graph.graph, plan, {.kernels = &g->kernels_, .capture = capture});
  if (!executor.ok()) return executor.status();
  g->executor_ = *std::move(executor);
  for (size_t i = 0; i < graph.weights.size(); ++i) g->executor_->Bind(graph.weights[i].value, weights.data(i));
  const Symbol& position = graph.graph.symbols()[0];
  g->max_positions_ = position.max + 1;
  g->vocabulary_ = graph.graph.value(graph.logits).max_bytes / static_cast<int64_t>(sizeof(float));
  if (absl::Status s = g->executor_->Prepare({position.min}); !s.ok()) return s;
  for (const std::vector<ValueId>* caches : {&graph.key_caches, &graph.value_caches}) {
    for (ValueId cache : *caches) {
      g->device_->Fill(g->executor_->stream(), g->executor_->address(cache), 0, graph.graph.value(cache).max_bytes);
    }
  }
  if (absl::Status s = g->device_->Synchronize(); !s.ok()) return s;
  return g;
}

absl::StatusOr<std::vector<float>> Generator::Step(int32_t token) {
  if (position_ >= max_positions_) {
    return absl::FailedPreconditionError(absl::StrCat("the caches are full at position ", position_));
  }
  const absl::Time begin = absl::Now();
  if (absl::Status s = executor_->Prepare({position_}); !s.ok()) return s;
  prepare_times_.push_back(absl::Now() - begin);
  const int32_t position = static_cast<int32_t>(position_);
  const runtime::StreamHandle stream = executor_->stream();
  device_->CopyIn(stream, executor_->address(graph_.tokens), &token, sizeof(token));
  device_->CopyIn(stream, executor_->address(graph_.positions), &position, sizeof(position));
  if (absl::Status s = executor_->Enqueue(); !s.ok()) return s;
  std::vector<float> logits(static_cast<size_t>(vocabulary_));
  device_->CopyOut(stream, logits.data(), executor_->address(graph_.logits),
                   static_cast<int64_t>(logits.size() * sizeof(float)));
  if (absl::Status s = device_->Synchronize(); !s.ok()) return s;
  times_.push_back(absl::Now() - begin);
  ++position_;
  return logits;
}

absl::Duration Generator::Median(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? absl::ZeroDuration() : times[times.size() / 2];
}

absl::Status Generator::Again() {
  const absl::Time begin = absl::Now();
  if (absl::Status s = executor_->Run(); !s.ok()) return s;
  again_times_.push_back(absl::Now() - begin);
  return absl::OkStatus();
}

}  // namespace bufplan::decoder
