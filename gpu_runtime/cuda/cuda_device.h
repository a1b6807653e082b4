// CUDA as a device: the first one that the driver shows (see CUDA_VISIBLE_DEVICES).
//
// The driver (libcuda.so.1) and cuBLAS are loaded when they are asked for. Products of f32 are made in full f32.
#ifndef BUFPLAN_GPU_RUNTIME_CUDA_CUDA_DEVICE_H_
#define BUFPLAN_GPU_RUNTIME_CUDA_CUDA_DEVICE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {

// ERRORS: Unimplemented: this build has no CUDA, and why. Unavailable: no driver, no device, or one that cannot run the
// kernels; what the driver says.
absl::StatusOr<std::unique_ptr<Device>> MakeCudaDevice();

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_CUDA_CUDA_DEVICE_H_
