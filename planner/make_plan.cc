#include "planner/make_plan.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "planner/assemble.h"
#include "planner/order/schedule.h"
#include "planner/reuse/reuse_edges.h"

namespace bufplan {
namespace {

absl::Status CheckOwnPlan(const Graph& graph, const Plan& plan) {
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan);
  if (!report.ok()) return absl::Status(report.status().code(), absl::StrCat("checker: ", report.status().message()));
  if (report->ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the plan failed the checker (", ToString(report->violations[0].kind),
                                          "): ", report->violations[0].message));
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const Graph& graph, const PlanOptions& options) {
  if (options.capacity_bytes.has_value() && *options.capacity_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("capacity=", *options.capacity_bytes, ", must be >= 0"));
  }
  if (options.work_limit < 0) {
    return absl::InvalidArgumentError(absl::StrCat("work limit=", options.work_limit, ", must be >= 0"));
  }
  std::vector<FusionId> fused;
  for (size_t i = 0; i < graph.fusions().size(); ++i) {
    if (graph.fusions()[i].required) fused.push_back(FusionId(static_cast<int32_t>(i)));
  }
  absl::StatusOr<Schedule> schedule = Schedule::Create(graph, fused);
  if (!schedule.ok()) return schedule.status();
  absl::StatusOr<Candidate> best = ChooseWithReuseEdges(graph, *schedule, options);
  if (!best.ok()) return best.status();
  absl::StatusOr<Plan> plan = AssemblePlan(graph, best->OrderedBy(*schedule), best->uses, std::move(best->sharing),
                                           best->live, best->problems, best->placements, best->bought);
  if (!plan.ok()) return plan;
  constexpr const char* kEfforts[] = {"fast", "default", "max"};
  plan->options.emplace_back("effort", kEfforts[static_cast<size_t>(options.effort)]);
  if (options.objective == Objective::kCopies) plan->options.emplace_back("objective", "copies");
  if (options.capacity_bytes.has_value()) plan->options.emplace_back("capacity", absl::StrCat(*options.capacity_bytes));
  if (options.reuse_edges == ReuseEdges::kAllow) plan->options.emplace_back("reuse_edges", "allow");
  if (options.work_limit > 0) plan->options.emplace_back("work_limit", absl::StrCat(options.work_limit));
  if (options.check) {
    if (absl::Status s = CheckOwnPlan(graph, *plan); !s.ok()) return s;
  }
  return plan;
}

}  // namespace bufplan
