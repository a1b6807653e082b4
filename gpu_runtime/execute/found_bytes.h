// Whose bytes those are that a run found where it should have found others.
//
// What was expected has its origin by the graph. What was found is compared with garbage and with the contents that the
// reference has of every value that the plan places there.
//
// COST: O(values), and a copy from the device for each that lies there. THREADS: one at a time. LIFETIME: both
// executors outlive this; the reference has run.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_FOUND_BYTES_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_FOUND_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gpu_runtime/execute/executor.h"

namespace bufplan::runtime {

class FoundBytes {
 public:
  FoundBytes(Device& device, const Graph& graph, const Executor& planned, const Executor& reference, uint64_t seed)
      : device_(device), graph_(graph), planned_(planned), reference_(reference), seed_(seed) {}

  // "expected 3f, of value "K" byte 0, there at the start; found 91, of value "K1" byte 0, written by op "upd"": the
  // first of up to eight bytes that lie together, of `value` from `byte` on, at `offset` of the plan's memory (-1: in a
  // workspace).
  absl::StatusOr<std::string> Describe(ValueId value, int64_t byte, int32_t memory, int64_t offset,
                                       absl::Span<const std::byte> expected, absl::Span<const std::byte> found) const;

 private:
  std::string OriginText(ValueId value, int64_t byte) const;
  absl::StatusOr<std::string> FoundText(int32_t memory, int64_t offset, absl::Span<const std::byte> found) const;
  // What the value at that place holds in the reference, from `byte` on.
  absl::Status Content(ValueId v, bool owner, int64_t byte, absl::Span<std::byte> to) const;

  Device& device_;
  const Graph& graph_;
  const Executor& planned_;
  const Executor& reference_;
  uint64_t seed_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_FOUND_BYTES_H_
