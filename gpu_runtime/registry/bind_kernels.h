// From what ops shall run to calls that run it.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_BIND_KERNELS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_BIND_KERNELS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "ir/graph.h"

namespace bufplan::runtime {

// A call for each op that has a spec, and for each fusion of the graph that a fused kernel does; the others are left
// empty. `specs`: by OpId. ERRORS: InvalidArgument: of BindOps; a fusion of which a kernel does what it does, but which
// declares a result in place where that kernel may not have it: names the fusion, the result and the value.
// LIFETIME: the table refers to neither.
absl::StatusOr<KernelTable> BindKernels(const Graph& graph, absl::Span<const std::optional<KernelSpec>> specs);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_BIND_KERNELS_H_
