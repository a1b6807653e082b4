// What lies in the memories of an executor before a run: garbage everywhere, then what the graph says is there at the
// start, made of names and places alone; and the checks that what nobody may touch was not touched.
//
// COST: one kernel per memory and per value that is there at the start. THREADS: one at a time.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_CONTENTS_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "gpu_runtime/execute/box_uploads.h"
#include "gpu_runtime/execute/executor.h"

namespace bufplan::runtime {

// What an author wants to be in a value at the start: all its bytes; or nothing in particular.
using InitialBytes = std::function<std::vector<std::byte>(ValueId, int64_t bytes)>;

class Contents {
 public:
  // After the executor's Prepare(). `constants`: also fill the storage of constants and borrowed externals. `initial`:
  // null, or empty for a value, for bytes made of its name.
  static absl::StatusOr<Contents> Make(const Graph& graph, Executor& executor, Device& device, uint64_t seed,
                                       bool constants, const InitialBytes& initial = nullptr);

  // Enqueues the start of a run.
  void Fill(Device& device, StreamHandle stream) const;

  // Something that must be as it was.
  struct Check {
    enum class Kind : uint8_t { kGuard, kGarbage, kReadOnly } kind = Kind::kGuard;
    int32_t memory = 0;
    int64_t offset = 0;  // of index 0 from the memory's first byte
  };
  const std::vector<Check>& checks() const { return checks_; }
  // Enqueues the checks after a run: `first[i]`, all ones before, becomes the least index that differs.
  void Verify(Device& device, StreamHandle stream, uint64_t* first) const;

 private:
  struct Pattern {
    size_t list = 0;
    std::byte* base = nullptr;
    uint64_t seed = 0;
    size_t check = 0;  // of verifies
  };
  void AddFill(Boxes boxes, std::byte* base, uint64_t seed);
  void AddCheck(Check check, Boxes boxes, std::byte* base, uint64_t seed);
  void AddMemory(const Program& program, int32_t id, std::byte* data, bool sample);

  // Given bytes: kept on the device.
  struct Given {
    DeviceBuffer bytes;
    std::byte* to = nullptr;
    std::optional<size_t> check = std::nullopt;  // must still be there at the end
    size_t list = 0;
  };
  absl::Status AddGiven(Device& device, StreamHandle stream, const std::vector<std::byte>& bytes, std::byte* to,
                        std::optional<Check> check);

  BoxUploads uploads_;
  std::vector<Pattern> fills_, verifies_;
  std::vector<Given> given_;
  std::vector<Check> checks_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_CONTENTS_H_
