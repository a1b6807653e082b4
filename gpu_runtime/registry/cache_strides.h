// How the keys or values of an "attention" lie.
//
// The spec says in which order the value holds heads and positions. A plan may put the value in strided runs of another
// storage (Operand::strides); the runs follow the value's own order, so its outermost stride is that of what comes
// first in the value.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_CACHE_STRIDES_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_CACHE_STRIDES_H_

#include <cstddef>

#include "gpu_runtime/kernels/attention.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/launch.h"

namespace bufplan::runtime {

// What the kernel touches where the plan leaves the value as it is.
Extent CacheExtent(const KernelSpec& attention);

// Operand `slot` of an attention.
Cache CacheOf(const Launch& attention, size_t slot);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_CACHE_STRIDES_H_
