// Devices by name.
#ifndef BUFPLAN_GPU_RUNTIME_DEVICE_OPEN_DEVICE_H_
#define BUFPLAN_GPU_RUNTIME_DEVICE_OPEN_DEVICE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {

// "host", "cuda" or "hip". ERRORS: InvalidArgument: another name. Unimplemented: the backend is not in this build.
// Unavailable: it is, but there is no such device or no driver; what the driver says.
absl::StatusOr<std::unique_ptr<Device>> OpenDevice(absl::string_view name);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_DEVICE_OPEN_DEVICE_H_
