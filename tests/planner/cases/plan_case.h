// Test support: writes the graph of a case in few words, plans it at every effort, and asks where things lie.
//
//   CaseGraph g;
//   const ValueId x = g.Input("x", 256);
//   const ValueId x1 = g.W("w", x, 0, 100);   // x1 is x with [0, 100) overwritten
//   g.R("r", x1, 50, 60);                     // reads [50, 60) of x1
//   g.Plan([&](const Graph& graph, const Plan& plan) { EXPECT_TRUE(SameBytes(graph, plan, x, x1)); });
#ifndef BUFPLAN_TESTS_PLANNER_CASES_PLAN_CASE_H_
#define BUFPLAN_TESTS_PLANNER_CASES_PLAN_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "ir/plan.h"
#include "planner/options.h"

namespace bufplan {

// GraphBuilder with the words of docs/cases.md.
class CaseGraph : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  // A compute op that reads all of `reads`; its result may take the place of any of `in_place`.
  ValueId Op(absl::string_view name, std::vector<Operand> reads, Expr bytes, std::vector<InPlaceOf> in_place = {},
             OpOptions options = {});
  // A compute op that reads and gives no result.
  OpId R(absl::string_view name, std::vector<Operand> reads, OpOptions options = {});
  OpId R(absl::string_view name, ValueId value, Expr at, Expr bytes, OpOptions options = {});
  // A compute op that reads `reads`; its result is `base` with [at, at + bytes) overwritten.
  ValueId W(absl::string_view name, ValueId base, Expr at, Expr bytes, std::vector<Operand> reads = {},
            OpOptions options = {});

  // Builds the graph and plans it at the efforts fast and default. Whatever goes wrong is a test failure: a graph or a
  // plan that is refused, a plan that the checker or the oracle finds wrong, a count of copies that the plan's own
  // locations contradict. Calls `then` with each plan.
  void Plan(absl::FunctionRef<void(const Graph&, const bufplan::Plan&)> then);
  // The same for each objective: least memory, fewest copies.
  void PlanEachWay(absl::FunctionRef<void(const Graph&, const bufplan::Plan&)> then);
  // The plan is refused; gives why. A test failure if it is not.
  absl::Status PlanRefusal(PlanOptions options = {});
  // Build() refuses the graph; gives why. A test failure if it does not.
  absl::Status BuildRefusal();
};

// The same for a graph that exists already; the options' effort is set here.
void PlanAtEveryEffort(const Graph& graph, PlanOptions options, absl::FunctionRef<void(const Plan&)> then);

inline Region Bytes(Expr at, Expr bytes) { return Region{std::move(at), std::move(bytes), {}}; }

// Questions about a plan. Places are those at the largest symbol values, or at the given ones.
using Symbols = std::vector<int64_t>;

// a and b begin at the same byte.
bool SameStart(const Graph& graph, const Plan& plan, ValueId a, ValueId b, const Symbols& symbols = {});
// And have the same size.
bool SameBytes(const Graph& graph, const Plan& plan, ValueId a, ValueId b, const Symbols& symbols = {});
// Some byte belongs to both.
bool Overlap(const Graph& graph, const Plan& plan, ValueId a, ValueId b, const Symbols& symbols = {});
// v lies in the storage that the caller owns for `owner`.
bool InStorageOf(const Plan& plan, ValueId v, ValueId owner);
// Where v begins in its memory, and all bytes it takes there.
int64_t OffsetOf(const Graph& graph, const Plan& plan, ValueId v, const Symbols& symbols = {});
ByteRange RangeOf(const Graph& graph, const Plan& plan, ValueId v, const Symbols& symbols = {});

// The notes on an op of that name, in the author's words, one a line.
std::string NotesOn(const Graph& graph, const Plan& plan, absl::string_view op);

int64_t ArenaBytes(const Plan& plan);

// Data movements that execute nothing, and ops of which some byte moves (data movements and carried bases), by name in
// list order. Views and members of fused groups are neither.
std::vector<std::string> Elided(const Graph& graph, const Plan& plan);
std::vector<std::string> Moving(const Graph& graph, const Plan& plan);
// No byte moves: every data movement is elided, no base is carried.
void ExpectNothingMoves(const Graph& graph, const Plan& plan);
// One op moves bytes, that many: the smallest copy that suffices. Which op that is, a data movement or one whose base
// is carried, is the planner's choice.
void ExpectOneCopy(const Graph& graph, const Plan& plan, int64_t bytes);
// The notes on all ops.
std::string AllNotes(const Graph& graph, const Plan& plan);

// Without any one of the edges that the plan adds, the checker refuses it.
void ExpectEachEdgeNeeded(const Graph& graph, const Plan& plan);

// Made at effort fast, which lets gaps inside of storages be.
bool IsFast(const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_CASES_PLAN_CASE_H_
