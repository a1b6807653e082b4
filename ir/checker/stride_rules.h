// Which values may lie strided: those that only data movements and ops with `strides_ok` ever touch.
#ifndef BUFPLAN_IR_CHECKER_STRIDE_RULES_H_
#define BUFPLAN_IR_CHECKER_STRIDE_RULES_H_

#include <vector>

#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::checker {

// The values, by index, that lie strided in the plan although they may not; each is reported with the reason. Empty:
// none lies strided at all. COST: O(values), and O(ops + uses) if one does.
std::vector<bool> FindForbiddenStrides(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                       Reporter& reporter);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_STRIDE_RULES_H_
