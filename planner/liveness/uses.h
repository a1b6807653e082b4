// Who needs which bytes of a value, and until when: every use of every value, with views resolved.
//
// A *root* is a value with bytes of its own; a view is an alias of a range of its root's bytes, and a use of the view
// is a use of the root. Uses are not reads alone: an output is used at the end, a kept-alive value by the op it is kept
// for, a base by the op that overwrites part of it.
//
// A data movement, and a base, use only what their results need in turn, as long as nobody says that the movement
// executes, or that the base is carried: then every byte is used. So what is copied or overwritten in vain is used by
// nobody, and two results may build on one value at different bytes.
//
//   y = x with [0, 4) overwritten, read at [0, 2)      x: no use       (if y lies apart from x: [4, 8) of 8 bytes)
//
// COST: O(values + uses). THREADS: immutable. LIFETIME: refers to the graph and the schedule.
#ifndef BUFPLAN_PLANNER_LIVENESS_USES_H_
#define BUFPLAN_PLANNER_LIVENESS_USES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "planner/liveness/range_set.h"
#include "planner/order/schedule.h"

namespace bufplan {

enum class UseKind : uint8_t {
  kRead,       // by an op (`read` is its index in the op's reads)
  kBase,       // by an op whose result has this value as its base (`read` is the index of the write)
  kKeepAlive,  // untouched until the unit at `time` is done
  kEnd         // intact at the end
};

// Which bytes exactly; `range` holds them all in any case.
enum class Extent : uint8_t {
  kNamed,  // those that the op names: a read's region, else the whole value
  kRange,  // those of `range`
  kBelow,  // of a base: those before / after what is overwritten
  kAbove
};

struct Use {
  int32_t time = 0;  // of the unit, or Schedule::End()
  int32_t op = -1;   // of the reader (kRead, kBase, kKeepAlive)
  uint32_t read = 0;
  UseKind kind = UseKind::kRead;
  Extent extent = Extent::kNamed;
  ValueId through;  // the value that was named: the root or a view of it
  ByteRange range;  // of the root: no byte outside is used for any symbol values
};

class Uses {
 public:
  // `in_full`: by op, whether it uses every byte that it names; absent: all do.
  Uses(const Graph& graph, const Schedule& schedule, const std::vector<char>* in_full = nullptr);

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
  // What the result of a use as a base overwrites, if that is one run at a fixed place; of the root.
  std::optional<ByteRange> Overwrites(const Use& use) const;
  // Nobody needs what the op's part `read` puts into its result. False for ops that use all they name.
  bool Unread(OpId op, uint32_t read) const {
    if (part_.empty()) return false;
    const int32_t i = part_[graph_->op(op).first_read + read];
    return i >= 0 && sets_[static_cast<size_t>(i)].empty();
  }
  // Nobody needs what the result of the op's write takes over from its base.
  bool BaseUnread(OpId op, uint32_t write) const {
    if (base_.empty()) return false;
    const int32_t i = base_[graph_->op(op).first_write + write];
    return i >= 0 && sets_[static_cast<size_t>(i)].empty();
  }

 private:
  void ResolveViews(const Schedule& schedule);
  void FindNeeded(const Schedule& schedule, const std::vector<char>& in_full);
  // Calls f(root, use) for every use in the graph.
  template <class F>
  void ForEachUse(const Schedule& schedule, F f) const;
  template <class F>
  void ForEachUseOf(OpId o, const Schedule& schedule, F f) const;
  template <class F>
  void ForEachBaseUse(OpId o, uint32_t i, const Schedule& schedule, F f) const;
  template <class F>
  void ForEachLastingUse(const Schedule& schedule, F f) const;

  const Graph* graph_;
  std::vector<ValueId> root_;  // by value; these three are empty if there are no views
  std::vector<Expr> offset_;
  std::vector<ByteRange> range_;
  std::vector<uint32_t> begin_;  // by value, into uses_
  std::vector<Use> uses_;
  std::vector<int32_t> part_;   // by read / by write of the graph: the bytes of the source or base that are needed, an
  std::vector<int32_t> base_;   // index into sets_; -1: those that the op names. Empty: all of them
  std::vector<RangeSet> sets_;  // of the root
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_USES_H_
