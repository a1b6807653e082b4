// The part of the GPU backends that does not depend on the API, over a driver that is the host: the suite of all
// devices (tests/gpu_runtime/device), and here what GPUs alone have: errors of the driver, grids, objects to destroy.
#include "gpu_runtime/gpu_common/gpu_device.h"

#include <functional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gpu_runtime/gpu_common/launch.h"
#include "gpu_runtime/kernels/delay.h"
#include "tests/gpu_runtime/device/device_under_test.h"
#include "tests/gpu_runtime/gpu_common/fake_gpu_api.h"

namespace bufplan::runtime {

absl::StatusOr<std::unique_ptr<Device>> OpenFake() { return GpuDevice<FakeGpuApi>::Make("image"); }
std::vector<DeviceUnderTest> DevicesUnderTest() { return {{"fake_gpu", OpenFake}}; }

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class GpuDeviceTest : public testing::Test {
 protected:
  void SetUp() override { TheFakeGpu() = FakeGpu(); }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(TheFakeGpu().live_objects, 0);
    TheFakeGpu() = FakeGpu();
  }
  Device& device() {
    if (device_ == nullptr) device_ = OpenFake().value();
    return *device_;
  }
  void FailAt(const std::string& call, int result) {
    TheFakeGpu().failing_call = call;
    TheFakeGpu().failing_result = result;
  }

  std::unique_ptr<Device> device_;
};

TEST_F(GpuDeviceTest, IsUnavailableWithoutADevice) {
  TheFakeGpu().num_devices = 0;
  const absl::Status status = OpenFake().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "there is no fake device: it is gone");
}

TEST_F(GpuDeviceTest, IsUnavailableWhenItCannotRunTheKernels) {
  for (const std::string call : {"load_module", "get_function", "function_attribute"}) {
    FailAt(call, 209);
    const absl::Status status = OpenFake().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(status.message(), "there is no fake device: " + call + ": FAKE_ERROR_209 (what the driver says)");
    EXPECT_EQ(TheFakeGpu().live_objects, 0);
  }
  FailAt("", 0);
  TheFakeGpu().max_threads = kTeamSize - 1;
  const absl::Status status = OpenFake().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("255 threads at most"));
}

TEST_F(GpuDeviceTest, DestroysWhatItMade) {
  const StreamHandle s = device().MakeStream().value(), t = device().MakeStream().value();
  const EventHandle e = device().MakeEvent().value(), f = device().MakeEvent().value();
  std::byte* x = device().Allocate(100).value();
  device().Free(device().Allocate(100).value());
  ASSERT_TRUE(device().BeginCapture(s).ok());
  device().Record(e, s);
  device().Wait(t, e);
  device().Fill(t, x, 1, 100);
  device().Record(f, t);
  device().Wait(s, f);
  ASSERT_TRUE(device().EndCapture().ok());
  device().Matmul(s, {.batches = 0});
  ASSERT_TRUE(device().BeginCapture(t).ok());  // Never ended.
  device().Fill(t, x, 1, 100);
}

// A test of each call that the device makes after it is open.
TEST_F(GpuDeviceTest, NamesTheCallThatFailed) {
  const StreamHandle s = device().MakeStream().value();
  const EventHandle e = device().MakeEvent().value();
  std::byte* x = device().Allocate(100).value();
  ASSERT_TRUE(device().BeginCapture(s).ok());
  const GraphHandle graph = device().EndCapture().value();
  char text[8] = {};
  const std::pair<std::string, std::function<void()>> kCalls[] = {
      {"copy", [&] { device().Copy(s, x, x + 50, 8); }},
      {"copy_in", [&] { device().CopyIn(s, x, text, 8); }},
      {"copy_out", [&] { device().CopyOut(s, text, x, 8); }},
      {"fill", [&] { device().Fill(s, x, 1, 8); }},
      {"launch", [&] { device().Launch<Delay>(s, 1, {}); }},
      {"record", [&] { device().Record(e, s); }},
      {"wait", [&] { device().Wait(s, e); }},
      {"launch_graph", [&] { device().Replay(s, graph); }},
      {"synchronize", [] {}}};
  for (const auto& [name, call] : kCalls) {
    FailAt(name, kFakeIllegalAddress);
    call();
    FailAt("fill", kFakeOutOfMemory);
    device().Fill(s, x, 1, 8);  // Comes second.
    const bool last = name == "synchronize";
    if (last) FailAt(name, kFakeIllegalAddress);
    const absl::Status status = device().Synchronize();
    EXPECT_EQ(status.code(), last ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kInternal);
    EXPECT_EQ(status.message(),
              last ? "fill: FAKE_ERROR_2 (what the driver says)" : name + ": FAKE_ERROR_700 (what the driver says)");
    FailAt("", 0);
    EXPECT_TRUE(device().Synchronize().ok());
  }
  FailAt("synchronize", kFakeIllegalAddress);
  EXPECT_EQ(device().Synchronize().message(), "synchronize: FAKE_ERROR_700 (what the driver says)");
}

TEST_F(GpuDeviceTest, ReturnsFailuresOfCallsThatMakeSomething) {
  const StreamHandle s = device().MakeStream().value();
  FailAt("make_stream", kFakeIllegalAddress);
  EXPECT_THAT(std::string(device().MakeStream().status().message()), HasSubstr("make_stream: FAKE_ERROR_700"));
  FailAt("make_event", kFakeIllegalAddress);
  EXPECT_THAT(std::string(device().MakeEvent().status().message()), HasSubstr("make_event: FAKE_ERROR_700"));
  FailAt("begin_capture", kFakeUnjoined);
  EXPECT_EQ(device().BeginCapture(s).code(), absl::StatusCode::kFailedPrecondition);
  FailAt("", 0);
  EXPECT_EQ(device().EndCapture().status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(device().BeginCapture(s).ok());
  FailAt("instantiate", kFakeOutOfMemory);
  EXPECT_EQ(device().EndCapture().status().code(), absl::StatusCode::kResourceExhausted);
  FailAt("", 0);
  EXPECT_TRUE(device().Synchronize().ok());
}

TEST_F(GpuDeviceTest, SaysHowMuchItCouldNotAllocate) {
  (void)device();
  FailAt("allocate", kFakeOutOfMemory);
  const absl::Status status = device().Allocate(987'654).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("987654 bytes"), HasSubstr("12345 are free"),
                                                   HasSubstr("allocate: FAKE_ERROR_2 (what the driver says)")));
  EXPECT_TRUE(device().Synchronize().ok());
}

TEST_F(GpuDeviceTest, GridsAreBounded) {
  const StreamHandle s = device().MakeStream().value();
  device().Launch<Delay>(s, 10, {});
  EXPECT_EQ(TheFakeGpu().largest_grid, 10);
  device().Launch<Delay>(s, kMaxTeams, {});
  EXPECT_EQ(TheFakeGpu().largest_grid, kMaxTeams);
  device().Launch<Delay>(s, kMaxTeams + 1, {});
  EXPECT_EQ(TheFakeGpu().largest_grid, kMaxTeams);
  EXPECT_TRUE(device().Synchronize().ok());
}

TEST_F(GpuDeviceTest, EachStreamMultipliesInAWorkspaceOfItsOwn) {
  const StreamHandle s = device().MakeStream().value(), t = device().MakeStream().value();
  for (int i = 0; i < 3; ++i) {
    device().Matmul(s, {.batches = 0});
    device().Matmul(t, {.batches = 0});
  }
  EXPECT_TRUE(device().Synchronize().ok());
  EXPECT_EQ(TheFakeGpu().workspaces.size(), 2u);
}

}  // namespace
}  // namespace bufplan::runtime
