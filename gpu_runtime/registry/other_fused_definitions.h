// silu_mul, matmul_add, add_chain, top_k_moe, scale_sum, rope_convert.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_OTHER_FUSED_DEFINITIONS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_OTHER_FUSED_DEFINITIONS_H_

#include <vector>

#include "gpu_runtime/registry/fused_definition.h"

namespace bufplan::runtime {

std::vector<FusedDefinition> OtherFusedKernels();

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_OTHER_FUSED_DEFINITIONS_H_
