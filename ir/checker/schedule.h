// What executes and in which order: the ops of a graph with the plan's fused groups contracted, happens-before of them,
// and which of them the plan marks as elided.
//
//   ops    a   b   c   d        group {a, c}: node 1 stands at c's place
//   nodes      0   1   2
//
// Happens-before is made here anew from the graph's ops and order edges and the plan's edges; of what the graph's
// builder derived, only the place of a group is used, and that it is one is found here.
//
// COST: O(ops + uses), plus the relation's own cost (ir/happens_before.h) if several streams have ops.
// THREADS: const use by any number. LIFETIME: graph and plan outlive this.
#ifndef BUFPLAN_IR_CHECKER_SCHEDULE_H_
#define BUFPLAN_IR_CHECKER_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/checker/memory_map.h"
#include "ir/checker/reporter.h"
#include "ir/graph.h"
#include "ir/id.h"
#include "ir/plan.h"

namespace bufplan::checker {

// Ops that move bytes from one value to another. A view is none: it never executes.
inline bool IsMovement(OpKind kind) {
  return kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier && kind != OpKind::kView;
}

class Schedule {
 public:
  // Reports groups that may not be fused as the plan has it, contradicting marks, and cycles; see cyclic().
  // ERRORS: those of HappensBefore::Create but for cycles.
  static absl::StatusOr<Schedule> Create(const Graph& graph, const Plan& plan, Reporter& reporter);

  // There is no order: nothing can be said of what reads find.
  bool cyclic() const { return cyclic_; }
  int32_t num_nodes() const { return static_cast<int32_t>(first_member_.size()) - 1; }
  // Each after all that happen before it.
  absl::Span<const int32_t> visit_order() const { return visit_order_; }
  const Order& order() const { return order_; }

  absl::Span<const OpId> members(int32_t node) const {
    const size_t begin = static_cast<size_t>(first_member_[static_cast<size_t>(node)]);
    const size_t end = static_cast<size_t>(first_member_[static_cast<size_t>(node) + 1]);
    return absl::MakeConstSpan(members_).subspan(begin, end - begin);
  }
  // The fused group that the node is; absent: a lone op.
  std::optional<FusionId> fusion(int32_t node) const {
    const int32_t f = any_fused_ ? fusion_[static_cast<size_t>(node)] : -1;
    return f < 0 ? std::nullopt : std::optional<FusionId>(FusionId(f));
  }
  int32_t node_of(OpId o) const { return node_of_[o.index()]; }
  // kStart for values that are there at the start.
  int32_t producer_node(ValueId v) const {
    const std::optional<OpId> producer = graph_->producer(v);
    return producer.has_value() ? node_of(*producer) : kStart;
  }
  bool any_fused() const { return any_fused_; }
  // A fused group makes v and nobody else uses it: v has no bytes.
  bool swallowed(ValueId v) const { return any_fused_ && swallowed_[v.index()]; }

  // The plan marks the op, a data movement outside of fused groups, as elided: nothing of it executes.
  bool elided(OpId o) const { return !elided_.empty() && elided_[o.index()]; }

  // `op "upd"`, `fusion "f1"`, `the start` or `the end`.
  std::string NodeText(int32_t node) const;

 private:
  Schedule() = default;
  void Contract(const Plan& plan, Reporter& reporter);
  void FindSwallowed();
  void FindElided(const Plan& plan, Reporter& reporter);
  std::vector<HappensBefore::Edge> DataEdges() const;
  absl::Status Relate(const Plan& plan, Reporter& reporter);
  void RelateTotal(const Plan& plan, Reporter& reporter);

  const Graph* graph_ = nullptr;
  bool cyclic_ = false;
  bool any_fused_ = false;
  std::vector<OpId> members_;          // by node
  std::vector<int32_t> first_member_;  // by node, and one more
  std::vector<int32_t> fusion_;        // by node, if any_fused_
  std::vector<int32_t> node_of_;       // by op
  std::vector<bool> swallowed_;        // by value, if any_fused_
  std::vector<bool> elided_;           // by op, or empty: none is
  std::vector<int32_t> visit_order_;
  Order order_;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_SCHEDULE_H_
