// Plans made by hand, for tests of the checker: says where things are, fills in what follows from that alone.
//
//   Plan plan = HandPlan(graph).At(x, 0).At(y, 64).In(row, K, 8192).Copies(0, 1, 64).Done();
//
// Caller-owned values are at their own storage, others nowhere unless said, fusions left separate, arenas as long as
// what lies in them.
#ifndef BUFPLAN_TESTS_IR_HAND_PLAN_H_
#define BUFPLAN_TESTS_IR_HAND_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

class HandPlan {
 public:
  explicit HandPlan(const Graph& graph);

  // In chunk `chunk` of the arena of `space`, the value's own unless given.
  HandPlan& At(ValueId v, Expr offset, int32_t chunk = 0);
  HandPlan& AtSpace(ValueId v, SpaceId space, Expr offset);
  // In a caller-owned value's storage.
  HandPlan& In(ValueId v, ValueId owner, Expr offset);
  // Makes what has a place already lie there in strided runs.
  HandPlan& Strided(ValueId v, Expr run_bytes, std::vector<Dim> dims);
  HandPlan& Scratch(OpId o, int64_t offset);
  HandPlan& Fuse(int32_t fusion);
  HandPlan& Edge(OpId before, OpId after);
  HandPlan& Copies(int64_t elided, int64_t kept, int64_t bytes);
  HandPlan& Noted(OpId o, Action action);
  // The plan, with arenas that end where their last value does at the largest symbol values.
  Plan Done() const;

 private:
  const Graph& graph_;
  Plan plan_;
};

// By name; aborts the test if there is none.
ValueId ValueNamed(const Graph& graph, absl::string_view name);
OpId OpNamed(const Graph& graph, absl::string_view name);

// "ok", or all violations, one a line: "wrong-content: op ...".
std::string CheckText(const Graph& graph, const Plan& plan, const CheckOptions& options = {});
// The kinds of violations without repetition, in the order of ViolationKind: "" if the plan is valid, "pin alignment".
std::string CheckKinds(const Graph& graph, const Plan& plan, const CheckOptions& options = {});

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IR_HAND_PLAN_H_
