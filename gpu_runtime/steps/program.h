// A plan as what a device does: for each unit the actions that execute it, as lists of boxes in numbered memories.
//
// An op is executed like this; what there is nothing of is left out:
//
//   scribble   garbage over its scratch and its results, but where it declares to read what it overwrites   (stress)
//   move       the bytes of bases that their results carry along
//   hash       what it reads; or move: the parts of a data movement that do not lie where they should
//   mix        what it writes; or kernel: a real one in place of hash and mix
//   verify     that its scratch is still garbage                                                        (stress)
//   poison     what nobody reads any more                                                               (stress)
//
// A fused group without a kernel of its own runs member by member, each by its kernel or mixing, in a workspace of its
// stream, and what it makes is moved to its place at the end: so it reads everything before it writes anything, as a
// fused kernel may not; what it may, the scribbles at its start see to.
//
// Every read has a slot that its hash goes to, the same slot for the same read in the reference: so two executions are
// compared read by read. COST: O(uses + runs of strided bytes). LIFETIME: refers to nothing. THREADS: value type.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_PROGRAM_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gpu_runtime/kernels/boxes.h"
#include "gpu_runtime/steps/byte_set.h"
#include "gpu_runtime/steps/defined.h"
#include "gpu_runtime/steps/layout.h"
#include "gpu_runtime/steps/sizes.h"
#include "gpu_runtime/steps/units.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::runtime {

// kKernel: of the action's op; or of the whole group, if that has one.
enum class ActionKind : uint8_t { kScribble, kMove, kHash, kMix, kKernel, kVerify };

// Garbage at byte b of a memory is MixedByte(kGarbageSeed, b).
inline constexpr uint64_t kGarbageSeed = 0x6a09e667f3bcc908u;

struct Action {
  ActionKind kind = ActionKind::kMove;
  bool keep_some = false;  // kMix: cover "part"
  int32_t a = -1, b = -1;  // memories: what the boxes' a lies in, and for kMove b
  uint32_t first_box = 0, num_boxes = 0;
  int64_t items = 0;
  int32_t slot = 0;       // kHash: where to; kMix: the first it is made of; kVerify: of `faults`
  int32_t num_slots = 0;  // kMix
  uint64_t seed = 0;      // kMix, kScribble, kVerify
  OpId op = {};           // on whose behalf
};

// What a slot is the hash of.
struct SlotUse {
  enum class Kind : uint8_t { kNone, kRead, kRewritten, kKeptAlive } kind = Kind::kNone;
  OpId op;
  ValueId value;
  uint32_t index = 0;  // kRead: of the op's reads; kRewritten: of its writes
};

struct Program {
  Layout layout;  // its workspaces behind all other memories
  Units units;
  std::vector<Action> actions;
  std::vector<uint32_t> first_action;  // by unit, and one more
  std::vector<Box> boxes;
  std::vector<SlotUse> slots;  // kNone: this program does not hash it
  // By ValueId: where the values that are made inside of a group without a kernel lie while it runs.
  std::vector<Place> workspace;
  int32_t num_faults = 0;               // kVerify actions
  std::vector<ByteSet> garbage_at_end;  // by memory: where garbage must lie still (stress)

  absl::Span<const Action> actions_of(size_t unit) const {
    return absl::MakeConstSpan(actions).subspan(first_action[unit], first_action[unit + 1] - first_action[unit]);
  }
  absl::Span<const Box> boxes_of(const Action& action) const {
    return absl::MakeConstSpan(boxes).subspan(action.first_box, action.num_boxes);
  }
};

struct ProgramOptions {
  bool trace = false;     // hashes also of what data movements read, and of kept-alive values
  bool scribble = false;  // garbage where nothing lies, and its verification
  uint64_t seed = 1;      // of what mixing ops write
  // By OpId and FusionId: has a kernel of its own. What is beyond the end has none.
  std::vector<bool> op_has_kernel = {}, fusion_has_kernel = {};
};

// ERRORS: those of the layout and the units; ResourceExhausted naming the op: too many strided runs.
absl::StatusOr<Program> MakeProgram(const Graph& graph, const Sizes& sizes, const Defined& defined, Layout layout,
                                    Units units, const ProgramOptions& options);

// The seed of what is there at the start in a value that no op writes.
uint64_t SeedOfValue(const Graph& graph, ValueId v, uint64_t seed);
// The seed of what an op writes.
uint64_t SeedOfOp(const Graph& graph, OpId o, uint64_t seed);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_PROGRAM_H_
