#include "gpu_runtime/execute/executor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {
namespace {

// So that sums of a few sizes are numbers.
constexpr int64_t kMaxMemoryBytes = int64_t{1} << 60;

// Events of a pool: where all other streams begin, where each ends, then one for each unit.
constexpr size_t kBegin = 0;
size_t EndOf(size_t stream) { return 1 + stream; }

// Ops where they lie: a lone one, a group, or a member of a group whose own values are in the workspace.
class Site : public KernelSite {
 public:
  Site(const Executor& executor, const Graph& graph, absl::Span<const OpId> ops, std::optional<int32_t> in_workspace_of)
      : executor_(executor), graph_(graph), ops_(ops), in_workspace_of_(in_workspace_of) {}

  Operand read(size_t member, size_t slot) const override {
    return At(graph_.reads(graph_.op(ops_[member]))[slot].value);
  }
  Operand write(size_t member, size_t slot) const override {
    return At(graph_.writes(graph_.op(ops_[member]))[slot].value);
  }
  std::byte* scratch(size_t member) const override {
    return AddressOf(executor_.program().layout.scratch[ops_[member].index()]);
  }
  absl::Span<const int64_t> symbol_values() const override { return executor_.sizes().symbol_values; }

 private:
  std::byte* AddressOf(const Place& place) const {
    return place.exists() ? executor_.memory(place.memory) + place.shape.at : nullptr;
  }
  Operand At(ValueId v) const {
    const Program& program = executor_.program();
    if (in_workspace_of_.has_value() && program.units.Makes(graph_, *in_workspace_of_, v)) {
      return {AddressOf(program.workspace[v.index()])};
    }
    return executor_.operand(v);
  }

  const Executor& executor_;
  const Graph& graph_;
  absl::Span<const OpId> ops_;
  std::optional<int32_t> in_workspace_of_;
};

// How long to wait before a unit: in most runs a little here and there; in some, one stream lags far behind.
class Delays {
 public:
  explicit Delays(uint64_t seed) : seed_(seed) {}
  int64_t Nanoseconds(size_t unit, int32_t stream, int32_t num_streams) const {
    const uint64_t style = MixTwo(seed_, 0), chance = MixTwo(seed_, unit + 1);
    const bool lags =
        style % 2 == 0 && stream == static_cast<int32_t>((style >> 8) % static_cast<uint64_t>(num_streams));
    if (lags) return 20'000 + static_cast<int64_t>(chance % 20'000);
    return chance % 4 == 0 ? static_cast<int64_t>((chance >> 8) % 20'000) : 0;
  }

 private:
  uint64_t seed_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(DevicePool& pool, const Graph& graph, const Plan* plan,
                                                           const ExecutorOptions& options) {
  std::unique_ptr<Executor> executor(new Executor(pool, graph, plan, options));
  executor->bound_.assign(graph.values().size(), nullptr);
  if (absl::Status s = pool.Reserve(1, 1); !s.ok()) return s;
  return executor;
}

Executor::~Executor() { (void)device_.Synchronize(); }

absl::Status Executor::Prepare(absl::Span<const int64_t> symbol_values) {
  captured_.reset();
  absl::StatusOr<Sizes> sizes = SizesOf(graph_, symbol_values);
  if (!sizes.ok()) return sizes.status();
  sizes_ = *std::move(sizes);
  absl::StatusOr<Defined> defined = FindDefined(graph_, sizes_, options_.sample_bytes);
  if (!defined.ok()) return defined.status();
  defined_ = *std::move(defined);
  absl::StatusOr<Layout> layout =
      plan_ == nullptr ? ReferenceLayout(graph_, sizes_) : PlannedLayout(graph_, *plan_, sizes_);
  if (!layout.ok()) return layout.status();
  absl::StatusOr<Units> units = plan_ == nullptr ? ReferenceUnits(graph_) : PlannedUnits(graph_, *plan_);
  if (!units.ok()) return units.status();
  ProgramOptions options = {
      .trace = options_.stress, .scribble = options_.stress && plan_ != nullptr, .seed = options_.seed};
  if (options_.kernels != nullptr) {
    for (const KernelCall& call : options_.kernels->of_op) options.op_has_kernel.push_back(call != nullptr);
    for (const KernelCall& call : options_.kernels->of_fusion) options.fusion_has_kernel.push_back(call != nullptr);
  }
  absl::StatusOr<Program> program =
      MakeProgram(graph_, sizes_, defined_, *std::move(layout), *std::move(units), options);
  if (!program.ok()) return program.status();
  program_ = *std::move(program);
  FindStrides();
  recorded_.assign(program_.units.units.size(), false);
  for (const Unit& u : program_.units.units) {
    for (int32_t before : u.waits_for) recorded_[static_cast<size_t>(before)] = true;
  }
  const size_t streams = static_cast<size_t>(program_.units.num_streams);
  if (absl::Status s = pool_.Reserve(streams, 1 + streams + program_.units.units.size()); !s.ok()) return s;
  return PlaceMemories();
}

// As the plan has them: normalised shapes leave out what is one run or one long.
void Executor::FindStrides() {
  strides_.assign(graph_.values().size(), {});
  for (size_t v = 0; v < graph_.values().size() && plan_ != nullptr; ++v) {
    const Location& location = plan_->locations[v];
    if (location.strides == nullptr) continue;
    strides_[v].run_bytes = location.strides->run_bytes.Evaluate(sizes_.symbol_values).value_or(0);
    for (const Dim& d : location.strides->dims) {
      strides_[v].strides.push_back(d.stride_bytes.Evaluate(sizes_.symbol_values).value_or(0));
    }
  }
}

// The buffer's memory, anew if it is too small. One that is large enough stays, so that addresses do.
absl::StatusOr<std::byte*> Executor::Grown(DeviceBuffer& buffer, int64_t bytes) {
  if (buffer.data() == nullptr || buffer.bytes() < bytes) {
    buffer = DeviceBuffer();
    absl::StatusOr<DeviceBuffer> larger = DeviceBuffer::Allocate(device_, bytes);
    if (!larger.ok()) return larger.status();
    buffer = *std::move(larger);
  }
  return buffer.data();
}

absl::Status Executor::PlaceMemories() {
  const std::vector<Memory>& memories = program_.layout.memories;
  memories_.assign(memories.size(), nullptr);
  if (buffers_.size() < memories.size()) buffers_.resize(memories.size());
  for (size_t m = 0; m < memories.size(); ++m) {
    const bool caller = memories[m].kind == MemoryKind::kCaller;
    if (caller && bound_[memories[m].owner.index()] != nullptr) {
      memories_[m] = bound_[memories[m].owner.index()];
      continue;
    }
    const int64_t bytes = caller ? graph_.value(memories[m].owner).max_bytes : memories[m].bytes;
    if (bytes > kMaxMemoryBytes) {
      return absl::ResourceExhaustedError(absl::StrCat(PlaceText(graph_, memories[m], 0), " has ", bytes, " bytes"));
    }
    const absl::StatusOr<std::byte*> data = Grown(buffers_[m], bytes + 2 * kGuardBytes);
    if (!data.ok()) return data.status();
    memories_[m] = *data + kGuardBytes;
  }
  const int64_t num_words = static_cast<int64_t>(program_.slots.size()) + program_.num_faults;
  const absl::StatusOr<std::byte*> words = Grown(words_, num_words * 8);
  if (!words.ok()) return words.status();
  slots_ = reinterpret_cast<uint64_t*>(*words);
  faults_ = slots_ + program_.slots.size();
  const int64_t box_bytes = static_cast<int64_t>(program_.boxes.size() * sizeof(Box));
  const absl::StatusOr<std::byte*> boxes = Grown(boxes_, box_bytes);
  if (!boxes.ok()) return boxes.status();
  device_.CopyIn(stream(), *boxes, program_.boxes.data(), box_bytes);
  return device_.Synchronize();
}

absl::Status Executor::Run(const RunOptions& options) {
  if (absl::Status s = Enqueue(options); !s.ok()) return s;
  return device_.Synchronize();
}

absl::Status Executor::Enqueue(const RunOptions& options) {
  // A graph would have what the run that was captured did besides, the memory of its snapshot among it.
  if (!options_.capture || options.snapshot_slot.has_value()) {
    EnqueueStep(options);
    return absl::OkStatus();
  }
  if (!captured_.has_value()) {
    if (absl::Status s = device_.BeginCapture(stream()); !s.ok()) return s;
    EnqueueStep(options);
    const absl::StatusOr<GraphHandle> graph = device_.EndCapture();
    if (!graph.ok()) return graph.status();
    captured_ = *graph;
  }
  device_.Replay(stream(), *captured_);
  return absl::OkStatus();
}

void Executor::EnqueueStep(const RunOptions& options) {
  const size_t num_streams = static_cast<size_t>(program_.units.num_streams);
  device_.Fill(stream(), reinterpret_cast<std::byte*>(slots_), 0, static_cast<int64_t>(program_.slots.size()) * 8);
  device_.Fill(stream(), reinterpret_cast<std::byte*>(faults_), 0xff, int64_t{program_.num_faults} * 8);
  if (num_streams > 1) device_.Record(pool_.Event(kBegin), stream());
  for (size_t s = 1; s < num_streams; ++s) device_.Wait(pool_.Stream(s), pool_.Event(kBegin));
  for (int32_t u : program_.units.enqueue_order) EnqueueUnit(static_cast<size_t>(u), options);
  for (size_t s = 1; s < num_streams; ++s) {
    device_.Record(pool_.Event(EndOf(s)), pool_.Stream(s));
    device_.Wait(stream(), pool_.Event(EndOf(s)));
  }
}

void Executor::EnqueueUnit(size_t u, const RunOptions& options) {
  const Unit& unit = program_.units.units[u];
  const StreamHandle stream = pool_.Stream(static_cast<size_t>(unit.stream));
  const size_t first_event = 1 + static_cast<size_t>(program_.units.num_streams);
  for (int32_t before : unit.waits_for) device_.Wait(stream, pool_.Event(first_event + static_cast<size_t>(before)));
  if (options.delay_seed.has_value()) {
    const int64_t delay = Delays(*options.delay_seed).Nanoseconds(u, unit.stream, program_.units.num_streams);
    if (delay > 0) device_.Launch<Delay>(stream, 1, {delay});
  }
  for (const Action& action : program_.actions_of(u)) {
    if (action.kind == ActionKind::kKernel) {
      EnqueueKernel(u, action, stream);
    } else {
      EnqueueAction(action, stream, options);
    }
  }
  if (recorded_[u]) device_.Record(pool_.Event(first_event + u), stream);
}

void Executor::EnqueueKernel(size_t u, const Action& action, StreamHandle stream) {
  const Unit& unit = program_.units.units[u];
  const std::vector<KernelCall>& of_fusion = options_.kernels->of_fusion;
  if (unit.fusion.has_value() && unit.fusion->index() < of_fusion.size() && of_fusion[unit.fusion->index()]) {
    return of_fusion[unit.fusion->index()](device_, stream, Site(*this, graph_, unit.ops, std::nullopt));
  }
  std::optional<int32_t> group;
  if (unit.fusion.has_value()) group = static_cast<int32_t>(u);
  options_.kernels->of_op[action.op.index()](device_, stream, Site(*this, graph_, {&action.op, 1}, group));
}

void Executor::EnqueueAction(const Action& action, StreamHandle stream, const RunOptions& options) {
  const BoxList boxes = {reinterpret_cast<const Box*>(boxes_.data()) + action.first_box,
                         static_cast<int32_t>(action.num_boxes)};
  std::byte* const a = memories_[static_cast<size_t>(action.a)];
  switch (action.kind) {
    case ActionKind::kScribble: device_.Launch<ScribbleBoxes>(stream, action.items, {boxes, a, action.seed}); return;
    case ActionKind::kMove:
      if (action.num_boxes == 1 && program_.boxes_of(action)[0].num_dims == 0) {
        const Box& run = program_.boxes_of(action)[0];
        return device_.Copy(stream, memories_[static_cast<size_t>(action.b)] + run.b, a + run.a, run.run_bytes);
      }
      device_.Launch<MoveBoxes>(stream, action.items, {boxes, a, memories_[static_cast<size_t>(action.b)]});
      return;
    case ActionKind::kHash:
      device_.Launch<HashBoxes>(stream, action.items, {boxes, a, slots_ + action.slot});
      if (options.snapshot_slot == action.slot) {
        device_.Launch<MoveBoxes>(stream, action.items, {boxes, a, options.snapshot});
      }
      return;
    case ActionKind::kMix:
      device_.Launch<MixBoxes>(stream, action.items,
                               {boxes, a, slots_ + action.slot, action.num_slots, action.keep_some, action.seed});
      return;
    case ActionKind::kVerify:
      device_.Launch<VerifyBoxes>(stream, action.items, {boxes, a, action.seed, faults_ + action.slot});
      return;
    case ActionKind::kKernel: return;
  }
}

}  // namespace bufplan::runtime
