// The kernels that ops can run, by name: what each needs, what it touches, and where its results may lie.
//
// The in-place rules of a kernel are a contract of its code: as long as a result lies so, the kernel computes the same,
// by teams of any size, its items in any order. What no rule allows must not be. They are what a graph's author may
// declare (InPlaceOf in ir/graph_builder.h) and what BindKernels holds against the graph.
//
// LIFETIME: definitions live for ever.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_DEFINITION_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_DEFINITION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan::runtime {

class Launch;

enum class ParameterKind : uint8_t { kInteger, kReal, kType };

struct Parameter {
  absl::string_view name;
  ParameterKind kind = ParameterKind::kInteger;
  bool required = true;
  double value = 0;  // unless given; of types always f32
  int64_t min = 0;   // of integers
  int64_t max = int64_t{1} << 40;
};

// An operand or a result.
struct OperandName {
  std::string name;
  std::string offset;  // the parameter: name + "_offset"
};

// What a kernel touches of an operand or a result: all its bytes lie in [offset, offset + bytes).
struct Extent {
  Expr bytes;
  int64_t element_bytes = 4;  // the first byte's alignment
};

// The result may lie on the operand.
struct InPlaceRule {
  size_t write = 0, read = 0;
  InPlaceMode mode = InPlaceMode::kSameIndex;
  friend bool operator==(const InPlaceRule&, const InPlaceRule&) = default;
};

struct KernelDefinition {
  absl::string_view name;
  std::vector<Parameter> parameters;
  std::vector<OperandName> reads, writes;
  size_t optional_reads = 0;  // of the last ones
  size_t strided_reads = 0;   // bit i: the kernel takes the strides of operand i

  // Below, the spec has all parameters.
  // Of all operands, then of all results.
  std::vector<Extent> (*extents)(const KernelSpec& spec) = nullptr;
  // What is wrong with the parameters together; "": nothing. Null: never anything.
  std::string (*fault)(const KernelSpec& spec) = nullptr;
  // For data that begins at one offset. Null: none.
  std::vector<InPlaceRule> (*in_place)(const KernelSpec& spec) = nullptr;
  void (*launch)(Device& device, StreamHandle stream, const Launch& launch) = nullptr;
};

// An op with its kernel. `spec` has all parameters, defaults and offsets too.
struct BoundOp {
  const KernelDefinition* definition = nullptr;
  KernelSpec spec = {};
  size_t num_reads = 0;
};

// Of a spec that has it.
inline const Expr& IntegerOf(const KernelSpec& spec, absl::string_view name) {
  return spec.integers.find(name)->second;
}
inline ElementType TypeOf(const KernelSpec& spec, absl::string_view name) { return spec.types.find(name)->second; }
inline double RealOf(const KernelSpec& spec, absl::string_view name) { return spec.reals.find(name)->second; }

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_KERNEL_DEFINITION_H_
