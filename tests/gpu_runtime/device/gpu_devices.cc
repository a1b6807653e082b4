#include "gpu_runtime/cuda/cuda_device.h"
#include "gpu_runtime/hip/hip_device.h"
#include "tests/gpu_runtime/device/device_under_test.h"

namespace bufplan::runtime {

std::vector<DeviceUnderTest> DevicesUnderTest() { return {{"cuda", MakeCudaDevice}, {"hip", MakeHipDevice}}; }

}  // namespace bufplan::runtime
