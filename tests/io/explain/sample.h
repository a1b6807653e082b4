// A small graph and a valid plan of it, made by hand.
//
//   x ─f─▶ a ─v─▶ v (view a[20, 60))        a, b: 100 bytes; c in place of b; b not in place of a, as g still reads v
//          └─h─▶ b ─g(v, b)─▶ c ─upd─▶ K1 ─st─▶ K
//
//   offset 100 |xx.          x at 100 until f is done,
//              |.aaa         a at 0,
//          0                 b, then c, at 100
#ifndef BUFPLAN_TESTS_IO_EXPLAIN_SAMPLE_H_
#define BUFPLAN_TESTS_IO_EXPLAIN_SAMPLE_H_

#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

struct Sample {
  Sample();

  Graph graph;
  Plan plan;

  ValueId Value(absl::string_view name) const { return *graph.FindValue(name); }
  OpId Op(absl::string_view name) const { return *graph.FindOp(name); }
};

// Three buffers, the second with a gap in which the third lies.
//
//   offset 10 |bb.bb      a [0, 5) at 0, 10 bytes; b [0, 5) without [2, 3) at 10; c [2, 3) at 10
//           0 |aaaaa
struct SampleProblem {
  SampleProblem();
  Problem problem;
  ProblemPlan plan;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IO_EXPLAIN_SAMPLE_H_
