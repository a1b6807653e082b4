// Who needs which bytes of a value, and until when: every use of every value, with views resolved.
//
// A *root* is a value with bytes of its own; a view is an alias of a range of its root's bytes, and a use of the view
// is a use of the root. Uses are not reads alone: an output is used at the end, a kept-alive value by the op it is kept
// for, a base by the op that overwrites part of it.
//
// COST: O(values + uses). THREADS: immutable. LIFETIME: refers to the graph and the schedule.
#ifndef BUFPLAN_PLANNER_LIVENESS_USES_H_
#define BUFPLAN_PLANNER_LIVENESS_USES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "planner/order/schedule.h"

namespace bufplan {

enum class UseKind : uint8_t {
  kRead,       // by an op (`read` is its index in the op's reads)
  kBase,       // by an op whose result has this value as its base (`read` is the index of the write)
  kKeepAlive,  // untouched until the unit at `time` is done
  kEnd         // intact at the end
};

struct Use {
  int32_t time = 0;  // of the unit, or Schedule::End()
  int32_t op = -1;   // of the reader (kRead, kBase, kKeepAlive)
  uint32_t read = 0;
  UseKind kind = UseKind::kRead;
  ValueId through;  // the value that was named: the root or a view of it
  ByteRange range;  // of the root: no byte outside is used for any symbol values
};

class Uses {
 public:
  Uses(const Graph& graph, const Schedule& schedule);

  ValueId root(ValueId v) const { return root_.empty() ? v : root_[v.index()]; }
  bool is_root(ValueId v) const { return root(v) == v; }
  // Where the view v begins in its root; 0 for a root.
  Expr offset(ValueId v) const { return offset_.empty() ? Expr(0) : offset_[v.index()]; }
  // The bytes of the root that v may occupy.
  ByteRange range(ValueId v) const {
    return root_.empty() ? ByteRange{0, graph_->value(v).max_bytes} : range_[v.index()];
  }
  // All uses of the root's bytes, in no particular order.
  absl::Span<const Use> of(ValueId root) const {
    return absl::MakeConstSpan(uses_).subspan(begin_[root.index()], begin_[root.index() + 1] - begin_[root.index()]);
  }
  // The bytes of its root that a use reads, as a region of the root; for proofs.
  Region RegionOf(const Use& use) const;

 private:
  void ResolveViews(const Schedule& schedule);

  const Graph* graph_;
  std::vector<ValueId> root_;  // by value; these three are empty if there are no views
  std::vector<Expr> offset_;
  std::vector<ByteRange> range_;
  std::vector<uint32_t> begin_;  // by value, into uses_
  std::vector<Use> uses_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_USES_H_
