// Plans of sets of optional groups: each is made once, and the best is kept.
//
// Better is, in this order: more benefit, but for rounding; what the objective has least of; fewer groups that are
// worth nothing or less; the groups that are listed earlier.
//
// Groups that share an op with a required one are never in a set. THREADS: no shared state. LIFETIME: refers to the
// graph.
#ifndef BUFPLAN_PLANNER_FUSION_GROUP_TRIALS_H_
#define BUFPLAN_PLANNER_FUSION_GROUP_TRIALS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "planner/fusion/plan_groups.h"
#include "planner/options.h"

namespace bufplan {

// The benefit as the author gives it, cut to what can be summed up.
double BenefitOf(const Fusion& fusion);
// a < b by more than rounding.
bool ClearlyLess(double a, double b);

class GroupTrials {
 public:
  using Set = std::vector<FusionId>;  // ascending, no two share an op
  struct Trial {
    absl::Status status;
    int64_t bytes = 0, moved_bytes = 0;
  };

  GroupTrials(const Graph& graph, const PlanOptions& options);

  // Optional groups that can be fused as far as the required ones are concerned.
  const Set& candidates() const { return candidates_; }
  // A required group that shares an op with f.
  std::optional<FusionId> RequiredOver(FusionId f) const;
  double Benefit(const Set& set) const;
  // The required groups and these.
  Set WithRequired(const Set& set) const;

  // Makes the plan unless it was made before.
  const Trial& Try(const Set& set);
  // The one made before; null if none was.
  const Trial* Find(const Set& set) const;
  int64_t plans() const { return static_cast<int64_t>(trials_.size()); }
  // No later plan is kept.
  void Freeze() { frozen_ = true; }

  bool found() const { return best_.has_value(); }
  const Set& best_set() const { return best_set_; }
  GroupPlan& best() { return *best_; }

 private:
  bool Better(const Set& set, const GroupPlan& plan) const;

  const Graph& g_;
  const PlanOptions& options_;
  Set required_, candidates_;
  std::vector<int32_t> required_of_op_;  // empty: none is required
  std::map<Set, Trial> trials_;
  std::optional<GroupPlan> best_;
  Set best_set_;
  int64_t edges_work_;  // what is left
  bool frozen_ = false;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_GROUP_TRIALS_H_
