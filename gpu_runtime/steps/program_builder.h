// Makes a Program unit by unit; see program.h.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_PROGRAM_BUILDER_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_PROGRAM_BUILDER_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gpu_runtime/steps/box_list.h"
#include "gpu_runtime/steps/byte_set.h"
#include "gpu_runtime/steps/dead_bytes.h"
#include "gpu_runtime/steps/program.h"

namespace bufplan::runtime {

class ProgramBuilder {
 public:
  ProgramBuilder(const Graph& graph, const Sizes& sizes, const Defined& defined, Layout layout, Units units,
                 const ProgramOptions& options);
  absl::StatusOr<Program> Run();

 private:
  // Bytes that the unit at hand reads, on behalf of a value.
  struct Reading {
    ValueId value;
    std::optional<ValueId> carried_to = {};  // a base's bytes, on their way to the place of this result
    bool rewritten = false;                  // a base's bytes that cover "part" may leave
    int32_t memory = -1;
    ByteSet bytes = {};
    bool exact = true;
  };
  struct Writing {
    ValueId value;
    std::optional<size_t> write = {};  // of the lone op; absent: data movement, or a group's result
    bool carried = false;
    int32_t memory = -1;
    ByteSet bytes = {};
    bool exact = true;
  };

  void NumberSlots();
  int32_t SlotOf(OpId o) const { return first_slot_[o.index()]; }
  void EmitUnit(size_t unit);

  void Fail(OpId o, const absl::Status& status);
  // What an error is taken for is empty; the run then ends with the error.
  Boxes Take(absl::StatusOr<Boxes> boxes);

  bool HasKernel(OpId o) const {
    return o.index() < options_.op_has_kernel.size() && options_.op_has_kernel[o.index()];
  }
  bool HasKernel(FusionId f) const {
    return f.index() < options_.fusion_has_kernel.size() && options_.fusion_has_kernel[f.index()];
  }
  // Whether the group at hand makes the value; a lone op makes none that way.
  bool Inside(ValueId v) const { return group_.has_value() && out_.units.Makes(graph_, *group_, v); }
  // Where a value lies for the unit at hand: of a group's own values, in the workspace.
  const Place& PlaceOf(ValueId v) const { return Inside(v) ? out_.workspace[v.index()] : out_.layout.of(v); }
  const Place& Used(ValueId v);  // that must exist if it has bytes
  Shape Whole(ValueId v) const { return {0, sizes_.value_bytes[v.index()], {}}; }
  // What is read of a region: addresses with indices.
  Boxes Source(ValueId v, const Shape& region);

  Action& Add(ActionKind kind, Boxes boxes, int32_t a, int32_t b = -1);
  void AddHash(SlotUse use, int32_t slot, const Boxes& source, int32_t memory);
  void AddMove(const Boxes& boxes, const Place& from, const Place& to);
  void NoteRead(Reading reading, const Boxes& boxes);
  void NoteWrite(Writing writing, const Boxes& boxes, bool b);
  // Notes that bytes of a value, which has a place, are written there.
  void NoteResult(ValueId v, const ByteSet& bytes);
  // The bytes of a value from one place to another.
  Boxes Between(ValueId v, const ByteSet& bytes, const Place& from, const Place& to);

  // op_actions.cc
  void EmitOp(OpId o);
  void EmitCarry(const Op& op, const Write& w);
  ByteSet Overwritten(const Op& op, const Write& w);
  void EmitMovement(OpId o);
  void EmitHashes(OpId o);
  void EmitMixes(OpId o);
  void EmitKernel(OpId o);
  void EmitKeepAlives(size_t unit);

  // group_actions.cc
  void EmitGroup(const Unit& unit);
  void PlaceWorkspace(const Unit& unit);
  void FindNeeded(const Unit& unit);
  ByteSet NewBytes(OpId o, const Write& w);
  void EmitResults(const Unit& unit);
  void CarryFromOutside(ValueId result, ByteSet bytes);
  void EmitGroupKernel(const Unit& unit);
  // The value from outside that the bases of a value made inside lead to.
  std::optional<ValueId> OutsideBase(ValueId v) const;
  const Write& WriteOf(ValueId v) const;

  // scribbles.cc
  void AddScribbles(size_t unit);
  void AddScribble(int32_t memory, const ByteSet& bytes);
  void AddScratch(const Unit& unit);
  bool MayLieOn(const Unit& unit, const Writing& w, const Reading& r) const;
  void ReportStart();
  void ReportTouches(size_t unit);
  void ReportEnd(std::vector<std::vector<Action>>& by_unit);

  const Graph& graph_;
  const Sizes& sizes_;
  const Defined& defined_;
  ProgramOptions options_;
  Program out_;
  absl::Status status_;
  std::vector<int32_t> first_slot_;            // by OpId, and one more: of the keep-alives
  std::vector<std::vector<int32_t>> kept_by_;  // by unit: keep-alives that it ends
  DeadBytes dead_;

  // Of the unit at hand.
  OpId op_;
  std::vector<Action> actions_;    // what it does
  std::vector<Action> scribbles_;  // before that
  std::vector<Reading> readings_;
  std::vector<Writing> writings_;
  std::vector<std::pair<int32_t, ByteSet>> scratch_;  // by memory
  std::optional<int32_t> group_;                      // the unit, if it is a group
  // Of the group at hand, by ValueId: of what its members write, what somebody needs, and of its results what is not in
  // place before it runs.
  std::vector<ByteSet> needed_, new_bytes_;
  std::vector<int64_t> workspace_bytes_;   // by stream
  std::vector<int32_t> workspace_memory_;  // by stream; -1: none yet
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_PROGRAM_BUILDER_H_
