// [add_]rms_norm[_mul][_rope].
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_NORM_DEFINITIONS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_NORM_DEFINITIONS_H_

#include <vector>

#include "gpu_runtime/registry/fused_definition.h"

namespace bufplan::runtime {

std::vector<FusedDefinition> FusedNormKernels();

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_FUSED_NORM_DEFINITIONS_H_
