#include "gpu_runtime/execute/box_uploads.h"

#include <utility>

namespace bufplan::runtime {

size_t BoxUploads::Add(Boxes boxes) {
  List list = {.first_box = boxes_.size()};
  list.items = CutIntoItems(boxes);
  list.num_boxes = static_cast<int32_t>(boxes.size());
  boxes_.insert(boxes_.end(), boxes.begin(), boxes.end());
  lists_.push_back(list);
  return lists_.size() - 1;
}

absl::Status BoxUploads::Upload(Device& device, StreamHandle stream) {
  const int64_t bytes = static_cast<int64_t>(boxes_.size() * sizeof(Box));
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(device, bytes);
  if (!buffer.ok()) return buffer.status();
  buffer_ = *std::move(buffer);
  device.CopyIn(stream, buffer_.data(), boxes_.data(), bytes);
  return device.Synchronize();
}

}  // namespace bufplan::runtime
