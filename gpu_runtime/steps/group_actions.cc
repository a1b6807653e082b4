// Actions of a fused group.
#include <optional>
#include <utility>

#include "gpu_runtime/steps/program_builder.h"

namespace bufplan::runtime {
namespace {

// Of values in the workspace.
constexpr int64_t kWorkspaceAlignment = 256;

}  // namespace

void ProgramBuilder::EmitGroup(size_t u) {
  const Unit& unit = out_.units.units[u];
  OpenGroup(unit);
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
  CloseGroup();
}

void ProgramBuilder::OpenGroup(const Unit& unit) {
  inside_.assign(graph_.values().size(), false);
  out_.workspace.resize(graph_.values().size());
  needed_.resize(graph_.values().size());
  int32_t& memory = workspace_memory_[static_cast<size_t>(unit.stream)];
  if (memory < 0) {
    memory = static_cast<int32_t>(out_.layout.memories.size());
    out_.layout.memories.push_back({.kind = MemoryKind::kWorkspace});
  }
  int64_t end = 0;
  for (OpId o : unit.ops) {
    for (const Write& w : graph_.writes(graph_.op(o))) {
      const int64_t bytes = sizes_.value_bytes[w.value.index()];
      inside_[w.value.index()] = true;
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
  while (base.has_value() && inside_[base->index()]) base = WriteOf(*base).base;
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
      const Boxes to_bytes = Take(Clip(to, ByteSet::Of({to.at, to.end()})));
      if (from.exists() && from.memory == place.memory) {
        const Boxes of_bytes = Take(Clip(of, ByteSet::Of({of.at, of.end()})));
        coincides = AllInPlace(Take(Pair(Take(Through(of_bytes, from.shape)), Take(Through(to_bytes, place.shape)))));
      }
      bool exact = true;
      if (coincides) fresh = fresh.Without(BytesOfA(to_bytes, kMaxPieces, &exact));
      moves = moves || !coincides;
    }
  }
  if (!moves && !w.base.has_value()) return {};
  // What its bases have in the very place already.
  ByteSet left = fresh;
  for (std::optional<ValueId> v = w.value; v.has_value() && inside_[v->index()];) {
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
    for (const Write& w : graph_.writes(graph_.op(o))) needed_[w.value.index()] = NewBytes(o, w);
  }
  const auto need = [&](ValueId v, const ByteSet& bytes) {
    if (inside_[v.index()]) needed_[v.index()] = needed_[v.index()].Or(bytes);
  };
  for (size_t i = unit.ops.size(); i-- > 0;) {
    const Op& op = graph_.op(unit.ops[i]);
    for (const Read& r : graph_.reads(op)) {
      if (!inside_[r.value.index()]) continue;
      const Shape region = sizes_.ShapeOf(r.value, r.region);
      bool exact = true;
      need(r.value, BytesOfA(Take(Clip(region, ByteSet::Of({region.at, region.end()}))), kMaxPieces, &exact));
    }
    for (const Write& w : graph_.writes(op)) {
      if (!w.base.has_value() || !inside_[w.base->index()]) continue;
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
      const ByteSet fresh = NewBytes(o, w);
      NoteWrite({.value = w.value, .memory = to.memory}, Take(Through(Take(Clip(Whole(w.value), fresh)), to.shape)),
                false);
      const Boxes bytes = Take(Clip(Whole(w.value), fresh.And(defined_.of(w.value))));
      const Boxes boxes = Take(Pair(Take(Through(bytes, from.shape)), Take(Through(bytes, to.shape))));
      AddMove(boxes, from, to);
    }
  }
}

// Of a result's new bytes those that no member writes all of, from a base outside that lies elsewhere.
void ProgramBuilder::CarryFromOutside(ValueId result, ByteSet bytes) {
  const std::optional<ValueId> base = OutsideBase(result);
  if (!base.has_value() || SameStart(out_.layout.of(*base), out_.layout.of(result))) return;
  for (ValueId v = result; inside_[v.index()]; v = *WriteOf(v).base) {
    if (WriteOf(v).cover == Cover::kPart) continue;
    bytes = bytes.Without(Overwritten(graph_.op(*graph_.producer(v)), WriteOf(v)));
  }
  const Place& to = out_.layout.of(result);
  const Boxes carried = Take(Clip(Whole(result), bytes.And(defined_.of(*base))));
  if (carried.empty()) return;
  const Place& from = Used(*base);
  const Boxes boxes = Take(Pair(Take(Through(carried, from.shape)), Take(Through(carried, to.shape))));
  NoteRead({.value = *base, .carried_to = result, .memory = from.memory}, boxes);
  AddMove(boxes, from, to);
}

// The kernel reads what the members read from outside and writes the results; what a result takes of a base from
// outside that lies elsewhere is carried before.
void ProgramBuilder::EmitGroupKernel(const Unit& unit) {
  for (OpId o : unit.ops) {
    const Op& op = graph_.op(o);
    for (const Read& r : graph_.reads(op)) {
      if (inside_[r.value.index()]) continue;
      NoteRead({.value = r.value, .memory = out_.layout.of(r.value).memory},
               Source(r.value, sizes_.ShapeOf(r.value, r.region)));
    }
    for (const Write& w : graph_.writes(op)) {
      if (w.base.has_value() && !inside_[w.base->index()] && w.cover == Cover::kPart) {
        NoteRead({.value = *w.base, .rewritten = true, .memory = out_.layout.of(*w.base).memory},
                 Source(*w.base, sizes_.ShapeOf(w.value, w.region)));
      }
      const Place& to = out_.layout.of(w.value);
      if (!to.exists()) continue;
      const ByteSet fresh = NewBytes(o, w);
      CarryFromOutside(w.value, fresh);
      NoteWrite({.value = w.value, .memory = to.memory}, Take(Through(Take(Clip(Whole(w.value), fresh)), to.shape)),
                false);
    }
  }
  Add(ActionKind::kKernel, {}, -1);
}

}  // namespace bufplan::runtime
