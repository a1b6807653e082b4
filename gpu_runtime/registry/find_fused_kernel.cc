#include "gpu_runtime/registry/find_fused_kernel.h"

#include <utility>
#include <vector>

#include "gpu_runtime/registry/fused_norm_definitions.h"
#include "gpu_runtime/registry/other_fused_definitions.h"

namespace bufplan::runtime {

absl::Span<const FusedDefinition> AllFusedKernels() {
  static const std::vector<FusedDefinition>& all = *[] {
    auto* kernels = new std::vector<FusedDefinition>(FusedNormKernels());
    for (FusedDefinition& d : OtherFusedKernels()) kernels->push_back(std::move(d));
    return kernels;
  }();
  return all;
}

const FusedDefinition* FindFusedKernel(absl::string_view name) {
  for (const FusedDefinition& d : AllFusedKernels()) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

}  // namespace bufplan::runtime
