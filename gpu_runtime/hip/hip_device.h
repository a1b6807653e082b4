// HIP as a device: the first one that the driver shows (see HIP_VISIBLE_DEVICES).
//
// The driver's library (libamdhip64.so) is loaded when it is asked for. Matmul is hipBLAS's where the build had its
// headers, else Unimplemented.
#ifndef BUFPLAN_GPU_RUNTIME_HIP_HIP_DEVICE_H_
#define BUFPLAN_GPU_RUNTIME_HIP_HIP_DEVICE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {

// ERRORS: Unimplemented: this build has no HIP, and why. Unavailable: no driver, no device, or one that cannot run the
// kernels; what the driver says.
absl::StatusOr<std::unique_ptr<Device>> MakeHipDevice();

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HIP_HIP_DEVICE_H_
