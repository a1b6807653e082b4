#include "tests/planner/exhaustive/judge.h"

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "tests/oracle/oracle.h"

namespace bufplan {

Verdict Judge(const Graph& graph, const Plan& plan) {
  Verdict verdict;
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan);
  if (!report.ok()) {
    verdict.text = report.status().ToString();
  } else if (!report->ok()) {
    verdict.text = absl::StrCat(ToString(report->violations[0].kind), ": ", report->violations[0].message);
  } else {
    verdict.accepted = true;
  }
  const absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(graph, plan, {}, /*seed=*/1, /*interleavings=*/1);
  if (!d.ok()) {
    absl::StrAppend(&verdict.text, " | ", d.status().ToString());
  } else if (d->has_value()) {
    absl::StrAppend(&verdict.text, " | ", (*d)->text);
  } else {
    verdict.runs = true;
  }
  return verdict;
}

}  // namespace bufplan
