// Generates tokens with a decoder's graph, step by step: planned, or each value in memory of its own.
//
// The caches are the generator's, and empty at first; weights are shared by the generators of one model.
//
// THREADS: one at a time, with its device. LIFETIME: what it is made of outlives it.
#ifndef BUFPLAN_EXAMPLES_DECODER_GENERATOR_H_
#define BUFPLAN_EXAMPLES_DECODER_GENERATOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "examples/decoder/decoder_graph.h"
#include "gpu_runtime/execute/device_pool.h"
#include "gpu_runtime/execute/executor.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "ir/plan.h"

namespace bufplan::decoder {

// Weights on a device, by their order in the graph: what its attributes say of their contents, at random.
class DeviceWeights {
 public:
  static absl::StatusOr<DeviceWeights> Make(const DecoderGraph& graph, uint64_t seed, runtime::DevicePool& pool);
  std::byte* data(size_t i) const { return buffers_[i].data(); }

 private:
  std::vector<runtime::DeviceBuffer> buffers_;
};

class Generator {
 public:
  // `plan`: null for the reference. The graph takes one token a step.
  static absl::StatusOr<std::unique_ptr<Generator>> Make(const DecoderGraph& graph, const Plan* plan,
                                                         const DeviceWeights& weights, runtime::DevicePool& pool,
                                                         bool capture);

  // The logits behind the token at the next position. ERRORS: those of the executor; FailedPrecondition: the caches are
  // full.
  absl::StatusOr<std::vector<float>> Step(int32_t token);
  // Repeats the last step. Nothing else changes by that.
  absl::Status Again();

  int64_t position() const { return position_; }
  // Of the steps so far, the median: from the token to the logits; and what of it was made for the symbol's new value.
  absl::Duration time() const { return Median(times_); }
  absl::Duration prepare_time() const { return Median(prepare_times_); }
  // Of the last step's repetitions.
  absl::Duration again_time() const { return Median(again_times_); }

 private:
  explicit Generator(const DecoderGraph& graph) : graph_(graph) {}
  static absl::Duration Median(std::vector<absl::Duration> times);

  const DecoderGraph& graph_;
  runtime::Device* device_ = nullptr;
  runtime::KernelTable kernels_;
  std::unique_ptr<runtime::Executor> executor_;
  int64_t position_ = 0, max_positions_ = 0, vocabulary_ = 0;
  std::vector<absl::Duration> times_, prepare_times_, again_times_;
};

}  // namespace bufplan::decoder

#endif  // BUFPLAN_EXAMPLES_DECODER_GENERATOR_H_
