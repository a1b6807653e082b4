// Runs the kernels of a graph in list order, each value in memory of its own unless said otherwise. Data movements are
// made byte by byte.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_GRAPH_RUN_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_GRAPH_RUN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::runtime {

class GraphRun {
 public:
  // A result with a base lies on it. All bytes are 0xa5 at first.
  explicit GraphRun(const Graph& graph, std::vector<int64_t> symbol_values = {});

  // The first byte of v is that of `on`.
  void PutOn(ValueId v, ValueId on);
  std::byte* data(ValueId v);
  std::vector<std::byte> bytes(ValueId v);
  std::vector<float> floats(ValueId v);
  // The value lies in strided runs.
  void SetStrides(ValueId v, std::vector<int64_t> strides, int64_t run_bytes);
  absl::Span<const int64_t> strides(ValueId v) const;
  int64_t run_bytes(ValueId v) const;

  // Requires a kernel for it, if it is a compute op.
  void RunOp(Device& device, const KernelTable& table, OpId o);
  // With the fusions that are marked, by FusionId; absent ones are not.
  void RunAll(Device& device, const KernelTable& table, const std::vector<bool>& fused = {});
  // Values that nobody uses outside have no bytes then.
  void RunFusion(Device& device, const KernelTable& table, FusionId f);

  const Graph& graph() const { return graph_; }
  absl::Span<const int64_t> symbol_values() const { return symbol_values_; }

 private:
  // Where the bytes of a region are in its value, in their order.
  std::vector<size_t> PlacesOf(ValueId v, const std::optional<RegionId>& region) const;
  void Move(OpId o);

  const Graph& graph_;
  const std::vector<int64_t> symbol_values_;
  std::vector<std::vector<uint64_t>> memory_;  // by ValueId; 8-byte aligned
  std::vector<ValueId> place_;                 // whose memory
  std::map<ValueId, std::pair<std::vector<int64_t>, int64_t>> strides_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_GRAPH_RUN_H_
