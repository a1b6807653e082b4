#include "gpu_runtime/execute/device_pool.h"

namespace bufplan::runtime {

absl::StatusOr<DeviceBuffer> DeviceBuffer::Allocate(Device& device, int64_t bytes) {
  const absl::StatusOr<std::byte*> data = device.Allocate(bytes);
  if (!data.ok()) return data.status();
  DeviceBuffer buffer;
  buffer.device_ = &device;
  buffer.data_ = *data;
  buffer.bytes_ = bytes;
  return buffer;
}

absl::Status DevicePool::Reserve(size_t streams, size_t events) {
  while (streams_.size() < streams) {
    const absl::StatusOr<StreamHandle> stream = device_.MakeStream();
    if (!stream.ok()) return stream.status();
    streams_.push_back(*stream);
  }
  while (events_.size() < events) {
    const absl::StatusOr<EventHandle> event = device_.MakeEvent();
    if (!event.ok()) return event.status();
    events_.push_back(*event);
  }
  return absl::OkStatus();
}

}  // namespace bufplan::runtime
