// Products of matrices by cuBLAS 12 or newer, which is loaded when the first one is asked for: from where the loader
// looks, else from $CUDA_HOME/lib64 or /usr/local/cuda/lib64.
#ifndef BUFPLAN_GPU_RUNTIME_CUDA_CUBLAS_H_
#define BUFPLAN_GPU_RUNTIME_CUDA_CUBLAS_H_

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "gpu_runtime/device/matmul.h"

namespace bufplan::runtime {

// The device's context is current in each call.
class CuBlas {
 public:
  // What NVIDIA recommends for devices from Hopper on.
  static constexpr int64_t kWorkspaceBytes = 32 << 20;

  CuBlas();
  ~CuBlas();

  // Loads the library and makes a handle, once. ERRORS: Unimplemented: this build has no cuBLAS, or it is not found
  // here; what the loader says. Internal: what cuBLAS says.
  absl::Status Prepare();
  // Requires Prepare. `workspace`: kWorkspaceBytes, of this stream alone.
  absl::Status Multiply(CUstream stream, std::byte* workspace, const MatmulArgs& args);

 private:
  class Library;
  std::unique_ptr<Library> library_;
  absl::Status status_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_CUDA_CUBLAS_H_
