// Actions of a fused group.
#include <optional>
#include <utility>

#include "gpu_runtime/steps/program_builder.h"

namespace bufplan::runtime {
namespace {

// Of values in the workspace.
constexpr int64_t kWorkspaceAlignment = 256;

}  // namespace

void ProgramBuilder::EmitGroup(const Unit& unit) {
  PlaceWorkspace(unit);
  FindNeeded(unit);
  if (HasKernel(*unit.fusion)) {
    EmitGroupKernel(unit);
  } else {
    for (OpId o : unit.ops) {
      op_ = o;
      EmitOp(o);
    }
    op_ = unit.ops.back();
    EmitResults(unit);
  }
}

void ProgramBuilder::PlaceWorkspace(const Unit& unit) {
  out_.workspace.resize(graph_.values().size());
  needed_.resize(graph_.values().size());
  new_bytes_.resize(graph_.values().size());
  int32_t& memory = workspace_memory_[static_cast<size_t>(unit.stream)];
  if (memory < 0) {
    memory = static_cast<int32_t>(out_.layout.memories.size());
    out_.layout.memories.push_back({.kind = MemoryKind::kWorkspace});
  }
  int64_t end = 0;
  for (OpId o : unit.ops) {
    for (const Write& w : graph_.writes(graph_.op(o))) {
      const int64_t bytes = sizes_.value_bytes[w.value.index()];
      out_.workspace[w.value.index()] = bytes == 0 ? Place() : Place{memory, {end, bytes, {}}};
      end += (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
    }
  }
  int64_t& most = workspace_bytes_[static_cast<size_t>(unit.stream)];
  most = std::max(most, end);
}

const Write& ProgramBuilder::WriteOf(ValueId v) const {
  const absl::Span<const Write> writes = graph_.writes(graph_.op(*graph_.producer(v)));
  size_t i = 0;
  while (writes[i].value != v) ++i;
  return writes[i];
}

std::optional<ValueId> ProgramBuilder::OutsideBase(ValueId v) const {
  std::optional<ValueId> base = v;
  while (base.has_value() && Inside(*base)) base = WriteOf(*base).base;
  return base;
}

// Bytes of a result that are not in its place before the group runs.
ByteSet ProgramBuilder::NewBytes(OpId o, const Write& w) {
  const Op& op = graph_.op(o);
  const Place& place = out_.layout.of(w.value);
  if (!place.exists()) return {};  // swallowed
  ByteSet fresh = ByteSet::Of({0, sizes_.value_bytes[w.value.index()]});
  if (op.kind == OpKind::kView && out_.layout.of(graph_.reads(op)[0].value).exists()) return {};
  bool moves = op.kind == OpKind::kCompute || op.kind == OpKind::kFill || op.kind == OpKind::kView;
  if (!moves) {
    for (const Read& r : graph_.reads(op)) {
      const Place& from = out_.layout.of(r.value);
      const Shape of = sizes_.ShapeOf(r.value, r.region), to = sizes_.ShapeOf(w.value, r.to_region);
      if (to.bytes() == 0) continue;
      bool coincides = false;
      const Boxes to_bytes = Take(AllOf(to));
      if (from.exists() && from.memory == place.memory) {
        coincides =
            AllInPlace(Take(Pair(Take(Through(Take(AllOf(of)), from.shape)), Take(Through(to_bytes, place.shape)))));
      }
      if (coincides) fresh = fresh.Without(BytesOfA(to_bytes));
      moves = moves || !coincides;
    }
  }
  if (!moves && !w.base.has_value()) return {};
  // What its bases have in the very place already.
  ByteSet left = fresh;
  for (std::optional<ValueId> v = w.value; v.has_value() && Inside(*v);) {
    const Write& write = WriteOf(*v);
    if (!write.base.has_value()) break;
    left = left.Without(Overwritten(graph_.op(*graph_.producer(*v)), write));
    v = write.base;
    if (SameStart(out_.layout.of(*v), place)) return fresh.Without(left);
  }
  return fresh;
}

// Which bytes of what the members write somebody needs: as new bytes of a result, or as a later member reads them.
void ProgramBuilder::FindNeeded(const Unit& unit) {
  for (OpId o : unit.ops) {
    for (const Write& w : graph_.writes(graph_.op(o))) {
      new_bytes_[w.value.index()] = needed_[w.value.index()] = NewBytes(o, w);
    }
  }
  const auto need = [&](ValueId v, const ByteSet& bytes) {
    if (Inside(v)) needed_[v.index()] = needed_[v.index()].Or(bytes);
  };
  for (size_t i = unit.ops.size(); i-- > 0;) {
    const Op& op = graph_.op(unit.ops[i]);
    for (const Read& r : graph_.reads(op)) {
      if (!Inside(r.value)) continue;
      need(r.value, BytesOfA(Take(AllOf(sizes_.ShapeOf(r.value, r.region)))));
    }
    for (const Write& w : graph_.writes(op)) {
      if (!w.base.has_value() || !Inside(*w.base)) continue;
      const ByteSet overwritten = Overwritten(op, w);
      need(*w.base, needed_[w.value.index()].Without(overwritten));
      if (w.cover == Cover::kPart) need(*w.base, overwritten);
    }
  }
}

// From the workspace to their places.
void ProgramBuilder::EmitResults(const Unit& unit) {
  for (OpId o : unit.ops) {
    for (const Write& w : graph_.writes(graph_.op(o))) {
      const Place &from = out_.workspace[w.value.index()], &to = out_.layout.of(w.value);
      if (!from.exists() || !to.exists()) continue;
      // A kernel would write undefined bytes too, with anything.
      const ByteSet& fresh = new_bytes_[w.value.index()];
      NoteResult(w.value, fresh);
      AddMove(Between(w.value, fresh.And(defined_.of(w.value)), from, to), from, to);
    }
  }
}

// Of a result's new bytes those that no member writes all of, from a base outside that lies elsewhere.
void ProgramBuilder::CarryFromOutside(ValueId result, ByteSet bytes) {
  const std::optional<ValueId> base = OutsideBase(result);
  if (!base.has_value() || SameStart(out_.layout.of(*base), out_.layout.of(result))) return;
  for (ValueId v = result; Inside(v); v = *WriteOf(v).base) {
    if (WriteOf(v).cover == Cover::kPart) continue;
    bytes = bytes.Without(Overwritten(graph_.op(*graph_.producer(v)), WriteOf(v)));
  }
  const Place& to = out_.layout.of(result);
  bytes = bytes.And(defined_.of(*base));
  if (bytes.empty()) return;
  const Place& from = Used(*base);
  const Boxes boxes = Between(result, bytes, from, to);
  NoteRead({.value = *base, .carried_to = result, .memory = from.memory}, boxes);
  AddMove(boxes, from, to);
}

// The kernel reads what the members read from outside and writes the results; what a result takes of a base from
// outside that lies elsewhere is carried before.
void ProgramBuilder::EmitGroupKernel(const Unit& unit) {
  for (OpId o : unit.ops) {
    const Op& op = graph_.op(o);
    for (const Read& r : graph_.reads(op)) {
      if (Inside(r.value)) continue;
      NoteRead({.value = r.value, .memory = out_.layout.of(r.value).memory},
               Source(r.value, sizes_.ShapeOf(r.value, r.region)));
    }
    for (const Write& w : graph_.writes(op)) {
      if (w.base.has_value() && !Inside(*w.base) && w.cover == Cover::kPart) {
        NoteRead({.value = *w.base, .rewritten = true, .memory = out_.layout.of(*w.base).memory},
                 Source(*w.base, sizes_.ShapeOf(w.value, w.region)));
      }
      if (!out_.layout.of(w.value).exists()) continue;
      const ByteSet& fresh = new_bytes_[w.value.index()];
      CarryFromOutside(w.value, fresh);
      NoteResult(w.value, fresh);
    }
  }
  Add(ActionKind::kKernel, {}, -1);
}

}  // namespace bufplan::runtime
