// The plan that needs no thought: every value in bytes of its own, every copy executed.
//
// Views lie on their source, results of a base get their base carried, commits are executed. A commit waits for
// everybody who reads the old content, by added edges where the graph does not say so. Required groups are fused; what
// they swallow gets no bytes. A baseline for the checker and the oracle, and an upper bound of what a planner may need.
//
// Shares no code with the planner. COST: O(ops^3) for the order. THREADS: no shared state.
#ifndef BUFPLAN_TESTS_ORACLE_NAIVE_PLAN_H_
#define BUFPLAN_TESTS_ORACLE_NAIVE_PLAN_H_

#include <vector>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// The fusions that `fuse` names in addition to the required ones are fused, in that order and as far as they do not
// overlap one fused already.
Plan NaivePlan(const Graph& graph, const std::vector<FusionId>& fuse = {});

// True if a fused group makes v and nobody outside uses it.
bool IsSwallowed(const Graph& graph, const Plan& plan, ValueId v);

// The data movements (not in fused groups) that the plan marks elided although by their locations they would move
// something. Ascending.
std::vector<OpId> ElidedApart(const Graph& graph, const Plan& plan);

// Makes what follows from a plan's locations right: arenas, chunks, live ranges, statistics, notes. The movements in
// `elided` are marked elided wherever their ends lie, others only if nothing of them moves.
void CompletePlan(const Graph& graph, Plan& plan, const std::vector<OpId>& elided = {});

// before[a][b]: op a is before op b by streams, uses, order edges and the plan's edges, fused groups as one.
std::vector<std::vector<bool>> SlowHappensBefore(const Graph& graph, const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_NAIVE_PLAN_H_
