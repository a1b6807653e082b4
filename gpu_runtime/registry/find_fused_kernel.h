// The fused kernels by name.
//
// LIFETIME: definitions live for ever. THREADS: any.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_FIND_FUSED_KERNEL_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_FIND_FUSED_KERNEL_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gpu_runtime/registry/fused_definition.h"

namespace bufplan::runtime {

absl::Span<const FusedDefinition> AllFusedKernels();
// Null if there is none.
const FusedDefinition* FindFusedKernel(absl::string_view name);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_FIND_FUSED_KERNEL_H_
