// Rule 2 of docs/design.md: what one node writes meets what it reads only as declared, and nothing else it writes.
//
// COST: O(reads * writes) where that is small, else O((runs + pairs that meet) log).
#ifndef BUFPLAN_IR_CHECKER_OWN_CONFLICTS_H_
#define BUFPLAN_IR_CHECKER_OWN_CONFLICTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/checker/gatherer.h"
#include "ir/checker/layout.h"
#include "ir/checker/memories.h"
#include "ir/checker/nest.h"
#include "ir/checker/reporter.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan::checker {

class OwnConflicts {
 public:
  // Looks at no more runs of strided values than the budget allows. LIFETIME: the arguments outlive this.
  OwnConflicts(const Graph& graph, const Layout& layout, const Memories& memories, RunBudget* budget,
               Reporter& reporter)
      : graph_(graph), layout_(layout), memories_(memories), budget_(budget), reporter_(reporter) {}

  // `reads` and `writes` are those of one node, `fusion` the group that it is; gatherer has their runs.
  void Check(const Gatherer& gatherer, std::optional<FusionId> fusion, const std::vector<Access>& reads,
             const std::vector<Access>& writes);

 private:
  // A run of an access, as addresses.
  struct Item {
    int32_t memory;
    ByteRange range;
    uint32_t access;
    bool write;
  };

  void CheckCarried(const Access& read);
  void CheckReadWrite(const Access& read, const Access& write);
  void CheckWriteWrite(const Access& a, const Access& b);
  void Sweep(const std::vector<Access>& reads, const std::vector<Access>& writes);
  bool Permitted(const Access& read, const Access& write) const;
  bool Rewrites(ValueId result, ValueId base) const;
  std::optional<ByteRange> Meet(const Access& a, const Access& b);
  // The runs of an access as ascending addresses, from `base` on.
  absl::Span<const ByteRange> Runs(const Access& a, int64_t& base);
  std::string Text(const Access& a) const;

  const Graph& graph_;
  const Layout& layout_;
  const Memories& memories_;
  RunBudget* budget_;
  Reporter& reporter_;
  const Gatherer* gatherer_ = nullptr;
  std::optional<FusionId> fusion_;
  absl::flat_hash_map<const Access*, std::vector<ByteRange>> strided_;  // runs of those that were asked for
  std::vector<Item> items_;
  std::vector<size_t> open_reads_, open_writes_;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_OWN_CONFLICTS_H_
