// Groups of ops for which there is a fused kernel, as proposals to the planner.
//
// Every group that a fused kernel does is proposed, with all in-place permissions of the kernel, unless as one op it
// would be in a cycle. Proposals may overlap: the planner chooses (docs/design.md, 8.19). Chains of adds are the
// exception: of each only the longest piece is proposed that one kernel does.
//
// The benefit is in bytes: those of the values between the members. What nobody else uses is neither written nor read,
// and counts twice; what others use is written and not read again, and counts once.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_PROPOSE_FUSIONS_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_PROPOSE_FUSIONS_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gpu_runtime/registry/kernel_spec.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"

namespace bufplan::runtime {

// Names are those of the kernel and of the members. `specs`: by OpId. ERRORS: those of BindOps. COST: O(uses + for each
// group, the ops between its first and its last member).
absl::StatusOr<std::vector<Fusion>> ProposeFusions(const Graph& graph,
                                                   absl::Span<const std::optional<KernelSpec>> specs);

// The graph that `author` makes, with these proposals. The author appends to `specs` what the ops run that it adds, op
// by op; it is called twice, each time with an empty list, and does the same. ERRORS: those of Build() and of
// ProposeFusions().
using GraphAuthor = absl::FunctionRef<void(GraphBuilder& builder, std::vector<std::optional<KernelSpec>>& specs)>;
absl::StatusOr<Graph> BuildWithFusions(absl::string_view name, GraphAuthor author);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_PROPOSE_FUSIONS_H_
