// Stands for hip_device.cc in a build without HIP.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/hip/hip_device.h"

namespace bufplan::runtime {

absl::StatusOr<std::unique_ptr<Device>> MakeHipDevice() {
  return absl::UnimplementedError(absl::StrCat("the hip backend is not in this build: ", BUFPLAN_WHY_NOT));
}

}  // namespace bufplan::runtime
