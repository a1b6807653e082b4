// Sets of groups of which no two share an op, those of most benefit first.
//
// Groups that overlap, directly or by way of others, make up a component. Components do not concern each other: a set
// of groups is one choice per component.
//
//   ops      0  1  2  3  4  5  6
//   groups   [a b c]                components {abc, ab, cd}  and  {fg}
//            [a b]
//                  [c d]            their choices: abc | ab+cd | ab | cd | none,   fg | none
//                        [f g]
//
// A small component's choices are all listed. Of a large one there is one choice only, the best that is found by going
// through its groups by first op and remembering, for each combination of chosen groups that reach further, the best
// way there; when there are too many combinations, those of least benefit are forgotten. The combinations of choices
// come out by a heap over components, in order of their sums; see Next().
//
// TIES: fewer groups first, then the smaller indices. COST: a component lists at most `max_choices` sets, all together
// at most 2^18; the nth set costs O(components + log n). THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_FUSION_GROUP_SETS_H_
#define BUFPLAN_PLANNER_FUSION_GROUP_SETS_H_

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/id.h"

namespace bufplan {

struct WeightedGroup {
  std::vector<OpId> ops;  // ascending, not empty
  double benefit = 0;
};

// True if the two have an op in common.
bool ShareAnOp(absl::Span<const OpId> a, absl::Span<const OpId> b);

class GroupSets {
 public:
  struct Set {
    double benefit = 0;
    std::vector<int32_t> groups;  // indices, ascending
  };

  explicit GroupSets(std::vector<WeightedGroup> groups, size_t max_choices = 1024);

  // Of no more benefit than all sets before it, but for rounding; nullopt after the last one.
  std::optional<Set> Next();

  // Next() gives every set there is.
  bool complete() const { return complete_; }
  // The first set is the best there is: no combination was forgotten.
  bool best_is_exact() const { return best_is_exact_; }

 private:
  // The choice with index `choice` in a component, on top of those of `parent`.
  struct Node {
    int32_t parent = -1;
    int32_t component = -1, choice = 0;
  };
  using Entry = std::pair<double, int32_t>;  // sum of benefits, -node

  bool ListChoices(absl::Span<const int32_t> component, size_t max_choices, std::vector<Set>& choices);
  Set BestOf(std::vector<int32_t> component);
  void Push(double sum, Node node);
  double Benefit(int32_t component, int32_t choice) const {
    return components_[static_cast<size_t>(component)][static_cast<size_t>(choice)].benefit;
  }

  std::vector<WeightedGroup> groups_;
  std::vector<std::vector<Set>> components_;  // their choices, best first; by what the second one loses
  std::vector<Node> nodes_;
  std::priority_queue<Entry> heap_;
  bool complete_ = true, best_is_exact_ = true;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_GROUP_SETS_H_
