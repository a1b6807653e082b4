// Whether a plan can be a plan of the graph at all: as many values, and spaces, ops and fusions that exist.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_PLAN_SHAPE_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_PLAN_SHAPE_H_

#include "absl/status/status.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::runtime {

// ERRORS: InvalidArgument. COST: O(plan).
absl::Status CheckPlanShape(const Graph& graph, const Plan& plan);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_PLAN_SHAPE_H_
