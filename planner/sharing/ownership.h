// Who may write into storage that the caller owns.
//
// Constants and borrowed externals: nobody. Donated externals: anybody. A variable: only its lineage, the values whose
// content flows into its commit by base edges and data movements.
#ifndef BUFPLAN_PLANNER_SHARING_OWNERSHIP_H_
#define BUFPLAN_PLANNER_SHARING_OWNERSHIP_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

class Ownership {
 public:
  explicit Ownership(const Graph& graph) : graph_(&graph) {}

  // Why `value` may not be written into the storage of `owner`; nullopt if it may.
  // COST: the first question about a variable walks its lineage once.
  std::optional<Why> Refuses(ValueId owner, ValueId value);

 private:
  const absl::flat_hash_set<int32_t>& LineageOf(ValueId variable);

  const Graph* graph_;
  absl::flat_hash_map<int32_t, absl::flat_hash_set<int32_t>> lineage_;  // by variable
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_OWNERSHIP_H_
