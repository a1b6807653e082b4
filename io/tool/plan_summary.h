// What `plan` prints: a short table for people, or one line of JSON.
//
// {"status": "optimal", "arenas": [{"space": "device", "bytes": 0, "lower_bound": 0, "optimal": true, "chunks": [0]}],
//  "order_edges_added": 0, "stats": {...}, "seconds": 0.001} with the stats of the plan file.
#ifndef BUFPLAN_IO_TOOL_PLAN_SUMMARY_H_
#define BUFPLAN_IO_TOOL_PLAN_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"
#include "planner/placement/shortfall.h"

namespace bufplan {

struct PlanSummary {
  struct ArenaLine {
    std::string space;
    int64_t bytes = 0, lower_bound = 0;
    bool optimal = false;
    std::vector<int64_t> chunks;
  };
  bool optimal = false;
  std::vector<ArenaLine> arenas;
  bool graph = true;  // a problem has no copies
  PlanStats stats;
  std::string peak_op;                    // empty: none
  std::vector<std::string> live_at_peak;  // names
  std::vector<Symbol> symbols;
  size_t added_edges = 0;  // order edges of the plan
  absl::Duration time;
};

PlanSummary SummaryOf(const Graph& graph, const Plan& plan, absl::Duration time);
PlanSummary SummaryOf(const Problem& problem, const ProblemPlan& plan, absl::Duration time);

std::string SummaryTable(const PlanSummary& summary);
std::string SummaryJson(const PlanSummary& summary);
// What the same line says where there is no plan: "status" is "infeasible", if that is proven, else "gave up".
std::string FailureJson(const Shortfall& shortfall, bool proven, absl::string_view message);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_PLAN_SUMMARY_H_
