// Streams, events and memory of a device for executors that come and go.
//
// THREADS: one at a time. LIFETIME: the device outlives the pool, the pool its buffers.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_DEVICE_POOL_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_DEVICE_POOL_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {

// Memory of a device that is freed with it.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  static absl::StatusOr<DeviceBuffer> Allocate(Device& device, int64_t bytes);
  DeviceBuffer(DeviceBuffer&& o) noexcept { Swap(o); }
  DeviceBuffer& operator=(DeviceBuffer&& o) noexcept {
    Swap(o);
    return *this;
  }
  ~DeviceBuffer() {
    if (device_ != nullptr) device_->Free(data_);
  }

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  void Swap(DeviceBuffer& o) {
    std::swap(device_, o.device_);
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
  }
  Device* device_ = nullptr;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

class DevicePool {
 public:
  explicit DevicePool(Device& device) : device_(device) {}

  Device& device() { return device_; }
  // Makes as many as are not there yet.
  absl::Status Reserve(size_t streams, size_t events);
  StreamHandle Stream(size_t i) const { return streams_[i]; }
  EventHandle Event(size_t i) const { return events_[i]; }

 private:
  Device& device_;
  std::vector<StreamHandle> streams_;
  std::vector<EventHandle> events_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_DEVICE_POOL_H_
