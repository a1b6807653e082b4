// The kernels, compiled for HIP.
#include <hip/hip_runtime.h>

namespace bufplan::runtime {

__device__ inline float ShuffleXor(float x, int mask) { return __shfl_xor(x, mask); }

}  // namespace bufplan::runtime

#include "gpu_runtime/gpu_common/device_kernels.h"
