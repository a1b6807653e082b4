// matmul, attention, expert_matmul, sum_groups, get_rows, im2col.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_PRODUCT_DEFINITIONS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_PRODUCT_DEFINITIONS_H_

#include <vector>

#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {

std::vector<KernelDefinition> ProductKernels();

// Of the parameters of a "matmul".
MatmulArgs MatmulArgsOf(const Launch& matmul, float* c);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_PRODUCT_DEFINITIONS_H_
