// The kernels by name, and what follows from a definition and a spec.
//
// LIFETIME: definitions live for ever. THREADS: any.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_FIND_KERNEL_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_FIND_KERNEL_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/kernel_spec.h"

namespace bufplan::runtime {

// Sorted by name.
absl::Span<const KernelDefinition> AllKernels();
// Null if there is none.
const KernelDefinition* FindKernel(absl::string_view name);

// The spec with all defaults; what is unknown stays.
KernelSpec Completed(const KernelDefinition& definition, KernelSpec spec);
// The rules that hold at the offsets of the spec. The spec has all parameters.
std::vector<InPlaceRule> InPlaceRulesOf(const KernelDefinition& definition, const KernelSpec& spec);
// The same for an author's spec; none if the kernel is unknown.
std::vector<InPlaceRule> InPlaceRulesOf(const KernelSpec& spec);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_FIND_KERNEL_H_
