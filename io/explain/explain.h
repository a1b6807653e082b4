// Explanations of plans, as text for people: what makes the peak, why a value is live as long as it is, what shares its
// bytes, why a copy stays.
//
// Everything is told from the graph and the plan alone, also of plans that were read from files. A wrong plan is
// explained as it stands; the checker says what is wrong with it. Symbols have their largest values where numbers are
// added up. Lines are up to `width` columns, apart from long sentences.
//
// ERRORS (with a name): NotFound if there is no such value or op, with the nearest names.
// COST: near linear in ops + uses; a value's picture costs the values that it shows. THREADS: no shared state.
//
// Example:
//   std::cout << ExplainPlan(graph, plan);
//   std::cout << *ExplainName(graph, plan, "K1");
#ifndef BUFPLAN_IO_EXPLAIN_EXPLAIN_H_
#define BUFPLAN_IO_EXPLAIN_EXPLAIN_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

inline constexpr size_t kExplainWidth = 100;

// The whole plan: each arena's peak and who is live there, copies kept, wishes refused, edges added, fused groups, and
// a picture of each arena.
std::string ExplainPlan(const Graph& graph, const Plan& plan, size_t width = kExplainWidth);

// A value: where it lies and why, how long and for whom, what shares its bytes. An op: what it reads and writes where,
// what it moves and why. A name that is both gives both.
absl::StatusOr<std::string> ExplainName(const Graph& graph, const Plan& plan, absl::string_view name,
                                        size_t width = kExplainWidth);

// The same of an interval problem and its offsets.
std::string ExplainProblem(const Problem& problem, const ProblemPlan& plan, size_t width = kExplainWidth);
absl::StatusOr<std::string> ExplainBuffer(const Problem& problem, const ProblemPlan& plan, absl::string_view name,
                                          size_t width = kExplainWidth);

// One picture per arena that is not empty.
std::string DrawPlan(const Graph& graph, const Plan& plan, size_t width = kExplainWidth);
std::string DrawProblem(const Problem& problem, const ProblemPlan& plan, size_t width = kExplainWidth);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_EXPLAIN_H_
