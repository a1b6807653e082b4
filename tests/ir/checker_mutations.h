// Ways in which a valid plan can be broken, made by hand: each breaks one rule.
#ifndef BUFPLAN_TESTS_IR_CHECKER_MUTATIONS_H_
#define BUFPLAN_TESTS_IR_CHECKER_MUTATIONS_H_

#include <functional>
#include <string>
#include <vector>

#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "ir/plan.h"
#include "tests/ir/hand_plan.h"

namespace bufplan::checker_mutations {

struct Mutation {
  std::string name;
  ViolationKind kind;                // the one that the broken plan must give, and no other
  std::vector<std::string> parties;  // each is in the text of the violations
  std::function<void(GraphBuilder&)> build;
  std::function<void(HandPlan&, const Graph&)> valid;
  std::function<void(Plan&, const Graph&)> breaks;
};

// At least one of each kind.
std::vector<Mutation> All();

}  // namespace bufplan::checker_mutations

#endif  // BUFPLAN_TESTS_IR_CHECKER_MUTATIONS_H_
