// Optional fusion groups: which are fused, and what each costs.
//
// Required groups are fused. Of the others that set is fused which has the largest total benefit among the sets of
// groups that share no op with each other or with a required one and of which a plan can be made: within the
// capacities, and with keep-alives, ownership, pins and `elide` as the graph demands. Among sets of equal benefit the
// one is taken that the objective likes best, so a group of benefit 0 is fused only if that saves bytes; one of
// negative benefit only if the graph does not fit otherwise.
//
// A group costs what the plan needs more with it than without it, everything else as chosen: groups that overlap one
// which was left separate make room for it. A saving is a negative cost. How it is found depends on the work:
//
//   plans      one plan per group, at the same effort        small graphs, few groups
//   loads      the bytes live at once, nothing is placed     up to 50,000 ops in all; and of what does not fit:
//                                                            "cost by bytes live at once"
//   estimates  from the live ranges of the chosen plan       what is left, and effort fast: "cost estimated"
//              (see load_change.h)
//
// From options.deadline on all are estimates. `why` says which. A required group, one that overlaps one, and one that
// no plan can have, have no cost: 0.
//
// ERRORS: those of MakePlan() without any optional group, but for the checker; a graph of which no tried set can be
// planned. TIES: see group_trials.h. COST: without optional groups one plan. THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_FUSION_CHOOSE_GROUPS_H_
#define BUFPLAN_PLANNER_FUSION_CHOOSE_GROUPS_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "planner/fusion/plan_groups.h"
#include "planner/options.h"

namespace bufplan {

struct GroupChoice {
  Plan plan;                               // complete but for its options; not checked
  bool exact = true;                       // no other set is better
  int64_t plans = 0;                       // how many were made
  std::shared_ptr<PlacedStorages> placed;  // see GroupPlan
};

absl::StatusOr<GroupChoice> ChooseGroups(const Graph& graph, const PlanOptions& options);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_CHOOSE_GROUPS_H_
