// Whether a partial order of lives is an interval order: whether one axis of time tells all of it after all.
//
//   a before c and d, b before d        a before c, b before d, and no more ("2 + 2")
//
//     [ a )[ c )                          none: whichever of a and b ends first would be before c and d
//     [   b   )[ d )
//
// An order is an interval order iff the sets of what is before each piece are nested (Fishburn 1970). Then the size of
// that set is a time: let l(q) = number of pieces before q, and r(p) the smallest l of what p is before. Where p is
// before q, r(p) <= l(q) by definition; and where sets are nested, r(p) <= l(q) makes the set of q contain that of the
// piece which gave r(p), and so p. Hence the pairs with r(p) <= l(q) contain those of the order, are as many iff they
// are the same, and are then the order of the intervals [l, r). No interval is empty: if p is before q, all that is
// before p is before q, and p too. Total orders and lives on one chain are interval orders.
#ifndef BUFPLAN_PLANNER_PLACEMENT_INTERVAL_ORDER_H_
#define BUFPLAN_PLANNER_PLACEMENT_INTERVAL_ORDER_H_

#include <optional>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// The pieces with new times, so that two meet iff their intervals do; nullopt if there are no such times. Without
// `problem.order`, the pieces as they are. COST: O(pieces * chains) for dense times, else with a factor of log(pieces).
// THREADS: no shared state.
std::optional<std::vector<Piece>> AsIntervals(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_INTERVAL_ORDER_H_
