// The kernels, compiled for the host.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_HOST_KERNELS_H_
#define BUFPLAN_GPU_RUNTIME_HOST_HOST_KERNELS_H_

#include <cstdint>

#include "gpu_runtime/kernels/kernel_id.h"

namespace bufplan::runtime {

// Runs all items, one after the other. `arguments`: the kernel's Args, aligned.
using HostKernel = void (*)(const void* arguments, int64_t items);

HostKernel HostKernelOf(KernelId kernel);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_HOST_KERNELS_H_
