#include "planner/make_plan.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ir/checker.h"
#include "planner/candidate.h"
#include "planner/fusion/choose_groups.h"
#include "planner/fusion/group_trials.h"
#include "planner/fusion/plan_groups.h"
#include "planner/reuse/reuse_edges.h"

namespace bufplan {
namespace {

// Ops that are checked, all checks together, to find out which added edges are needed.
constexpr size_t kMaxCheckedOps = 4'000'000;
// Time that is left to check the plan, per op.
constexpr std::chrono::nanoseconds kCheckTime{700};

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
absl::Status DropNeedlessEdges(const Graph& graph, Deadline deadline, Plan& plan) {
  const size_t most = kMaxCheckedOps / (graph.ops().size() + 1);
  if (!graph.symbols().empty() || plan.added_order.size() > most) return absl::OkStatus();
  const bool all = MayHoldMore(graph, plan);
  for (size_t i = plan.added_order.size(); i-- > 0 && !deadline.Passed();) {
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

// The earlier of the two: the moment that is given, and the one at which the time limit is over.
Deadline DeadlineOf(const PlanOptions& options) {
  if (options.time_limit == absl::InfiniteDuration()) return options.deadline;
  const auto now = std::chrono::steady_clock::now();
  const auto longest = absl::FromChrono(options.deadline.at() - now);
  return options.time_limit < longest ? Deadline(now + absl::ToChronoNanoseconds(options.time_limit))
                                      : options.deadline;
}

// Edges for room come after groups: a group that fits only with an edge is left separate.
absl::StatusOr<GroupChoice> Choose(const Graph& graph, const PlanOptions& options) {
  if (options.reuse_edges != ReuseEdges::kIfShort) return ChooseGroups(graph, options);
  PlanOptions without = options;
  without.reuse_edges = ReuseEdges::kNever;
  const bool limited =
      options.capacity_bytes.has_value() || std::any_of(graph.spaces().begin(), graph.spaces().end(),
                                                        [](const Space& s) { return s.capacity_bytes.has_value(); });
  if (limited && !graph.happens_before().total_order_by_list()) without.deadline = options.deadline.Part(3);
  absl::StatusOr<GroupChoice> choice = ChooseGroups(graph, without);
  const bool one_stream = graph.happens_before().total_order_by_list();
  if (choice.ok() || one_stream || !IsOutOfMemory(choice.status())) return choice;
  if (options.deadline.Passed()) return WithoutTrying(choice.status());
  return ChooseGroups(graph, options);
}

// Whether the plan is better: by the benefit of its groups, then as the objective says, then because it is proven to be
// the best for its storages.
bool IsBetter(const Graph& graph, const PlanOptions& options, const Plan& plan, const Plan& other) {
  const auto benefit = [&](const Plan& p) {
    double sum = 0;
    for (const FusionDecision& d : p.fused) {
      const Fusion& fusion = graph.fusions()[d.fusion.index()];
      if (d.fused && !fusion.required) sum += BenefitOf(fusion);
    }
    return sum;
  };
  const double worth = benefit(plan), others = benefit(other);
  if (ClearlyLess(worth, others) || ClearlyLess(others, worth)) return others < worth;
  const auto key = [&](const Plan& p) {
    int64_t bytes = 0;
    for (const Arena& arena : p.arenas) bytes += arena.bytes;
    const int64_t copied = p.stats.bytes_copied;
    const bool copies = options.objective == Objective::kCopies;
    return std::make_tuple(copies ? copied : bytes, copies ? bytes : copied, p.optimal ? 0 : 1);
  };
  return key(plan) < key(other);
}

// Where time is the only limit: as effort default, then with all that effort max tries, each for a limited number of
// steps, so that no single placement takes the time of all others; and what is left goes to the storages that did best.
absl::StatusOr<GroupChoice> ChooseUntilDeadline(const Graph& graph, const PlanOptions& options) {
  constexpr int64_t kStepsPerWay = 10'000'000, kStepsPerOp = 20'000;
  PlanOptions step = options;
  step.effort = Effort::kDefault;
  absl::StatusOr<GroupChoice> best = Choose(graph, step);
  const auto is_over = [&] { return options.deadline.Passed() || (!best.ok() && !IsOutOfMemory(best.status())); };
  if (is_over()) return best;
  step.effort = Effort::kMax;
  step.work_limit = kStepsPerWay + kStepsPerOp * static_cast<int64_t>(graph.ops().size());
  step.deadline = options.deadline.Part(2);
  absl::StatusOr<GroupChoice> other = Choose(graph, step);
  if (!best.ok() || (other.ok() && IsBetter(graph, options, other->plan, best->plan))) best = std::move(other);
  if (is_over()) return best;
  if (!best.ok()) return absl::IsDeadlineExceeded(best.status()) ? Choose(graph, options) : std::move(best);
  PlaceAgain(graph, options, *best->placed, best->plan);
  return best;
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const Graph& graph, const PlanOptions& options) {
  if (options.capacity_bytes.has_value() && *options.capacity_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("capacity=", *options.capacity_bytes, ", must be >= 0"));
  }
  if (options.work_limit < 0) {
    return absl::InvalidArgumentError(absl::StrCat("work limit=", options.work_limit, ", must be >= 0"));
  }
  if (!(options.time_limit > absl::ZeroDuration())) {
    return absl::InvalidArgumentError(
        absl::StrCat("time limit=", absl::FormatDuration(options.time_limit), ", must be > 0"));
  }
  PlanOptions timed = options;
  timed.deadline = DeadlineOf(options);
  if (options.check) timed.deadline = timed.deadline.LessTime(kCheckTime * static_cast<int64_t>(graph.ops().size()));
  const bool only_time = timed.effort == Effort::kMax && timed.work_limit == 0 && !timed.deadline.never();
  absl::StatusOr<GroupChoice> choice = only_time ? ChooseUntilDeadline(graph, timed) : Choose(graph, timed);
  if (!choice.ok()) return choice.status();
  Plan plan = std::move(choice->plan);
  if (absl::Status s = DropNeedlessEdges(graph, timed.deadline, plan); !s.ok()) return s;
  constexpr const char* kEfforts[] = {"fast", "default", "max"};
  plan.options.emplace_back("effort", kEfforts[static_cast<size_t>(options.effort)]);
  if (options.objective == Objective::kCopies) plan.options.emplace_back("objective", "copies");
  if (options.capacity_bytes.has_value()) plan.options.emplace_back("capacity", absl::StrCat(*options.capacity_bytes));
  constexpr const char* kReuseEdges[] = {"never", "if-short", "allow"};
  if (options.reuse_edges != ReuseEdges::kIfShort) {
    plan.options.emplace_back("reuse_edges", kReuseEdges[static_cast<size_t>(options.reuse_edges)]);
  }
  if (options.work_limit > 0) plan.options.emplace_back("work_limit", absl::StrCat(options.work_limit));
  if (options.time_limit != absl::InfiniteDuration()) {
    plan.options.emplace_back("time_limit", absl::StrCat(absl::ToDoubleSeconds(options.time_limit)));
  }
  if (options.check) {
    if (absl::Status s = CheckOwnPlan(graph, plan); !s.ok()) return s;
  }
  return plan;
}

}  // namespace bufplan
