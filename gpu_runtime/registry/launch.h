// A kernel at its place: parameters at the symbol values of the call, and operands where they lie.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_LAUNCH_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_LAUNCH_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "gpu_runtime/registry/kernel_table.h"

namespace bufplan::runtime {

// One member of the site, or a lone op. Names and slots are those of the definition; all parameters are in the spec
// (see BoundOp). LIFETIME: that of what it was made of.
class Launch {
 public:
  Launch(const BoundOp& op, const KernelSite& site, size_t member) : op_(op), site_(site), member_(member) {}

  int64_t integer(absl::string_view name) const;
  float real(absl::string_view name) const { return static_cast<float>(op_.spec.reals.find(name)->second); }
  ElementType type(absl::string_view name) const { return op_.spec.types.find(name)->second; }

  // At the operand's offset; null: the op has no such operand, or the value has no bytes.
  template <class T>
  const T* read(size_t slot) const {
    return reinterpret_cast<const T*>(ReadBytes(slot));
  }
  template <class T>
  T* write(size_t slot) const {
    return reinterpret_cast<T*>(WriteBytes(slot));
  }
  Operand operand(size_t slot) const { return site_.read(member_, slot); }

 private:
  std::byte* ReadBytes(size_t slot) const;
  std::byte* WriteBytes(size_t slot) const;

  const BoundOp& op_;
  const KernelSite& site_;
  size_t member_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_LAUNCH_H_
