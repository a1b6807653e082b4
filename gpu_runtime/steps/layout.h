// Where every value and scratch lies at given symbol values: as a plan has it, or each in memory of its own.
//
// LIFETIME: refers to nothing. THREADS: value type.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_LAYOUT_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gpu_runtime/steps/sizes.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::runtime {

// kChunk: of a plan's arena. kCaller: the storage of a constant, external or variable. kOwn: where the reference has
// its values, each apart. kWorkspace: of a stream, for what happens inside of fused groups; never part of a plan.
enum class MemoryKind : uint8_t { kChunk, kCaller, kOwn, kWorkspace };

struct Memory {
  MemoryKind kind = MemoryKind::kChunk;
  int64_t bytes = 0;
  SpaceId space = {};  // kChunk
  int32_t chunk = 0;   // kChunk
  ValueId owner = {};  // kCaller

  bool of_plan() const { return kind == MemoryKind::kChunk || kind == MemoryKind::kCaller; }
};

// Byte i of a value lies at byte i of the shape, in that memory. -1: nowhere.
struct Place {
  int32_t memory = -1;
  Shape shape;
  bool exists() const { return memory >= 0; }
  bool strided() const { return !shape.dims.empty(); }
};

// Both begin at one byte and go on alike.
inline bool SameStart(const Place& a, const Place& b) {
  return a.exists() && a.memory == b.memory && a.shape.at == b.shape.at && !a.strided() && !b.strided();
}

struct Layout {
  std::vector<Memory> memories;    // callers' in the order of their values, after chunks
  std::vector<Place> values;       // by ValueId
  std::vector<Place> scratch;      // by OpId
  std::vector<int32_t> of_caller;  // by ValueId: its memory; -1: not caller-owned
  const Place& of(ValueId v) const { return values[v.index()]; }
};

inline bool IsCallerOwned(Role role) {
  return role == Role::kConstant || role == Role::kExternal || role == Role::kVariable;
}

// A constant or a borrowed external.
inline bool IsReadOnly(const Value& value) {
  return value.role == Role::kConstant || (value.role == Role::kExternal && !value.writable);
}

// "device+4096", "device#1+0", "K+128".
std::string PlaceText(const Graph& graph, const Memory& memory, int64_t offset);

// ERRORS: InvalidArgument: a plan of another shape. FailedPrecondition: a value or scratch without a place that makes
// sense, or that leaves its memory: which, where.
absl::StatusOr<Layout> PlannedLayout(const Graph& graph, const Plan& plan, const Sizes& sizes);

// Every value in bytes of its own, but views, which are where their source is. ERRORS: ResourceExhausted: more than
// 2^60 bytes together.
absl::StatusOr<Layout> ReferenceLayout(const Graph& graph, const Sizes& sizes);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_LAYOUT_H_
