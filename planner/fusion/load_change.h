// How the bytes that are live at once would change if other groups were fused: an estimate, for less than a plan.
//
// Starts from what a plan places: its load over time, a curve per space. Fusing a group moves its members to one
// place, here that of the last; what they read lives to there, what they write begins there, what is used inside only
// goes:
//
//   op       a    b    c    d                 fused {a, d}
//   x     ====                      x      ================    a's operand
//   y        ===========            y                          a's result, read by d only
//   z                    =====      z                   =====
//
// Leaving one separate is the reverse. The differences of these lives are added to the curve, and the change of its
// highest point is the answer. What lies in place of what stays as the plan has it; values that get a life take the
// place of an operand that dies if the author permits it. Sharing that the change makes possible or impossible
// elsewhere is not seen, and neither are alignment and gaps: hence an estimate.
//
// COST: O(values + ops + pieces) to make; a change O((operands of the members) * log ops). THREADS: no shared state;
// one object is for one thread. LIFETIME: refers to graph, schedule and plan.
#ifndef BUFPLAN_PLANNER_FUSION_LOAD_CHANGE_H_
#define BUFPLAN_PLANNER_FUSION_LOAD_CHANGE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/assemble.h"
#include "planner/fusion/range_max.h"
#include "planner/order/schedule.h"

namespace bufplan {

class LoadChange {
 public:
  LoadChange(const Graph& graph, const Schedule& schedule, const Plan& plan, absl::Span<const SpaceProblem> problems);

  // By space: the change of the highest load if `fuse`, a group that is separate now, were fused, and `separate`,
  // groups that are fused now, were not.
  std::vector<int64_t> If(std::optional<FusionId> fuse, absl::Span<const FusionId> separate);

 private:
  // When a value holds bytes, in times of units.
  struct Life {
    int32_t birth = 0, death = 0;
    bool on_operand = false;  // takes over an operand's bytes when it is born
  };
  // A value that a moved op reads or writes. No life: it has no bytes of its own.
  struct Touched {
    ValueId value;
    std::optional<Life> before, after;
  };

  void SortUses();
  // One more than the last op.
  int32_t EndUse() const { return static_cast<int32_t>(moved_to_.size()); }
  bool Moves(int32_t op) const { return op != EndUse() && moved_to_[static_cast<size_t>(op)] >= 0; }
  int32_t TimeOfUse(int32_t op) const { return op == EndUse() ? schedule_.End() : schedule_.TimeOf(OpId(op)); }
  int32_t TimeOf(OpId op, bool after) const {
    return after && Moves(op.value) ? moved_to_[op.index()] : schedule_.TimeOf(op);
  }
  int32_t TimeOnItsOwn(OpId op) const;
  // The fused group that runs the op.
  std::optional<FusionId> GroupOf(OpId op, bool after) const;
  bool InArena(ValueId v) const;
  bool Swallowed(ValueId v, bool after) const;
  std::vector<ValueId> PlacesOf(ValueId v, bool after) const;
  void FindTakenOver(std::vector<Touched>& touched) const;
  std::optional<Life> LifeOf(ValueId v, bool after, absl::Span<const std::pair<ValueId, OpId>> moved_uses) const;
  std::vector<Touched> FindTouched(absl::Span<const OpId> moved) const;
  void Add(ValueId v, const std::optional<Life>& life, int64_t sign);
  void AddScratch(OpId op, int64_t sign);

  const Graph& g_;
  const Schedule& schedule_;
  const Plan& plan_;
  std::vector<ValueId> root_;        // by value: what a view shows
  std::vector<uint32_t> first_use_;  // by root, into uses_; one more at the end
  std::vector<int32_t> uses_;        // ops, or EndUse(); those of one root by time, latest first
  std::vector<char> lasting_;        // by root: an output, or kept alive
  std::vector<RangeMax> load_;       // by space
  // While a change is looked at.
  std::optional<FusionId> fuse_;
  std::vector<int32_t> moved_to_;  // by op: its new time; -1: as it is
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_LOAD_CHANGE_H_
