// add, mul, silu, scale_rows, convert.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_ELEMENTWISE_DEFINITIONS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_ELEMENTWISE_DEFINITIONS_H_

#include <vector>

#include "gpu_runtime/registry/kernel_definition.h"

namespace bufplan::runtime {

std::vector<KernelDefinition> ElementwiseKernels();

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_ELEMENTWISE_DEFINITIONS_H_
