#include "gpu_runtime/steps/program_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/kernels/mix.h"

namespace bufplan::runtime {
namespace {

// The same on every machine. FNV-1a (Fowler, Noll, Vo), mixed at the end.
uint64_t HashOfName(absl::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return MixWord(hash);
}

// Runs of strided bytes that are spelled out to find what they overlap; beyond that they are not scribbled over, and
// count as read from the first to the last.
constexpr size_t kMaxTouchRuns = size_t{1} << 16;

// By memory: bytes that garbage may take the place of once nobody reads them.
std::vector<int64_t> BytesThatMayDie(const Layout& layout) {
  std::vector<int64_t> bytes;
  for (const Memory& m : layout.memories) bytes.push_back(m.of_plan() ? m.bytes : 0);
  return bytes;
}

}  // namespace

uint64_t SeedOfValue(const Graph& graph, ValueId v, uint64_t seed) {
  return MixTwo(MixTwo(seed, 1), MixTwo(HashOfName(graph.name(v)), static_cast<uint64_t>(v.value)));
}
uint64_t SeedOfOp(const Graph& graph, OpId o, uint64_t seed) {
  return MixTwo(MixTwo(seed, 2), MixTwo(HashOfName(graph.name(o)), static_cast<uint64_t>(o.value)));
}

ProgramBuilder::ProgramBuilder(const Graph& graph, const Sizes& sizes, const Defined& defined, Layout layout,
                               Units units, const ProgramOptions& options)
    : graph_(graph),
      sizes_(sizes),
      defined_(defined),
      options_(options),
      dead_(out_.units.order, BytesThatMayDie(layout)) {
  out_.layout = std::move(layout);
  out_.units = std::move(units);
}

absl::StatusOr<Program> ProgramBuilder::Run() {
  NumberSlots();
  workspace_bytes_.assign(static_cast<size_t>(out_.units.num_streams), 0);
  workspace_memory_.assign(static_cast<size_t>(out_.units.num_streams), -1);
  const size_t n = out_.units.units.size();
  std::vector<std::vector<Action>> by_unit(n);
  if (options_.scribble) ReportStart();
  for (int32_t u : out_.units.enqueue_order) {
    EmitUnit(static_cast<size_t>(u));
    by_unit[static_cast<size_t>(u)] = std::move(actions_);
    if (!status_.ok()) return status_;
  }
  for (size_t s = 0; s < workspace_memory_.size(); ++s) {
    if (workspace_memory_[s] >= 0) {
      out_.layout.memories[static_cast<size_t>(workspace_memory_[s])].bytes = workspace_bytes_[s];
    }
  }
  if (options_.scribble) ReportEnd(by_unit);
  if (!status_.ok()) return status_;
  for (const std::vector<Action>& actions : by_unit) {
    out_.first_action.push_back(static_cast<uint32_t>(out_.actions.size()));
    out_.actions.insert(out_.actions.end(), actions.begin(), actions.end());
  }
  out_.first_action.push_back(static_cast<uint32_t>(out_.actions.size()));
  return std::move(out_);
}

void ProgramBuilder::NumberSlots() {
  int32_t slots = 0;
  for (const Op& op : graph_.ops()) {
    first_slot_.push_back(slots);
    slots += static_cast<int32_t>(op.num_reads + op.num_writes);
  }
  first_slot_.push_back(slots);
  kept_by_.resize(out_.units.units.size());
  for (size_t k = 0; k < graph_.keep_alive().size(); ++k) {
    kept_by_[static_cast<size_t>(out_.units.unit_of[graph_.keep_alive()[k].until.index()])].push_back(
        static_cast<int32_t>(k));
  }
  out_.slots.resize(static_cast<size_t>(slots) + graph_.keep_alive().size());
}

void ProgramBuilder::EmitUnit(size_t u) {
  const Unit& unit = out_.units.units[u];
  actions_.clear();
  scribbles_.clear();
  readings_.clear();
  writings_.clear();
  op_ = unit.ops.back();
  group_.reset();
  if (unit.fusion.has_value()) {
    group_ = static_cast<int32_t>(u);
    EmitGroup(unit);
  } else {
    EmitOp(unit.ops[0]);
  }
  if (options_.trace) EmitKeepAlives(u);
  if (!options_.scribble) return;
  AddScratch(unit);
  AddScribbles(u);
  actions_.insert(actions_.begin(), scribbles_.begin(), scribbles_.end());
  ReportTouches(u);
}

void ProgramBuilder::Fail(OpId o, const absl::Status& status) {
  if (!status_.ok()) return;
  status_ = absl::Status(status.code(), absl::StrCat("op \"", graph_.name(o), "\": ", status.message()));
}

Boxes ProgramBuilder::Take(absl::StatusOr<Boxes> boxes) {
  if (boxes.ok()) return *std::move(boxes);
  Fail(op_, boxes.status());
  return {};
}

const Place& ProgramBuilder::Used(ValueId v) {
  const Place& place = PlaceOf(v);
  if (!place.exists() && sizes_.value_bytes[v.index()] > 0) {
    Fail(op_, absl::FailedPreconditionError(absl::StrCat("uses value \"", graph_.name(v), "\", which has no place")));
  }
  return place;
}

Boxes ProgramBuilder::Source(ValueId v, const Shape& region) {
  Boxes boxes = Take(Clip(region, defined_.of(v)));
  if (boxes.empty()) return boxes;
  return Take(Through(boxes, Used(v).shape));
}

Action& ProgramBuilder::Add(ActionKind kind, Boxes boxes, int32_t a, int32_t b) {
  Action action = {.kind = kind, .a = a, .b = b, .op = op_};
  action.items = CutIntoItems(boxes);
  action.first_box = static_cast<uint32_t>(out_.boxes.size());
  action.num_boxes = static_cast<uint32_t>(boxes.size());
  out_.boxes.insert(out_.boxes.end(), boxes.begin(), boxes.end());
  actions_.push_back(action);
  return actions_.back();
}

void ProgramBuilder::AddHash(SlotUse use, int32_t slot, const Boxes& source, int32_t memory) {
  out_.slots[static_cast<size_t>(slot)] = use;
  if (source.empty()) return;
  Add(ActionKind::kHash, source, memory).slot = slot;
}

void ProgramBuilder::AddMove(const Boxes& boxes, const Place& from, const Place& to) {
  if (!boxes.empty()) Add(ActionKind::kMove, boxes, from.memory, to.memory);
}

void ProgramBuilder::NoteRead(Reading reading, const Boxes& boxes) {
  if (!options_.scribble || boxes.empty()) return;
  reading.bytes = BytesOfA(boxes, kMaxTouchRuns, &reading.exact);
  readings_.push_back(std::move(reading));
}

void ProgramBuilder::NoteWrite(Writing writing, const Boxes& boxes, bool b) {
  if (!options_.scribble || boxes.empty()) return;
  writing.bytes = b ? BytesOfB(boxes, kMaxTouchRuns, &writing.exact) : BytesOfA(boxes, kMaxTouchRuns, &writing.exact);
  writings_.push_back(std::move(writing));
}

void ProgramBuilder::NoteResult(ValueId v, const ByteSet& bytes) {
  const Place& place = out_.layout.of(v);
  NoteWrite({.value = v, .memory = place.memory}, Take(Through(Take(Clip(Whole(v), bytes)), place.shape)), false);
}

Boxes ProgramBuilder::Between(ValueId v, const ByteSet& bytes, const Place& from, const Place& to) {
  const Boxes boxes = Take(Clip(Whole(v), bytes));
  return Take(Pair(Take(Through(boxes, from.shape)), Take(Through(boxes, to.shape))));
}

absl::StatusOr<Program> MakeProgram(const Graph& graph, const Sizes& sizes, const Defined& defined, Layout layout,
                                    Units units, const ProgramOptions& options) {
  return ProgramBuilder(graph, sizes, defined, std::move(layout), std::move(units), options).Run();
}

}  // namespace bufplan::runtime
