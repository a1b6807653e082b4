// Box lists in the memory of a device, for kernels that are launched beside a program's own.
//
// THREADS: one at a time. LIFETIME: lists are valid as long as this.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_BOX_UPLOADS_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_BOX_UPLOADS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "gpu_runtime/execute/device_pool.h"
#include "gpu_runtime/steps/box_list.h"

namespace bufplan::runtime {

class BoxUploads {
 public:
  // Returns the number of the list.
  size_t Add(Boxes boxes);
  // Everything added so far. ERRORS: memory.
  absl::Status Upload(Device& device, StreamHandle stream);

  // After Upload().
  BoxList list(size_t i) const {
    return {reinterpret_cast<const Box*>(buffer_.data()) + lists_[i].first_box, lists_[i].num_boxes};
  }
  int64_t items(size_t i) const { return lists_[i].items; }

 private:
  struct List {
    size_t first_box = 0;
    int32_t num_boxes = 0;
    int64_t items = 0;
  };
  std::vector<Box> boxes_;
  std::vector<List> lists_;
  DeviceBuffer buffer_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_BOX_UPLOADS_H_
