// What must be there when a step is over, in two executors: outputs, preserved inputs, variables and what is committed.
//
// COST: one kernel per value. THREADS: one at a time. LIFETIME: both executors outlive this, as prepared.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_END_STATE_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_END_STATE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gpu_runtime/execute/box_uploads.h"
#include "gpu_runtime/execute/executor.h"

namespace bufplan::runtime {

class EndState {
 public:
  // ERRORS: FailedPrecondition: a value that must be there and has no place in the plan.
  static absl::StatusOr<EndState> Make(const Graph& graph, const Executor& planned, const Executor& reference,
                                       Device& device);

  // The content of `value`, at `planned` in the one and `reference` in the other.
  struct Item {
    ValueId value;
    Place planned, reference;
  };
  const std::vector<Item>& items() const { return items_; }
  // Enqueues the comparison: `first[i]`, all ones before, becomes the least address in the reference's memory, counted
  // from that memory's first byte, whose byte is another one in the plan's.
  void Compare(Device& device, StreamHandle stream, uint64_t* first) const;

 private:
  struct Pair {
    size_t list = 0;
    const std::byte *planned = nullptr, *reference = nullptr;
  };
  absl::Status Add(const Executor& planned, const Executor& reference, const Item& item);

  std::vector<Item> items_;
  std::vector<Pair> pairs_;
  BoxUploads uploads_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_END_STATE_H_
