// The host with threads, and without, in orders of several seeds.
#include <cstdint>

#include "gpu_runtime/host/host_device.h"
#include "tests/gpu_runtime/device/device_under_test.h"

namespace bufplan::runtime {
namespace {

template <uint64_t kSeed>
absl::StatusOr<std::unique_ptr<Device>> OpenInterleaved() {
  return MakeHostDevice({.interleaving_seed = kSeed});
}

}  // namespace

std::vector<DeviceUnderTest> DevicesUnderTest() {
  return {{"host", [] { return absl::StatusOr<std::unique_ptr<Device>>(MakeHostDevice()); }},
          {"host_interleaved_1", OpenInterleaved<1>, false},
          {"host_interleaved_2", OpenInterleaved<2>, false},
          {"host_interleaved_3", OpenInterleaved<3>, false},
          {"host_interleaved_4", OpenInterleaved<4>, false}};
}

}  // namespace bufplan::runtime
