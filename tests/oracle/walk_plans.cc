#include "tests/oracle/walk_plans.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/random.h"

namespace bufplan {

std::string VisitedPlan::Text() const {
  return absl::StrCat(graph.name(), " step ", step, ", ", mutant.what, "\n", DumpGraph(graph),
                      DumpPlan(graph, mutant.plan));
}

void WalkPlans(const Graph& graph, uint64_t seed, int steps, const std::function<void(const VisitedPlan&)>& visit) {
  Rng rng(seed);
  std::vector<FusionId> fuse;
  for (size_t f = 0; f < graph.fusions().size(); ++f) {
    if (rng.Percent(50)) fuse.push_back(FusionId(static_cast<int32_t>(f)));
  }
  Plan plan = NaivePlan(graph, fuse);
  for (int step = 0; step <= steps; ++step) {
    std::optional<Mutant> mutant = step == 0 ? Mutant{plan, "naive"} : Mutate(graph, plan, rng);
    if (!mutant.has_value()) continue;
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, mutant->plan);
    ASSERT_TRUE(report.ok()) << report.status();
    const VisitedPlan visited = {graph, step, *mutant, *report};
    ASSERT_TRUE(report->ok() || step > 0) << report->violations[0].message << " " << visited.Text();
    visit(visited);
    if (testing::Test::HasFatalFailure()) return;
    if (report->ok()) plan = std::move(mutant->plan);
  }
}

}  // namespace bufplan
