#include "gpu_runtime/execute/contents.h"

#include <utility>

#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {
void Contents::Add(std::vector<Pattern>& to, Boxes boxes, std::byte* base, uint64_t seed) {
  to.push_back({uploads_.Add(std::move(boxes)), base, seed});
}

absl::StatusOr<Contents> Contents::Make(const Graph& graph, Executor& executor, Device& device, uint64_t seed,
                                        bool constants) {
  Contents c;
  const Program& program = executor.program();
  for (size_t m = 0; m < program.layout.memories.size(); ++m) {
    const Memory& memory = program.layout.memories[m];
    // The reference's own memory has no garbage to speak of, and may be large.
    if (memory.kind == MemoryKind::kOwn || memory.kind == MemoryKind::kWorkspace) continue;
    const int32_t id = static_cast<int32_t>(m);
    std::byte* const data = executor.memory(id);
    if (memory.kind == MemoryKind::kChunk) {
      c.Add(c.fills_, LinesOf(ByteSet::Of({0, memory.bytes})), data, kGarbageSeed);
    } else if (IsReadOnly(graph.value(memory.owner)) && !constants) {
      continue;
    }
    const ByteSet guards =
        ByteSet::OfAll({{0, kGuardBytes}, {kGuardBytes + memory.bytes, 2 * kGuardBytes + memory.bytes}});
    c.Add(c.fills_, LinesOf(guards), data - kGuardBytes, kGarbageSeed);
    c.Add(c.verifies_, LinesOf(guards), data - kGuardBytes, kGarbageSeed);
    c.checks_.push_back({Check::Kind::kGuard, id, -kGuardBytes});
    if (m < program.garbage_at_end.size() && memory.kind == MemoryKind::kChunk) {
      c.Add(c.verifies_, LinesOf(program.garbage_at_end[m]), data, kGarbageSeed);
      c.checks_.push_back({Check::Kind::kGarbage, id, 0});
    }
  }
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    const Value& value = graph.value(v);
    const Place& place = program.layout.of(v);
    const int32_t caller = program.layout.of_caller[i];
    if (value.role == Role::kTransient || (IsReadOnly(value) && !constants)) continue;
    if (caller < 0 && !place.exists()) continue;
    // Of a caller-owned value the storage, wherever the plan says that it lies.
    std::byte* const data = caller >= 0 ? executor.memory(caller) : executor.address(v);
    const Boxes bytes = LinesOf(executor.defined().of(v));
    const uint64_t own = SeedOfValue(graph, v, seed);
    c.Add(c.fills_, bytes, data, own);
    if (!IsReadOnly(value)) continue;
    c.Add(c.verifies_, bytes, data, own);
    c.checks_.push_back({Check::Kind::kReadOnly, caller, 0});
  }
  if (absl::Status s = c.uploads_.Upload(device, executor.stream()); !s.ok()) return s;
  return c;
}

void Contents::Fill(Device& device, StreamHandle stream) const {
  for (const Pattern& p : fills_) {
    device.Launch<ScribbleBoxes>(stream, uploads_.items(p.list), {uploads_.list(p.list), p.base, p.seed});
  }
}

void Contents::Verify(Device& device, StreamHandle stream, uint64_t* first) const {
  for (size_t i = 0; i < verifies_.size(); ++i) {
    const Pattern& p = verifies_[i];
    device.Launch<VerifyBoxes>(stream, uploads_.items(p.list), {uploads_.list(p.list), p.base, p.seed, first + i});
  }
}

}  // namespace bufplan::runtime
