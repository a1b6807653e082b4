// The fewest bytes that any plan of a small graph moves, by search over all plans that might move few.
//
// Values are cut into cells, the largest size that all sizes and regions are multiples of. The search walks the ops in
// list order. It gives each result a place, and each data movement that would move something a mark (run or elided),
// executes the op at once on cells that hold origins, and turns back where an op reads another origin than prescribed:
//
//   island 0   [ . . u u . . ]   a stretch of the arena for values that some movement, base or common content ties
//   island 1   [ . . T T v . ]   together; nothing but the start of the first value in it is fixed
//   storage K  [ K K ]           of a constant, external or variable
//
// A place is tried if it is an island of its own, or follows from a placed value: over a base, a part of a movement, a
// commit or equal content, directly or by way of values that are made later. Every other place brings two values
// together that have nothing to do with each other, which never saves a copy.
//
// Written apart from planner and checker: the search only proposes; whoever calls judges each plan that would be better
// than the best so far. Not covered: strided places (nothing here has use for them).
//
// ERRORS: InvalidArgument for what it does not know: several streams, symbols, views, fills, transfers, several spaces,
// fusions, keep-alives, disjoint pairs, pins, scratch, elide other than auto, more than 8 values or 64 cells.
// COST: exponential in values; about 10^3 .. 10^6 steps of some 100 ns for 4 ops. THREADS: no shared state.
#ifndef BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_FEWEST_COPIES_H_
#define BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_FEWEST_COPIES_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// True if the plan is valid.
using PlanJudge = std::function<bool(const Plan&)>;

struct FewestCopiesOptions {
  // Only plans that move fewer bytes than this are of interest.
  int64_t below_bytes = std::numeric_limits<int64_t>::max();
  // Turn back where an op reads something wrong. Without, every choice of places and marks is judged (much slower).
  bool prune = true;
};

struct FewestCopies {
  std::optional<int64_t> bytes;  // absent: no valid plan moves fewer than below_bytes
  Plan plan;                     // one that moves so many
  int64_t steps = 0;             // ops executed in the search
  int64_t refused = 0;           // plans that the search proposed and the judge refused
};

absl::StatusOr<FewestCopies> FindFewestCopies(const Graph& graph, const PlanJudge& judge,
                                              const FewestCopiesOptions& options = {});

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_PLANNER_EXHAUSTIVE_FEWEST_COPIES_H_
