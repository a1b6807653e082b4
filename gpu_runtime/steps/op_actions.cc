// Actions of a lone op, and of a member of a group in its workspace.
#include <utility>

#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/steps/program_builder.h"

namespace bufplan::runtime {

void ProgramBuilder::EmitOp(OpId o) {
  const Op& op = graph_.op(o);
  switch (op.kind) {
    case OpKind::kBarrier: return;
    case OpKind::kView:
      if (Inside(graph_.writes(op)[0].value)) EmitMovement(o);
      return;
    case OpKind::kCompute:
    case OpKind::kFill:
      for (const Write& w : graph_.writes(op)) EmitCarry(op, w);
      if (HasKernel(o)) {
        EmitKernel(o);
      } else {
        EmitHashes(o);
        EmitMixes(o);
      }
      return;
    default:
      if (!out_.units.elided[o.index()]) EmitMovement(o);
  }
}

// What the op writes over of its result.
ByteSet ProgramBuilder::Overwritten(const Op& op, const Write& w) {
  std::vector<ByteRange> all;
  const auto add = [&](const Shape& region) {
    const ByteSet bytes = BytesOfA(Take(AllOf(region)));
    all.insert(all.end(), bytes.ranges().begin(), bytes.ranges().end());
  };
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    add(sizes_.ShapeOf(w.value, w.region));
  } else {
    for (const Read& r : graph_.reads(op)) add(sizes_.ShapeOf(w.value, r.to_region));
  }
  return ByteSet::OfAll(std::move(all));
}

void ProgramBuilder::EmitCarry(const Op& op, const Write& w) {
  if (!w.base.has_value() || sizes_.value_bytes[w.value.index()] == 0) return;
  if (SameStart(PlaceOf(*w.base), PlaceOf(w.value))) return;
  const Shape whole = Whole(w.value);
  const ByteSet overwritten = Overwritten(op, w);
  ByteSet carried = ByteSet::Of({0, whole.bytes()}).Without(overwritten);
  if (Inside(w.value)) carried = carried.And(needed_[w.value.index()]);
  if (w.cover == Cover::kPart) carried = carried.Or(overwritten);
  carried = carried.And(defined_.of(*w.base));
  if (carried.empty()) return;
  const Place &from = Used(*w.base), &to = Used(w.value);
  if (!from.exists() || !to.exists()) return;
  const Boxes boxes = Between(w.value, carried, from, to);
  if (!Inside(w.value)) {
    NoteRead({.value = *w.base, .carried_to = w.value, .memory = from.memory}, boxes);
  } else if (!Inside(*w.base)) {
    // What a member rewrites is noted as such when it is hashed.
    const Boxes rest = Take(Through(Take(Clip(whole, carried.Without(overwritten))), from.shape));
    NoteRead({.value = *w.base, .carried_to = w.value, .memory = from.memory}, rest);
  }
  if (!Inside(w.value)) NoteWrite({.value = w.value, .carried = true, .memory = to.memory}, boxes, true);
  AddMove(boxes, from, to);
}

void ProgramBuilder::EmitMovement(OpId o) {
  const Op& op = graph_.op(o);
  const ValueId target = op.commit_target.has_value() ? *op.commit_target : graph_.writes(op)[0].value;
  if (!op.commit_target.has_value()) EmitCarry(op, graph_.writes(op)[0]);
  for (uint32_t r = 0; r < op.num_reads; ++r) {
    const Read& read = graph_.reads(op)[r];
    const Boxes source = Source(read.value, sizes_.ShapeOf(read.value, read.region));
    if (source.empty()) continue;
    const Place& from = Used(read.value);
    Place to = Used(target);
    if (op.commit_target.has_value()) {
      to = {out_.layout.of_caller[target.index()], Whole(target)};
    }
    if (!to.exists()) continue;
    const Shape region = sizes_.ShapeOf(target, read.to_region);
    const Boxes there = Take(Through(Take(AllOf(region)), to.shape));
    const Boxes boxes = Take(Pair(source, there));
    if (from.memory == to.memory && AllInPlace(boxes)) continue;
    if (!Inside(read.value)) NoteRead({.value = read.value, .memory = from.memory}, boxes);
    if (!Inside(target)) NoteWrite({.value = target, .memory = to.memory}, boxes, true);
    if (options_.trace) {
      AddHash({SlotUse::Kind::kRead, o, read.value, r}, SlotOf(o) + static_cast<int32_t>(r), source, from.memory);
    }
    AddMove(boxes, from, to);
  }
}

void ProgramBuilder::EmitHashes(OpId o) {
  const Op& op = graph_.op(o);
  for (uint32_t r = 0; r < op.num_reads; ++r) {
    const Read& read = graph_.reads(op)[r];
    const Boxes source = Source(read.value, sizes_.ShapeOf(read.value, read.region));
    if (!Inside(read.value)) NoteRead({.value = read.value, .memory = PlaceOf(read.value).memory}, source);
    AddHash({SlotUse::Kind::kRead, o, read.value, r}, SlotOf(o) + static_cast<int32_t>(r), source,
            PlaceOf(read.value).memory);
  }
  for (uint32_t w = 0; w < op.num_writes; ++w) {
    const Write& write = graph_.writes(op)[w];
    if (!write.base.has_value() || write.cover != Cover::kPart) continue;
    const Boxes source = Source(*write.base, sizes_.ShapeOf(write.value, write.region));
    if (!Inside(*write.base)) {
      NoteRead({.value = *write.base, .rewritten = true, .memory = PlaceOf(*write.base).memory}, source);
    }
    AddHash({SlotUse::Kind::kRewritten, o, *write.base, w}, SlotOf(o) + static_cast<int32_t>(op.num_reads + w), source,
            PlaceOf(*write.base).memory);
  }
}

void ProgramBuilder::EmitMixes(OpId o) {
  const Op& op = graph_.op(o);
  for (uint32_t w = 0; w < op.num_writes; ++w) {
    const Write& write = graph_.writes(op)[w];
    const Shape region = sizes_.ShapeOf(write.value, write.region);
    ByteSet fresh = defined_.Written(region.bytes()), kept;
    if (write.base.has_value() && write.cover == Cover::kPart) {
      kept = fresh.And(BytesOfB(Take(Clip(region, defined_.of(*write.base)))));
      fresh = fresh.Without(kept);
    }
    for (const bool keep_some : {false, true}) {
      const Boxes bytes = Take(Pick(region, keep_some ? kept : fresh));
      if (bytes.empty()) continue;
      const Place& place = Used(write.value);
      if (!place.exists()) return;
      const Boxes boxes = Take(Through(bytes, place.shape));
      if (!Inside(write.value)) NoteWrite({.value = write.value, .write = w, .memory = place.memory}, boxes, false);
      Action& mix = Add(ActionKind::kMix, boxes, place.memory);
      mix.keep_some = keep_some;
      mix.seed = MixTwo(SeedOfOp(graph_, o, options_.seed), w);
      mix.slot = SlotOf(o);
      mix.num_slots = op.kind == OpKind::kFill ? 0 : static_cast<int32_t>(op.num_reads + op.num_writes);
    }
  }
}

// A kernel of its own: what it touches is said, and noted.
void ProgramBuilder::EmitKernel(OpId o) {
  const Op& op = graph_.op(o);
  const auto note_read = [&](ValueId v, bool rewritten, const Shape& region) {
    if (!Inside(v)) NoteRead({.value = v, .rewritten = rewritten, .memory = PlaceOf(v).memory}, Source(v, region));
  };
  for (const Read& r : graph_.reads(op)) note_read(r.value, false, sizes_.ShapeOf(r.value, r.region));
  Add(ActionKind::kKernel, {}, -1);
  for (uint32_t w = 0; w < op.num_writes; ++w) {
    const Write& write = graph_.writes(op)[w];
    const Shape region = sizes_.ShapeOf(write.value, write.region);
    if (region.bytes() == 0) continue;
    const Place& place = Used(write.value);
    if (!place.exists()) return;
    if (write.base.has_value() && write.cover == Cover::kPart) note_read(*write.base, true, region);
    if (Inside(write.value)) continue;
    NoteWrite({.value = write.value, .write = w, .memory = place.memory},
              Take(Through(Take(AllOf(region)), place.shape)), false);
  }
}

// Nobody reads a kept-alive value for it; but it must be as it was when the unit ends.
void ProgramBuilder::EmitKeepAlives(size_t unit) {
  for (int32_t k : kept_by_[unit]) {
    const KeepAlive& keep = graph_.keep_alive()[static_cast<size_t>(k)];
    if (out_.units.Makes(graph_, static_cast<int32_t>(unit), keep.value)) continue;
    const Boxes source = Source(keep.value, Whole(keep.value));
    NoteRead({.value = keep.value, .memory = PlaceOf(keep.value).memory}, source);
    AddHash({SlotUse::Kind::kKeptAlive, keep.until, keep.value, 0}, first_slot_.back() + k, source,
            PlaceOf(keep.value).memory);
  }
}

}  // namespace bufplan::runtime
