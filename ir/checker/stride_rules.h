// Which values may lie strided: those that only data movements and ops with `strides_ok` ever touch.
#ifndef BUFPLAN_IR_CHECKER_STRIDE_RULES_H_
#define BUFPLAN_IR_CHECKER_STRIDE_RULES_H_

#include <vector>

#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::checker {

// By value, whether it lies strided in the plan although it may not; each of these is reported with the reason. COST:
// O(values + ops + uses).
std::vector<bool> FindForbiddenStrides(const Graph& graph, const Plan& plan, const Schedule& schedule,
                                       Reporter& reporter);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_STRIDE_RULES_H_
