// Which real kernel an op or a fused group runs, and where its operands lie when it does.
//
// Ops without one are executed as mixing ops (gpu_runtime/kernels/mix.h); groups without one member by member.
//
// LIFETIME: a call copies what it needs; sites are valid during the call only.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_TABLE_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {

// A value that an op uses: the value's first byte, whatever region of it the op reads or writes. With strides, bytes of
// run i0, i1, ... of the value begin at data + i0 * strides[0] + i1 * strides[1] + ... (see ir/plan.h), run_bytes each.
struct Operand {
  std::byte* data = nullptr;  // null: no bytes, or a value that the fused group swallows
  absl::Span<const int64_t> strides = {};
  int64_t run_bytes = 0;  // with strides
};

// An op, or the ops of a fused group in ascending order, at its place on a device.
class KernelSite {
 public:
  virtual ~KernelSite() = default;
  // Operand and result by the member's position in the group (0 for a lone op) and its own slot.
  virtual Operand read(size_t member, size_t slot) const = 0;
  virtual Operand write(size_t member, size_t slot) const = 0;
  virtual std::byte* scratch(size_t member) const = 0;
  virtual absl::Span<const int64_t> symbol_values() const = 0;
};

// Enqueues the kernel: by Launch() or Matmul(), by Device::HostCall() on the host, or on the native stream of a GPU.
// When it is called nothing of what it will work on is there yet, so it may not look at memory itself.
using KernelCall = std::function<void(Device&, StreamHandle, const KernelSite&)>;

struct KernelTable {
  // Either may be shorter than there are ops or fusions; what is missing is empty.
  std::vector<KernelCall> of_op;      // by OpId; empty ones: mixing
  std::vector<KernelCall> of_fusion;  // by FusionId; empty ones: member by member
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_TABLE_H_
