#include "planner/make_plan.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "planner/fusion/choose_groups.h"

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
  absl::StatusOr<GroupChoice> choice = ChooseGroups(graph, options);
  if (!choice.ok()) return choice.status();
  Plan plan = std::move(choice->plan);
  constexpr const char* kEfforts[] = {"fast", "default", "max"};
  plan.options.emplace_back("effort", kEfforts[static_cast<size_t>(options.effort)]);
  if (options.objective == Objective::kCopies) plan.options.emplace_back("objective", "copies");
  if (options.capacity_bytes.has_value()) plan.options.emplace_back("capacity", absl::StrCat(*options.capacity_bytes));
  if (options.work_limit > 0) plan.options.emplace_back("work_limit", absl::StrCat(options.work_limit));
  if (options.check) {
    if (absl::Status s = CheckOwnPlan(graph, plan); !s.ok()) return s;
  }
  return plan;
}

}  // namespace bufplan
