// Stands for cuda_device.cc in a build without CUDA.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/cuda/cuda_device.h"

namespace bufplan::runtime {

absl::StatusOr<std::unique_ptr<Device>> MakeCudaDevice() {
  return absl::UnimplementedError(absl::StrCat("the cuda backend is not in this build: ", BUFPLAN_WHY_NOT));
}

}  // namespace bufplan::runtime
