// rms_norm, rope, softmax, normalize, argsort, top_k.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_ROW_DEFINITIONS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_ROW_DEFINITIONS_H_

#include <vector>

#include "gpu_runtime/kernels/rope.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {

std::vector<KernelDefinition> RowKernels();

// Of the parameters of a "rope".
RopeShape RopeShapeOf(const Launch& rope);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_ROW_DEFINITIONS_H_
