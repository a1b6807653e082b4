#include "gpu_runtime/execute/contents.h"

#include <utility>

#include "gpu_runtime/kernels/all_kernels.h"
#include "gpu_runtime/steps/layout.h"

namespace bufplan::runtime {

void Contents::AddFill(Boxes boxes, std::byte* base, uint64_t seed) {
  fills_.push_back({uploads_.Add(std::move(boxes)), base, seed});
}

void Contents::AddCheck(Check check, Boxes boxes, std::byte* base, uint64_t seed) {
  verifies_.push_back({uploads_.Add(std::move(boxes)), base, seed, checks_.size()});
  checks_.push_back(check);
}

void Contents::AddMemory(const Program& program, int32_t id, std::byte* data, bool sample) {
  const Memory& memory = program.layout.memories[static_cast<size_t>(id)];
  // Of a sample nearly all of it is never touched.
  const bool garbage = memory.kind == MemoryKind::kChunk && !sample;
  if (garbage) AddFill(LinesOf(ByteSet::Of({0, memory.bytes})), data, kGarbageSeed);
  const ByteSet guards =
      ByteSet::OfAll({{0, kGuardBytes}, {kGuardBytes + memory.bytes, 2 * kGuardBytes + memory.bytes}});
  AddFill(LinesOf(guards), data - kGuardBytes, kGarbageSeed);
  AddCheck({Check::Kind::kGuard, id, -kGuardBytes}, LinesOf(guards), data - kGuardBytes, kGarbageSeed);
  if (garbage && static_cast<size_t>(id) < program.garbage_at_end.size()) {
    AddCheck({Check::Kind::kGarbage, id, 0}, LinesOf(program.garbage_at_end[static_cast<size_t>(id)]), data,
             kGarbageSeed);
  }
}

absl::Status Contents::AddGiven(Device& device, StreamHandle stream, const std::vector<std::byte>& bytes, std::byte* to,
                                std::optional<Check> check) {
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(device, static_cast<int64_t>(bytes.size()));
  if (!buffer.ok()) return buffer.status();
  device.CopyIn(stream, buffer->data(), bytes.data(), buffer->bytes());
  if (absl::Status s = device.Synchronize(); !s.ok()) return s;
  Given given = {*std::move(buffer), to};
  if (check.has_value()) {
    given.list = uploads_.Add(LinesOf(ByteSet::Of({0, given.bytes.bytes()})));
    given.check = checks_.size();
    checks_.push_back(*check);
  }
  given_.push_back(std::move(given));
  return absl::OkStatus();
}

absl::StatusOr<Contents> Contents::Make(const Graph& graph, Executor& executor, Device& device, uint64_t seed,
                                        bool constants, const InitialBytes& initial) {
  Contents c;
  const Program& program = executor.program();
  for (size_t m = 0; m < program.layout.memories.size(); ++m) {
    const Memory& memory = program.layout.memories[m];
    // The reference's own memory has no garbage to speak of, and may be large.
    if (!memory.of_plan()) continue;
    if (memory.kind == MemoryKind::kCaller && IsReadOnly(graph.value(memory.owner)) && !constants) continue;
    c.AddMemory(program, static_cast<int32_t>(m), executor.memory(static_cast<int32_t>(m)),
                executor.defined().sample_bytes.has_value());
  }
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const Value& value = graph.value(v);
    const int32_t caller = program.layout.of_caller[i];
    if (value.role == Role::kTransient || (IsReadOnly(value) && !constants)) continue;
    if (caller < 0 && !program.layout.of(v).exists()) continue;
    // Of a caller-owned value the storage, wherever the plan says that it lies.
    std::byte* const data = caller >= 0 ? executor.memory(caller) : executor.address(v);
    std::optional<Check> check;
    if (IsReadOnly(value)) check = Check{Check::Kind::kReadOnly, caller, 0};
    const int64_t size = executor.sizes().value_bytes[i];
    const std::vector<std::byte> bytes = initial == nullptr ? std::vector<std::byte>() : initial(v, size);
    if (!bytes.empty()) {
      if (absl::Status s = c.AddGiven(device, executor.stream(), bytes, data, check); !s.ok()) return s;
      continue;
    }
    const Boxes boxes = LinesOf(executor.defined().of(v));
    c.AddFill(boxes, data, SeedOfValue(graph, v, seed));
    if (check.has_value()) c.AddCheck(*check, boxes, data, SeedOfValue(graph, v, seed));
  }
  if (absl::Status s = c.uploads_.Upload(device, executor.stream()); !s.ok()) return s;
  return c;
}

void Contents::Fill(Device& device, StreamHandle stream) const {
  for (const Pattern& p : fills_) {
    device.Launch<ScribbleBoxes>(stream, uploads_.items(p.list), {uploads_.list(p.list), p.base, p.seed});
  }
  for (const Given& g : given_) device.Copy(stream, g.to, g.bytes.data(), g.bytes.bytes());
}

void Contents::Verify(Device& device, StreamHandle stream, uint64_t* first) const {
  for (const Pattern& p : verifies_) {
    device.Launch<VerifyBoxes>(stream, uploads_.items(p.list),
                               {uploads_.list(p.list), p.base, p.seed, first + p.check});
  }
  for (const Given& g : given_) {
    if (!g.check.has_value()) continue;
    device.Launch<CompareBoxes>(stream, uploads_.items(g.list),
                                {uploads_.list(g.list), g.bytes.data(), g.to, first + *g.check});
  }
}

}  // namespace bufplan::runtime
