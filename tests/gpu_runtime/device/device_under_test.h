// The devices that a test of the conformance suite runs on, and what its tests share.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_DEVICE_DEVICE_UNDER_TEST_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_DEVICE_DEVICE_UNDER_TEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gpu_runtime/device/device.h"
#include "gtest/gtest.h"

namespace bufplan::runtime {

struct DeviceUnderTest {
  std::string name;
  absl::StatusOr<std::unique_ptr<Device>> (*open)();
  bool is_concurrent = true;  // streams run at once

  friend void PrintTo(const DeviceUnderTest& d, std::ostream* out) { *out << d.name; }
};

// Each test program links one definition: host_devices.cc, gpu_devices.cc, ...
std::vector<DeviceUnderTest> DevicesUnderTest();

// For what does not depend on the order of streams.
inline std::vector<DeviceUnderTest> ConcurrentDevicesUnderTest() {
  std::vector<DeviceUnderTest> devices = DevicesUnderTest();
  std::erase_if(devices, [](const DeviceUnderTest& d) { return !d.is_concurrent; });
  return devices;
}

inline std::string NameOf(const testing::TestParamInfo<DeviceUnderTest>& info) { return info.param.name; }

// Opens the device. Where it is not in the build or not in the machine, the test is skipped and says which of both.
class DeviceTest : public testing::TestWithParam<DeviceUnderTest> {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Device>> device = GetParam().open();
    const absl::StatusCode code = device.status().code();
    if (code == absl::StatusCode::kUnimplemented || code == absl::StatusCode::kUnavailable) {
      GTEST_SKIP() << device.status().message();
    }
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }

  Device& device() { return *device_; }
  StreamHandle Stream() { return device_->MakeStream().value(); }
  EventHandle Event() { return device_->MakeEvent().value(); }
  std::byte* Memory(size_t bytes) { return device_->Allocate(static_cast<int64_t>(bytes)).value(); }
  void Synchronize() {
    const absl::Status status = device_->Synchronize();
    ASSERT_TRUE(status.ok()) << status;
  }

  // Of trivially copyable T; on a stream of their own, which they wait for.
  template <class T>
  T* Upload(const std::vector<T>& values) {
    std::byte* memory = Memory(values.size() * sizeof(T));
    Write(memory, values);
    return reinterpret_cast<T*>(memory);
  }
  template <class T>
  void Write(std::byte* to, const std::vector<T>& values) {
    device_->CopyIn(HelperStream(), to, values.data(), static_cast<int64_t>(values.size() * sizeof(T)));
    Synchronize();
  }
  template <class T>
  std::vector<T> Download(const T* from, size_t count) {
    std::vector<T> values(count);
    device_->CopyOut(HelperStream(), values.data(), reinterpret_cast<const std::byte*>(from),
                     static_cast<int64_t>(count * sizeof(T)));
    Synchronize();
    return values;
  }
  template <class T>
  T Download(const T* from) {
    return Download(from, 1)[0];
  }

 private:
  StreamHandle HelperStream() {
    if (helper_.index < 0) helper_ = Stream();
    return helper_;
  }

  std::unique_ptr<Device> device_;
  StreamHandle helper_ = {-1};
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_DEVICE_DEVICE_UNDER_TEST_H_
