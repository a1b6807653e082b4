// Which optional groups to fuse: the search for the best set.
//
// Sets of groups that do not overlap are planned from the one of most benefit down. The first benefit at which a plan
// succeeds, within the capacity and with all that the graph demands, is the best there is; all sets of that benefit are
// planned, and the best of them stays (see group_trials.h). So without a capacity that binds there are as many plans as
// there are sets of the most benefit, which is one if all groups have a positive benefit and no two sets are worth the
// same.
//
// Groups that cannot be fused, since they would break a keep-alive or be in a cycle, and pairs that cannot be fused
// together, are found by putting sets in order, before anything is planned; such a pair counts as overlapping.
//
// Where the number of plans or of sets is beyond the limit, the search is greedy: from the set of most benefit and
// from no group at all, groups are added in order of benefit per byte, many at once, and fewer where these do not fit.
//
//   list   a b c d e f g h        fits?  abcdefgh no, abcd yes, +efgh no, +ef yes, +gh no, +g no, +h yes
//
// COST: counted in plans, whose number the effort and the size of the graph limit: at least kMinPlans. Once
// options.deadline has passed the search ends with what it has; without a plan, with the one without groups.
// THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_FUSION_GROUP_SEARCH_H_
#define BUFPLAN_PLANNER_FUSION_GROUP_SEARCH_H_

#include <cstdint>

#include "ir/graph.h"
#include "planner/fusion/group_trials.h"
#include "planner/options.h"

namespace bufplan {

// About how many times one op is planned while a plan is made, times ops.
int64_t PlanWork(const Graph& graph, const PlanOptions& options);
// The same for the load of a plan only (see LoadOfGroups()).
int64_t LoadWork(const Graph& graph);

// Plans that are made to find the best set, at most.
int64_t MaxPlans(const Graph& graph, const PlanOptions& options);

// Leaves the best set in `trials`; if none is found there, no plan with any tried set can be made. True if no set is
// better.
bool SearchGroups(const Graph& graph, const PlanOptions& options, GroupTrials& trials);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_FUSION_GROUP_SEARCH_H_
