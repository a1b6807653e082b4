// What checker and oracle say of a plan.
#ifndef BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_JUDGE_H_
#define BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_JUDGE_H_

#include <string>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

struct Verdict {
  bool accepted = false;  // by the checker
  bool runs = false;      // on the oracle, without a difference
  std::string text;       // what is wrong; both, if both find something
};

// For graphs without symbols.
Verdict Judge(const Graph& graph, const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_JUDGE_H_
