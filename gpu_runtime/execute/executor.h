// Executes a program on a device: memory, streams and events, and what is enqueued on them.
//
//   std::unique_ptr<Device> device = MakeHostDevice();               // or OpenDevice("cuda")
//   DevicePool pool(*device);
//   std::unique_ptr<Executor> executor = *Executor::Create(pool, graph, &plan, {.kernels = &table});
//   executor->Bind(weights, memory);                                 // constants, externals, variables; what is not
//                                                                    // bound is allocated
//   executor->Prepare({s});                                          // symbol values
//   device->CopyIn(executor->stream(), executor->address(x), host_x, bytes);       // inputs, before each run
//   executor->Enqueue();                                             // or Run(), which also waits
//   device->CopyOut(executor->stream(), host_y, executor->address(y), bytes);
//   device->Synchronize();
//
// Each arena chunk is one allocation, made once. Prepare() makes the program anew for other symbol values; it allocates
// again only what must grow: lists of boxes, workspaces, and the memory of a reference. Addresses of values change only
// as their locations do. Without a plan it executes the reference: every value in memory of its own, ops in list order,
// on one stream.
//
// With `capture`, the first Run() after Prepare() captures the step as a device graph, its delays included, and the
// next ones replay it. A run with a snapshot is neither captured nor replayed.
//
// COST: Prepare: O(uses); Run: a few calls of the device for each op. THREADS: one at a time, with its device.
// LIFETIME: device, graph, plan and kernels outlive the executor.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_EXECUTOR_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/execute/device_pool.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "gpu_runtime/steps/program.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::runtime {

// Before and behind each memory that an executor allocates.
inline constexpr int64_t kGuardBytes = 256;

struct ExecutorOptions {
  const KernelTable* kernels = nullptr;  // null: every compute op mixes
  uint64_t seed = 1;                     // of mixing ops
  // Garbage where nothing lies, and its verification (steps/program.h).
  bool stress = false;
  // Only the first and the last so many bytes of what each op writes are written and read (steps/defined.h).
  std::optional<int64_t> sample_bytes = std::nullopt;
  bool capture = false;
};

// What one run does besides.
struct RunOptions {
  // Random delays before ops, different ones for each seed.
  std::optional<uint64_t> delay_seed = std::nullopt;
  // What is read under this slot goes to the memory on the device, in the order of the region.
  std::optional<int32_t> snapshot_slot = std::nullopt;
  std::byte* snapshot = nullptr;
};

class Executor {
 public:
  // `plan`: null for the reference. `pool`: streams and events that executors of one device may share.
  // ERRORS: ResourceExhausted: an arena could not be allocated.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(DevicePool& pool, const Graph& graph, const Plan* plan,
                                                          const ExecutorOptions& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Where a constant, external or variable lies, as long as this lives: all of its bytes at the largest symbol values.
  void Bind(ValueId owner, std::byte* memory) { bound_[owner.index()] = memory; }
  // Counts from the next Prepare() on.
  void SetStress(bool stress) { options_.stress = stress; }
  // ERRORS: those of SizesOf and MakeProgram; ResourceExhausted: memory.
  absl::Status Prepare(absl::Span<const int64_t> symbol_values);

  // Enqueues a step. Requires Prepare().
  absl::Status Enqueue(const RunOptions& options = {});
  absl::Status Run(const RunOptions& options = {});

  // After Prepare().
  const Program& program() const { return program_; }
  const Sizes& sizes() const { return sizes_; }
  const Defined& defined() const { return defined_; }
  std::byte* memory(int32_t m) const { return memories_[static_cast<size_t>(m)]; }
  // The first byte of a value; null if it has no place.
  std::byte* address(ValueId v) const {
    const Place& place = program_.layout.of(v);
    return place.exists() ? memory(place.memory) + place.shape.at : nullptr;
  }
  // The value as a kernel gets it.
  Operand operand(ValueId v) const { return {address(v), strides_[v.index()].strides, strides_[v.index()].run_bytes}; }
  // The hash of each read in the last run, by slot; and what verifications found, all ones if nothing.
  const uint64_t* slots() const { return slots_; }
  const uint64_t* faults() const { return faults_; }
  // The stream that a step begins and ends on.
  StreamHandle stream() const { return pool_.Stream(0); }

 private:
  Executor(DevicePool& pool, const Graph& graph, const Plan* plan, const ExecutorOptions& options)
      : pool_(pool), device_(pool.device()), graph_(graph), plan_(plan), options_(options) {}

  absl::StatusOr<std::byte*> Grown(DeviceBuffer& buffer, int64_t bytes);
  void FindStrides();
  absl::Status PlaceMemories();
  void EnqueueStep(const RunOptions& options);
  void EnqueueUnit(size_t unit, const RunOptions& options);
  void EnqueueAction(const Action& action, StreamHandle stream, const RunOptions& options);
  void EnqueueKernel(size_t unit, const Action& action, StreamHandle stream);

  DevicePool& pool_;
  Device& device_;
  const Graph& graph_;
  const Plan* plan_;
  ExecutorOptions options_;
  Sizes sizes_;
  Defined defined_;
  Program program_;
  std::vector<std::byte*> bound_;     // by ValueId; null: allocated here
  std::vector<std::byte*> memories_;  // by memory of the layout
  struct PlanStrides {
    std::vector<int64_t> strides = {};  // empty: the value does not lie strided
    int64_t run_bytes = 0;
  };
  std::vector<PlanStrides> strides_;   // by ValueId
  std::vector<DeviceBuffer> buffers_;  // likewise, of those that are allocated here
  DeviceBuffer boxes_, words_;
  uint64_t *slots_ = nullptr, *faults_ = nullptr;
  std::vector<bool> recorded_;  // by unit: somebody waits for it
  std::optional<GraphHandle> captured_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_EXECUTOR_H_
