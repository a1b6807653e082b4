// Who uses a value, besides the one who makes it.
#ifndef BUFPLAN_GPU_RUNTIME_REGISTRY_VALUE_USES_H_
#define BUFPLAN_GPU_RUNTIME_REGISTRY_VALUE_USES_H_

#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::runtime {

// LIFETIME: independent of the graph. COST: O(uses) to make.
class ValueUses {
 public:
  explicit ValueUses(const Graph& graph);

  // Ops that read the value or have it as a base, ascending, without repetition.
  absl::Span<const OpId> users(ValueId v) const { return users_[v.index()]; }
  // Whether other ops than these use it, or it is an output or kept alive. `ops`: ascending.
  bool OutsideOf(absl::Span<const OpId> ops, ValueId v) const;

 private:
  std::vector<std::vector<OpId>> users_;
  std::vector<bool> kept_;  // an output, or kept alive
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_REGISTRY_VALUE_USES_H_
