// Products of matrices on HIP: none in this version, Matmul is Unimplemented.
//
// hipBLAS is not in Debian; kernels that come without a library (gpu_runtime/kernels) run on HIP as everywhere.
#ifndef BUFPLAN_GPU_RUNTIME_HIP_HIPBLAS_H_
#define BUFPLAN_GPU_RUNTIME_HIP_HIPBLAS_H_

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "gpu_runtime/device/matmul.h"

namespace bufplan::runtime {

class HipBlas {
 public:
  static constexpr int64_t kWorkspaceBytes = 0;

  // ERRORS: Unimplemented.
  absl::Status Prepare() { return absl::UnimplementedError("Matmul needs hipBLAS, which this build does not have"); }
  absl::Status Multiply(hipStream_t, std::byte*, const MatmulArgs&) { return Prepare(); }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HIP_HIPBLAS_H_
