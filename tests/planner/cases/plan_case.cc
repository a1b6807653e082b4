#include "tests/planner/cases/plan_case.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/expr_proof.h"
#include "planner/make_plan.h"
#include "tests/oracle/concrete.h"
#include "tests/oracle/oracle.h"

namespace bufplan {
namespace {

// The oracle spends a word on every byte, several times over.
constexpr int64_t kMaxOracleBytes = int64_t{1} << 17;
constexpr int kSymbolTuples = 6;
constexpr int kInterleavings = 8;

Symbols Largest(const Graph& graph, const Symbols& symbols) {
  if (!symbols.empty()) return symbols;
  Symbols largest;
  for (const Symbol& s : graph.symbols()) largest.push_back(RangeOf(s)->max);
  return largest;
}

int64_t Sizes(const Graph& graph) {
  int64_t sum = 0;
  for (const Value& v : graph.values()) {
    if (__builtin_add_overflow(sum, v.max_bytes, &sum)) return INT64_MAX;
  }
  return sum;
}

void ExpectRuns(const Graph& graph, const Plan& plan) {
  if (Sizes(graph) > kMaxOracleBytes) return;
  for (const Symbols& symbols : SymbolTuples(graph, kSymbolTuples, /*seed=*/1)) {
    const absl::StatusOr<std::optional<Difference>> difference =
        RunPlannedOften(graph, plan, symbols, /*seed=*/1, graph.num_streams() == 1 ? 1 : kInterleavings);
    ASSERT_TRUE(difference.ok()) << difference.status();
    ASSERT_FALSE(difference->has_value()) << (*difference)->text;
  }
}

// `copies_kept` is no less than what the locations of whole-value copies show.
void ExpectCopiesCounted(const Graph& graph, const Plan& plan) {
  int64_t moved = 0;
  std::vector<bool> elided(graph.ops().size());
  for (const Note& note : plan.notes) {
    if (!note.result.has_value() && note.action == Action::kElided) elided[note.op.index()] = true;
  }
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const Op& op = graph.ops()[i];
    if (elided[i]) continue;
    if (op.kind != OpKind::kClone && op.kind != OpKind::kTransfer && op.kind != OpKind::kCommit) continue;
    const ValueId from = graph.reads(op)[0].value;
    const ValueId to = op.kind == OpKind::kCommit ? *op.commit_target : graph.writes(op)[0].value;
    if (graph.value(from).max_bytes > 0 && plan.location(from).kind != Location::Kind::kNone &&
        !SameStart(graph, plan, from, to)) {
      ++moved;
    }
  }
  EXPECT_GE(plan.stats.copies_kept, moved);
}

// A data movement whose action counts.
bool IsMovement(const Graph& graph, const Plan& plan, OpId o) {
  const OpKind kind = graph.op(o).kind;
  if (kind == OpKind::kCompute || kind == OpKind::kView || kind == OpKind::kFill || kind == OpKind::kBarrier) {
    return false;
  }
  return std::none_of(plan.fused.begin(), plan.fused.end(), [&](const FusionDecision& d) {
    const std::vector<OpId>& ops = graph.fusions()[d.fusion.index()].ops;
    return d.fused && std::find(ops.begin(), ops.end(), o) != ops.end();
  });
}

// Ops without a name have results without one.
std::string ResultName(absl::string_view op) { return op.empty() ? std::string() : absl::StrCat(op, ".out"); }

}  // namespace

ValueId CaseGraph::Op(absl::string_view name, std::vector<Operand> reads, Expr bytes, std::vector<InPlaceOf> in_place,
                      OpOptions options) {
  return Compute(name, {.reads = std::move(reads),
                        .writes = {{.name = ResultName(name), .bytes = bytes, .in_place = in_place}},
                        .options = std::move(options)});
}

OpId CaseGraph::R(absl::string_view name, std::vector<Operand> reads, OpOptions options) {
  Compute(name, {.reads = std::move(reads), .writes = {}, .options = std::move(options)});
  return last_op();
}

OpId CaseGraph::R(absl::string_view name, ValueId value, Expr at, Expr size, OpOptions options) {
  return R(name, {Operand(value, Bytes(std::move(at), std::move(size)))}, std::move(options));
}

ValueId CaseGraph::W(absl::string_view name, ValueId base, Expr at, Expr size, std::vector<Operand> reads,
                     OpOptions options) {
  return Compute(name, {.reads = std::move(reads),
                        .writes = {{.name = ResultName(name),
                                    .bytes = bytes(base),
                                    .base = base,
                                    .region = Bytes(std::move(at), std::move(size))}},
                        .options = std::move(options)});
}

void PlanAtEveryEffort(const Graph& graph, PlanOptions options, absl::FunctionRef<void(const Plan&)> then) {
  for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
    SCOPED_TRACE(effort == Effort::kFast ? "effort fast" : "effort default");
    options.effort = effort;
    options.check = false;
    const absl::StatusOr<Plan> plan = MakePlan(graph, options);
    if (!plan.ok()) {
      ADD_FAILURE() << plan.status();
      continue;
    }
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, *plan);
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      continue;
    }
    for (const Violation& v : report->violations) ADD_FAILURE() << ToString(v.kind) << ": " << v.message;
    ExpectRuns(graph, *plan);
    ExpectCopiesCounted(graph, *plan);
    then(*plan);
  }
}

void CaseGraph::Plan(absl::FunctionRef<void(const Graph&, const bufplan::Plan&)> then) {
  const absl::StatusOr<Graph> graph = std::move(*this).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  PlanAtEveryEffort(*graph, {}, [&](const bufplan::Plan& plan) { then(*graph, plan); });
}

void CaseGraph::PlanEachWay(absl::FunctionRef<void(const Graph&, const bufplan::Plan&)> then) {
  const absl::StatusOr<Graph> graph = std::move(*this).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const Objective objective : {Objective::kMemory, Objective::kCopies}) {
    SCOPED_TRACE(objective == Objective::kMemory ? "least memory" : "fewest copies");
    PlanAtEveryEffort(*graph, {.objective = objective}, [&](const bufplan::Plan& plan) { then(*graph, plan); });
  }
}

absl::Status CaseGraph::PlanRefusal(PlanOptions options) {
  const absl::StatusOr<Graph> graph = std::move(*this).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<bufplan::Plan> plan = MakePlan(*graph, options);
  EXPECT_FALSE(plan.ok()) << "planned, but must be refused";
  return plan.status();
}

absl::Status CaseGraph::BuildRefusal() {
  const absl::StatusOr<Graph> graph = std::move(*this).Build();
  EXPECT_FALSE(graph.ok()) << "built, but must be refused";
  return graph.status();
}

int64_t OffsetOf(const Graph& graph, const Plan& plan, ValueId v, const Symbols& symbols) {
  return plan.location(v).offset_bytes.Evaluate(Largest(graph, symbols)).value_or(-1);
}

ByteRange RangeOf(const Graph& graph, const Plan& plan, ValueId v, const Symbols& symbols) {
  const int64_t begin = OffsetOf(graph, plan, v, symbols);
  return {begin, begin + graph.value(v).bytes.Evaluate(Largest(graph, symbols)).value_or(0)};
}

bool SameStart(const Graph& graph, const Plan& plan, ValueId a, ValueId b, const Symbols& symbols) {
  return plan.location(a).kind != Location::Kind::kNone && plan.location(a).SameMemoryAs(plan.location(b)) &&
         OffsetOf(graph, plan, a, symbols) == OffsetOf(graph, plan, b, symbols);
}

bool SameBytes(const Graph& graph, const Plan& plan, ValueId a, ValueId b, const Symbols& symbols) {
  return SameStart(graph, plan, a, b, symbols) && RangeOf(graph, plan, a, symbols) == RangeOf(graph, plan, b, symbols);
}

bool Overlap(const Graph& graph, const Plan& plan, ValueId a, ValueId b, const Symbols& symbols) {
  return plan.location(a).kind != Location::Kind::kNone && plan.location(a).SameMemoryAs(plan.location(b)) &&
         RangeOf(graph, plan, a, symbols).Meets(RangeOf(graph, plan, b, symbols));
}

bool InStorageOf(const Plan& plan, ValueId v, ValueId owner) {
  return plan.location(v).kind == Location::Kind::kCaller && plan.location(v).owner() == owner;
}

std::string NotesOn(const Graph& graph, const Plan& plan, absl::string_view op) {
  std::string text;
  for (const Note& note : plan.notes) {
    if (graph.name(note.op) == op) absl::StrAppend(&text, WhyText(graph, note), "\n");
  }
  return text;
}

int64_t ArenaBytes(const Plan& plan) {
  int64_t sum = 0;
  for (const Arena& arena : plan.arenas) sum += arena.bytes;
  return sum;
}

std::vector<std::string> Elided(const Graph& graph, const Plan& plan) {
  std::vector<std::string> names;
  for (const Note& note : plan.notes) {
    const bool own = !note.result.has_value() && IsMovement(graph, plan, note.op);
    if (own && note.action == Action::kElided) names.emplace_back(graph.name(note.op));
  }
  return names;
}

std::vector<std::string> Moving(const Graph& graph, const Plan& plan) {
  std::vector<std::string> names;
  for (const Note& note : plan.notes) {
    const bool moves = !note.result.has_value() && IsMovement(graph, plan, note.op) && note.action == Action::kRun;
    const bool carries = note.why == Why::kCarried;
    if (!moves && !carries) continue;
    if (names.empty() || names.back() != graph.name(note.op)) names.emplace_back(graph.name(note.op));
  }
  return names;
}

void ExpectNothingMoves(const Graph& graph, const Plan& plan) {
  EXPECT_EQ(Moving(graph, plan), std::vector<std::string>()) << AllNotes(graph, plan);
  EXPECT_EQ(plan.stats.bytes_copied, 0);
  EXPECT_EQ(plan.stats.copies_kept, 0);
  int64_t movements = 0;
  for (size_t i = 0; i < graph.ops().size(); ++i)
    movements += IsMovement(graph, plan, OpId(static_cast<int32_t>(i))) ? 1 : 0;
  EXPECT_EQ(plan.stats.copies_elided, movements);
}

void ExpectOneCopy(const Graph& graph, const Plan& plan, int64_t bytes) {
  EXPECT_EQ(Moving(graph, plan).size(), 1u) << AllNotes(graph, plan);
  EXPECT_EQ(plan.stats.bytes_copied, bytes) << AllNotes(graph, plan);
  EXPECT_EQ(plan.stats.copies_kept, 1);
}

std::string AllNotes(const Graph& graph, const Plan& plan) {
  std::string text;
  for (const Note& note : plan.notes) {
    absl::StrAppend(&text, graph.name(note.op), ": ", note.action == Action::kElided ? "elided, " : "run, ",
                    WhyText(graph, note), "\n");
  }
  return text;
}

void ExpectEachEdgeNeeded(const Graph& graph, const Plan& plan) {
  for (size_t i = 0; i < plan.added_order.size(); ++i) {
    Plan without = plan;
    without.added_order.erase(without.added_order.begin() + static_cast<std::ptrdiff_t>(i));
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, without);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_FALSE(report->ok()) << graph.name(plan.added_order[i].before) << " "
                               << graph.name(plan.added_order[i].after);
  }
}

bool IsFast(const Plan& plan) {
  return std::any_of(plan.options.begin(), plan.options.end(),
                     [](const auto& option) { return option.first == "effort" && option.second == "fast"; });
}

}  // namespace bufplan
