// Whether the kernels that a graph's ops shall run fit the graph.
//
// For each op with a spec: the kernel is known and all its parameters are, given and in range at all symbol values; the
// op has as many operands and results; what the kernel reads of a value lies in the region that the op declares, what
// it writes is exactly that region; first bytes are aligned to an element; only operands whose strides the kernel takes
// have strides_ok; the in-place permissions of the op are among those of the kernel.
//
// Strided regions are compared by their first and last byte.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_BIND_OPS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_BIND_OPS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::runtime {

// By OpId, absent where the spec is. ERRORS: InvalidArgument, naming the op, the kernel, and parameter or operand with
// what was expected and found.
absl::StatusOr<std::vector<std::optional<BoundOp>>> BindOps(const Graph& graph,
                                                            absl::Span<const std::optional<KernelSpec>> specs);

// Whether a result may lie on a value that the op reads: in every slot in which it reads the value.
bool MayLieOn(const Graph& graph, const Op& op, const BoundOp& bound, size_t write, ValueId value, InPlaceMode mode);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_BIND_OPS_H_
