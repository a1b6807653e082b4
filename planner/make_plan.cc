#include "planner/make_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "planner/candidate.h"
#include "planner/fusion/choose_groups.h"

namespace bufplan {
namespace {

// Ops that are checked, all checks together, to find out which added edges are needed.
constexpr size_t kMaxCheckedOps = 4'000'000;

absl::Status CheckOwnPlan(const Graph& graph, const Plan& plan) {
  const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan);
  if (!report.ok()) return absl::Status(report.status().code(), absl::StrCat("checker: ", report.status().message()));
  if (report->ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the plan failed the checker (", ToString(report->violations[0].kind),
                                          "): ", report->violations[0].message));
}

// Whether the stages may hold more for a use or a write than is used or written: bytes that a copy leaves undefined, a
// base that is carried, a value in strides, what a fused group reads for a result that nobody reads.
bool MayHoldMore(const Graph& graph, const Plan& plan) {
  const auto undefined = [&](const Op& op) {
    const bool partial = op.kind == OpKind::kFill || op.kind == OpKind::kCopy;
    return partial && !graph.writes(op)[0].base.has_value();
  };
  return std::any_of(graph.ops().begin(), graph.ops().end(), undefined) ||
         std::any_of(plan.fused.begin(), plan.fused.end(), [](const FusionDecision& f) { return f.fused; }) ||
         std::any_of(plan.notes.begin(), plan.notes.end(), [](const Note& n) { return n.why == Why::kCarried; }) ||
         std::any_of(plan.locations.begin(), plan.locations.end(),
                     [](const Location& l) { return l.strides != nullptr; });
}

// Takes away added edges without which the checker accepts the plan all the same: those to commits, and all of them
// where the stages may hold more than is there; else each has been found to be needed. With symbols the checker tries
// samples only, which proves nothing.
absl::Status DropNeedlessEdges(const Graph& graph, Plan& plan) {
  const size_t most = kMaxCheckedOps / (graph.ops().size() + 1);
  if (!graph.symbols().empty() || plan.added_order.size() > most) return absl::OkStatus();
  const bool all = MayHoldMore(graph, plan);
  for (size_t i = plan.added_order.size(); i-- > 0;) {
    if (!all && graph.op(plan.added_order[i].after).kind != OpKind::kCommit) continue;
    AddedEdge edge = std::move(plan.added_order[i]);
    const auto at = [&] { return plan.added_order.begin() + static_cast<std::ptrdiff_t>(i); };
    plan.added_order.erase(at());
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, plan);
    if (!report.ok()) return report.status();
    if (!report->ok()) plan.added_order.insert(at(), std::move(edge));
  }
  return absl::OkStatus();
}

// Edges for room come after groups: a group that fits only with an edge is left separate.
absl::StatusOr<GroupChoice> Choose(const Graph& graph, const PlanOptions& options) {
  if (options.reuse_edges != ReuseEdges::kIfShort) return ChooseGroups(graph, options);
  PlanOptions without = options;
  without.reuse_edges = ReuseEdges::kNever;
  absl::StatusOr<GroupChoice> choice = ChooseGroups(graph, without);
  const bool one_stream = graph.happens_before().total_order_by_list();
  if (choice.ok() || one_stream || !IsOutOfMemory(choice.status())) return choice;
  return ChooseGroups(graph, options);
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const Graph& graph, const PlanOptions& options) {
  if (options.capacity_bytes.has_value() && *options.capacity_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("capacity=", *options.capacity_bytes, ", must be >= 0"));
  }
  if (options.work_limit < 0) {
    return absl::InvalidArgumentError(absl::StrCat("work limit=", options.work_limit, ", must be >= 0"));
  }
  absl::StatusOr<GroupChoice> choice = Choose(graph, options);
  if (!choice.ok()) return choice.status();
  Plan plan = std::move(choice->plan);
  if (absl::Status s = DropNeedlessEdges(graph, plan); !s.ok()) return s;
  constexpr const char* kEfforts[] = {"fast", "default", "max"};
  plan.options.emplace_back("effort", kEfforts[static_cast<size_t>(options.effort)]);
  if (options.objective == Objective::kCopies) plan.options.emplace_back("objective", "copies");
  if (options.capacity_bytes.has_value()) plan.options.emplace_back("capacity", absl::StrCat(*options.capacity_bytes));
  constexpr const char* kReuseEdges[] = {"never", "if-short", "allow"};
  if (options.reuse_edges != ReuseEdges::kIfShort) {
    plan.options.emplace_back("reuse_edges", kReuseEdges[static_cast<size_t>(options.reuse_edges)]);
  }
  if (options.work_limit > 0) plan.options.emplace_back("work_limit", absl::StrCat(options.work_limit));
  if (options.check) {
    if (absl::Status s = CheckOwnPlan(graph, plan); !s.ok()) return s;
  }
  return plan;
}

}  // namespace bufplan
