// Every kernel of BUFPLAN_FOR_EACH_KERNEL as an entry of a module that the driver loads: kernel X is `bufplan_X`, with
// the kernel's Args and the number of items as parameters, launched in blocks of kTeamSize threads.
//
// This is the body of cuda/kernels.cu and hip/kernels.hip, which define what block_team.h asks for.
#ifndef BUFPLAN_GPU_RUNTIME_GPU_COMMON_DEVICE_KERNELS_H_
#define BUFPLAN_GPU_RUNTIME_GPU_COMMON_DEVICE_KERNELS_H_

#include <cstdint>

#include "gpu_runtime/gpu_common/block_team.h"
#include "gpu_runtime/gpu_common/launch.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {

#define BUFPLAN_DEVICE_KERNEL(name)                                                               \
  extern "C" __global__ void __launch_bounds__(kTeamSize)                                         \
      BUFPLAN_KERNEL_ENTRY(name)(const name::Args args, const int64_t items) {                    \
    BlockTeam team;                                                                               \
    for (int64_t item = blockIdx.x; item < items; item += gridDim.x) name::Run(args, team, item); \
  }
BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_DEVICE_KERNEL)
#undef BUFPLAN_DEVICE_KERNEL

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_GPU_COMMON_DEVICE_KERNELS_H_
