// What stress runs do besides: garbage where nothing is yet, and where nothing is any more.
#include <algorithm>
#include <map>
#include <utility>

#include "gpu_runtime/steps/program_builder.h"

namespace bufplan::runtime {

void ProgramBuilder::AddScribble(int32_t memory, const ByteSet& bytes) {
  Boxes boxes = LinesOf(bytes);
  if (boxes.empty()) return;
  Add(ActionKind::kScribble, std::move(boxes), memory).seed = kGarbageSeed;
  scribbles_.push_back(actions_.back());
  actions_.pop_back();
}

// Whether a result may lie on bytes that the unit reads.
bool ProgramBuilder::MayLieOn(const Unit& unit, const Writing& w, const Reading& r) const {
  const Place &result = out_.layout.of(w.value), &operand = out_.layout.of(r.value);
  const bool fits = sizes_.value_bytes[w.value.index()] <= sizes_.value_bytes[r.value.index()];
  const auto allows = [&](InPlaceMode mode) {
    return mode == InPlaceMode::kAny || (SameStart(result, operand) && fits);
  };
  if (unit.fusion.has_value()) {
    for (const FusionInPlace& p : graph_.fusions()[unit.fusion->index()].in_place) {
      if (p.result == w.value && p.value == r.value && allows(p.mode)) return true;
    }
    return false;
  }
  if (!w.write.has_value() || r.carried_to == w.value) return false;
  for (const InPlace& p : graph_.in_place(graph_.writes(graph_.op(unit.ops[0]))[*w.write])) {
    if (p.value == r.value && allows(p.mode)) return true;
  }
  return false;
}

void ProgramBuilder::AddScribbles(size_t u) {
  const Unit& unit = out_.units.units[u];
  std::map<int32_t, std::vector<ByteRange>> moved;  // by memory
  for (const Writing& w : writings_) {
    if (w.carried || !w.exact) continue;
    int32_t base = -1;
    if (unit.fusion.has_value()) {
      if (const std::optional<ValueId> outside = OutsideBase(w.value)) base = outside->value;
    } else if (w.write.has_value()) {
      if (const std::optional<ValueId>& own = WriteOf(w.value).base) base = own->value;
    }
    // A data movement may lie on nothing that it reads.
    if (!unit.fusion.has_value() && !w.write.has_value()) {
      std::vector<ByteRange>& ranges = moved[w.memory];
      ranges.insert(ranges.end(), w.bytes.ranges().begin(), w.bytes.ranges().end());
      continue;
    }
    std::vector<ByteRange> allowed, forbidden;
    bool exact = true;
    for (const Reading& r : readings_) {
      if (r.memory != w.memory) continue;
      exact = exact && r.exact;
      const bool rewrites =
          r.rewritten && base == r.value.value && SameStart(out_.layout.of(w.value), out_.layout.of(r.value));
      std::vector<ByteRange>& ranges = rewrites || MayLieOn(unit, w, r) ? allowed : forbidden;
      ranges.insert(ranges.end(), r.bytes.ranges().begin(), r.bytes.ranges().end());
    }
    if (!exact) continue;
    const ByteSet kept = ByteSet::OfAll(std::move(allowed)).Without(ByteSet::OfAll(std::move(forbidden)));
    AddScribble(w.memory, w.bytes.Without(kept));
  }
  for (auto& [memory, ranges] : moved) AddScribble(memory, ByteSet::OfAll(std::move(ranges)));
}

void ProgramBuilder::AddScratch(const Unit& unit) {
  for (OpId o : unit.ops) {
    const Place& scratch = out_.layout.scratch[o.index()];
    if (!scratch.exists()) continue;
    const ByteSet bytes = ByteSet::Of({scratch.shape.at, scratch.shape.end()});
    op_ = o;
    AddScribble(scratch.memory, bytes);
    // A kernel writes there what it wants.
    if (!HasKernel(o) && !(unit.fusion.has_value() && HasKernel(*unit.fusion))) {
      Action& verify = Add(ActionKind::kVerify, LinesOf(bytes), scratch.memory);
      verify.seed = kGarbageSeed;
      verify.slot = out_.num_faults++;
    }
    scratch_.push_back({scratch.memory, bytes});
  }
}

void ProgramBuilder::ReportStart() {
  for (size_t v = 0; v < graph_.values().size(); ++v) {
    const ValueId id(static_cast<int32_t>(v));
    if (out_.layout.of_caller[v] >= 0) dead_.Initialised(out_.layout.of_caller[v], defined_.of(id));
    const Place& place = out_.layout.of(id);
    if (graph_.values()[v].role == Role::kInput && place.exists()) {
      dead_.Initialised(place.memory, defined_.of(id).MovedBy(place.shape.at));
    }
  }
}

void ProgramBuilder::ReportTouches(size_t u) {
  const int32_t unit = static_cast<int32_t>(u);
  const auto of_plan = [&](int32_t memory) {
    return memory >= 0 && out_.layout.memories[static_cast<size_t>(memory)].of_plan();
  };
  for (const Reading& r : readings_) {
    if (of_plan(r.memory)) dead_.Read(unit, r.memory, r.bytes);
  }
  for (const Writing& w : writings_) {
    if (!of_plan(w.memory)) continue;
    // Bytes between strided runs may be somebody else's: nothing dies there.
    if (w.exact) {
      dead_.Overwritten(unit, w.memory, w.bytes);
    } else {
      dead_.Read(unit, w.memory, w.bytes);
    }
  }
  for (const auto& [memory, bytes] : scratch_) dead_.Overwritten(unit, memory, bytes);
  scratch_.clear();
}

void ProgramBuilder::ReportEnd(std::vector<std::vector<Action>>& by_unit) {
  const auto whole = [&](ValueId v) {
    const Place& place = out_.layout.of(v);
    if (!place.exists()) return;
    const Boxes boxes = Take(Through(Take(Clip(Whole(v), defined_.of(v))), place.shape));
    dead_.ReadAtEnd(place.memory, BytesOfA(boxes));
  };
  for (ValueId v : graph_.outputs()) whole(v);
  for (size_t v = 0; v < graph_.values().size(); ++v) {
    const ValueId id(static_cast<int32_t>(v));
    const Value& value = graph_.value(id);
    if (value.preserve) whole(id);
    const int32_t memory = out_.layout.of_caller[v];
    const bool holds = IsReadOnly(value) || value.role == Role::kVariable || graph_.commit_to(id).has_value();
    if (memory >= 0 && holds) {
      dead_.ReadAtEnd(memory, ByteSet::Of({0, sizes_.value_bytes[v]}));
    }
  }
  dead_.Finish();
  for (const DeadBytes::Dead& d : dead_.TakeDead()) {
    std::vector<Action>& actions = by_unit[static_cast<size_t>(d.unit)];
    op_ = out_.units.units[static_cast<size_t>(d.unit)].ops.back();
    AddScribble(d.memory, d.bytes);
    actions.push_back(scribbles_.back());
  }
  out_.garbage_at_end = dead_.garbage_at_end();
}

}  // namespace bufplan::runtime
