#include "gpu_runtime/device/open_device.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/cuda/cuda_device.h"
#include "gpu_runtime/hip/hip_device.h"
#include "gpu_runtime/host/host_device.h"

namespace bufplan::runtime {

absl::StatusOr<std::unique_ptr<Device>> OpenDevice(absl::string_view name) {
  if (name == "host") return MakeHostDevice();
  if (name == "cuda") return MakeCudaDevice();
  if (name == "hip") return MakeHipDevice();
  return absl::InvalidArgumentError(absl::StrCat("there is no device \"", name, "\": host, cuda or hip"));
}

}  // namespace bufplan::runtime
