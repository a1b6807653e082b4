// What the attributes of a graph say of kernels and contents, for `run --kernels real`.
//
//   {"name": "norm", "reads": ["x"], "writes": ["n"],
//    "attrs": {"kernel": {"name": "rms_norm", "rows": 1, "columns": 64, "epsilon": 1e-5}}}
//   {"name": "tokens", "bytes": 4, "role": "input", "attrs": {"contents": {"type": "i32", "min": 0, "max": 99}}}
//
// Parameters of a kernel are integers (or expressions over the graph's symbols), numbers, or types of elements: "f32",
// "f16", "bf16" (gpu_runtime/registry/kernel_definition.h). Contents are elements of a type, f32 if nothing is said, at
// random between min and max, -1 and 1 if nothing is said.
//
// ERRORS: InvalidArgument, naming the op or value: what is no object, a kernel or parameter that there is not, a value
// of another kind. THREADS: no shared state.
#ifndef BUFPLAN_IO_TOOL_KERNEL_ATTRS_H_
#define BUFPLAN_IO_TOOL_KERNEL_ATTRS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/graph.h"

namespace bufplan {

// By OpId; absent: no kernel is said.
absl::StatusOr<std::vector<std::optional<runtime::KernelSpec>>> KernelSpecsOf(const Graph& graph);

// The member "kernel" of an op's attributes, for graphs that are written: {"kernel": {...}}.
std::string KernelAttrs(const runtime::KernelSpec& spec, absl::Span<const Symbol> symbols);

struct ContentSpec {
  enum class Type : uint8_t { kF32, kF16, kBF16, kI32 } type = Type::kF32;
  double min = -1, max = 1;
};
// By ValueId.
absl::StatusOr<std::vector<ContentSpec>> ContentSpecsOf(const Graph& graph);

// So many bytes of elements; the same for the same seed. What is left of a whole element is zero.
std::vector<std::byte> RandomContent(const ContentSpec& spec, int64_t bytes, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_KERNEL_ATTRS_H_
