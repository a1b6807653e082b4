// Which fused kernel does what a group of ops does.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_GROUP_MATCH_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_GROUP_MATCH_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gpu_runtime/registry/fused_definition.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "gpu_runtime/registry/value_uses.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::runtime {

struct GroupMatch {
  const FusedDefinition* definition = nullptr;
  std::vector<ChainMember> chain = {};  // refers to `bound`
};

// Absent: no kernel does; then some op has no kernel, their names make no fused kernel, a member does not read the
// first result of the one before, whole and once, a value between is used outside and cannot be written, or parameters
// do not fit together. `ops`: ascending; `bound`: by OpId.
std::optional<GroupMatch> MatchGroup(const Graph& graph, const ValueUses& uses,
                                     absl::Span<const std::optional<BoundOp>> bound, absl::Span<const OpId> ops);

// Whether the kernel lets a result of the group lie on a value that the group reads: in every slot in which it does.
bool MayLieOn(const Graph& graph, absl::Span<const OpId> ops, const GroupMatch& match, const FusionInPlace& place);

// All that it lets.
std::vector<FusionInPlace> InPlaceOf(const Graph& graph, const ValueUses& uses, absl::Span<const OpId> ops,
                                     const GroupMatch& match);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_GROUP_MATCH_H_
