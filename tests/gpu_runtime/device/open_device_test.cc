#include "gpu_runtime/device/open_device.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(OpenDeviceTest, TheHostIsAlwaysThere) {
  const absl::StatusOr<std::unique_ptr<Device>> device = OpenDevice("host");
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ((*device)->properties().backend, Backend::kHost);
}

TEST(OpenDeviceTest, RefusesOtherNames) {
  for (const char* name : {"", "gpu", "CUDA"}) {
    const absl::Status status = OpenDevice(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("host, cuda or hip"));
  }
}

// Whatever this build and this machine have: a device, or a reason that names the backend or what its driver says.
TEST(OpenDeviceTest, AGpuOpensOrSaysWhyNot) {
  for (const char* name : {"cuda", "hip"}) {
    const absl::StatusOr<std::unique_ptr<Device>> device = OpenDevice(name);
    if (device.ok()) {
      EXPECT_EQ((*device)->properties().backend, std::string(name) == "cuda" ? Backend::kCuda : Backend::kHip);
      continue;
    }
    EXPECT_THAT(device.status().code(), AnyOf(absl::StatusCode::kUnimplemented, absl::StatusCode::kUnavailable));
    const std::string message(device.status().message());
    EXPECT_THAT(message,
                AnyOf(HasSubstr("not in this build: "), HasSubstr("no CUDA device: "), HasSubstr("no HIP device: ")));
  }
}

}  // namespace
}  // namespace bufplan::runtime
