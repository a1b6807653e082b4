// A random walk through the plans of a graph: from the naive plan, by mutations (mutate.h), on from each plan that the
// checker accepts. It must accept the first one. About half of the fusions are fused, throughout.
#ifndef BUFPLAN_TESTS_ORACLE_WALK_PLANS_H_
#define BUFPLAN_TESTS_ORACLE_WALK_PLANS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "ir/checker.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "tests/oracle/mutate.h"

namespace bufplan {

struct VisitedPlan {
  const Graph& graph;
  int step;  // 0: the naive plan
  const Mutant& mutant;
  const CheckReport& report;

  // The step, the mutation, graph and plan.
  std::string Text() const;
};

// Ends early at a fatal failure of the test.
void WalkPlans(const Graph& graph, uint64_t seed, int steps, const std::function<void(const VisitedPlan&)>& visit);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_WALK_PLANS_H_
