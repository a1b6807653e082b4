// Which values may be written into a variable's storage: those that what is committed to it is made of, by bases and by
// data movements, not by what opaque ops compute.
//
// COST: a question costs the part of the lineage that no earlier question about that variable has walked.
#ifndef BUFPLAN_IR_CHECKER_LINEAGE_H_
#define BUFPLAN_IR_CHECKER_LINEAGE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::checker {

class Lineage {
 public:
  explicit Lineage(const Graph& graph) : graph_(graph) {}
  bool Contains(ValueId variable, ValueId value);

 private:
  struct Walk {
    absl::flat_hash_set<int32_t> seen;
    std::vector<ValueId> open;
  };
  const Graph& graph_;
  absl::flat_hash_map<int32_t, Walk> walks_;  // by variable
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_LINEAGE_H_
