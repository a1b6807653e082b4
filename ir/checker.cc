#include "ir/checker.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/checker/claims.h"
#include "ir/checker/interval_check.h"
#include "ir/checker/layout.h"
#include "ir/checker/memories.h"
#include "ir/checker/replay.h"
#include "ir/checker/reporter.h"
#include "ir/checker/schedule.h"
#include "ir/checker/shape.h"
#include "ir/checker/symbol_tuples.h"

namespace bufplan {
namespace {

// Strided boxes of more runs than this are taken coarsely where that suffices.
constexpr int64_t kMaxExactRuns = 32;

absl::StatusOr<checker::SymbolTuples> Tuples(const Graph& graph, const CheckOptions& options) {
  if (!options.symbol_values.has_value()) return checker::ChooseSymbolTuples(graph.symbols());
  const std::vector<int64_t>& values = *options.symbol_values;
  if (values.size() != graph.symbols().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(values.size(), " symbol values, the graph has ", graph.symbols().size(), " symbols"));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Symbol& s = graph.symbols()[i];
    if (checker::IsValueOf(s, values[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("symbol \"", s.name, "\": value=", values[i], ", must be in ", s.min,
                                                   "..", s.max, " and a multiple of ", s.multiple_of));
  }
  return checker::SymbolTuples{{values}, true};
}

absl::Status CheckAt(const Graph& graph, const Plan& plan, const checker::Schedule& schedule,
                     const checker::Memories& memories, absl::Span<const int64_t> symbol_values,
                     checker::Reporter& reporter) {
  absl::StatusOr<checker::Layout> layout =
      checker::MakeLayout(graph, plan, schedule, memories, symbol_values, kMaxRuns, reporter);
  if (!layout.ok()) return layout.status();
  checker::CheckChunkSizes(graph, plan, memories, *layout, reporter);
  if (schedule.cyclic() || reporter.full()) return absl::OkStatus();
  const absl::StatusOr<checker::Movements> movements =
      checker::Replay(graph, plan, schedule, memories, *layout, symbol_values, {kMaxRuns, kMaxExactRuns}, reporter);
  if (!movements.ok()) return movements.status();
  if (!reporter.full()) checker::CheckMovements(graph, plan, schedule, *movements, reporter);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CheckReport> CheckPlan(const Graph& graph, const Plan& plan, const CheckOptions& options) {
  if (absl::Status s = checker::CheckShape(graph, plan); !s.ok()) return s;
  const absl::StatusOr<checker::SymbolTuples> tuples = Tuples(graph, options);
  if (!tuples.ok()) return tuples.status();
  checker::Reporter reporter(graph, std::max(options.max_violations, 1));
  const absl::StatusOr<checker::Schedule> schedule = checker::Schedule::Create(graph, plan, reporter);
  if (!schedule.ok()) return schedule.status();
  checker::CheckArenas(graph, plan, reporter);
  const checker::Memories memories(graph, plan);

  CheckReport report;
  report.exact = tuples->all;
  report.symbol_tuples = 0;
  for (const std::vector<int64_t>& tuple : tuples->tuples) {
    ++report.symbol_tuples;
    reporter.SetSymbols(tuple);
    if (absl::Status s = CheckAt(graph, plan, *schedule, memories, tuple, reporter); !s.ok()) return s;
    if (!reporter.empty()) break;
  }
  report.violations = std::move(reporter).Take();
  return report;
}

absl::StatusOr<CheckReport> CheckProblemPlan(const Problem& problem, const ProblemPlan& plan) {
  absl::StatusOr<std::vector<Violation>> violations =
      checker::CheckIntervals(problem, plan, CheckOptions().max_violations);
  if (!violations.ok()) return violations.status();
  CheckReport report;
  report.violations = *std::move(violations);
  return report;
}

}  // namespace bufplan
