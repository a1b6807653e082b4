// Products of matrices by Eigen.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_HOST_MATMUL_H_
#define BUFPLAN_GPU_RUNTIME_HOST_HOST_MATMUL_H_

#include "gpu_runtime/device/matmul.h"

namespace bufplan::runtime {

// One thread; f16 and bf16 are widened to f32 first.
void HostMatmul(const MatmulArgs& args);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_HOST_MATMUL_H_
