// Small random changes of a plan: most break it, some make it share bytes that it may share, or move none.
//
// Applied again and again to a naive plan, keeping what the checker accepts, they lead to plans that share as much as a
// planner's do, and beside each of them to many that are just wrong. Views follow their source mostly; arenas and
// statistics are made right again (CompletePlan), so that what is wrong is wrong by its bytes.
//
// Deterministic for a given Rng. THREADS: no shared state.
#ifndef BUFPLAN_TESTS_ORACLE_MUTATE_H_
#define BUFPLAN_TESTS_ORACLE_MUTATE_H_

#include <optional>
#include <string>

#include "ir/graph.h"
#include "ir/plan.h"
#include "tests/oracle/random.h"

namespace bufplan {

struct Mutant {
  Plan plan;
  std::string what;  // "v3 onto v7"
};

// Absent: the plan has nothing of the kind that chance chose to change.
std::optional<Mutant> Mutate(const Graph& graph, const Plan& plan, Rng& rng);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_MUTATE_H_
