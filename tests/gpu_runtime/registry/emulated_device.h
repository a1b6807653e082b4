// A device whose kernels are run by emulated teams (tests/gpu_runtime/kernels/emulated_teams.h), at once when they are
// enqueued. Everything else is the host's. Nothing can be captured.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_EMULATED_DEVICE_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_EMULATED_DEVICE_H_

#include <memory>

#include "gpu_runtime/device/device.h"
#include "tests/gpu_runtime/kernels/emulated_teams.h"

namespace bufplan::runtime {

// Has one stream.
std::unique_ptr<Device> MakeEmulatedDevice(const EmulationOptions& teams);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_REGISTRY_EMULATED_DEVICE_H_
