// The kernels, compiled for CUDA.
namespace bufplan::runtime {

__device__ inline float ShuffleXor(float x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }

}  // namespace bufplan::runtime

#include "gpu_runtime/gpu_common/device_kernels.h"
