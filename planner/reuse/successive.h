// Pieces that lie on the same bytes one right after the other.
//
//   bytes ^   ___b___
//         |  |a |    |__c__      a then b, b then c; a and c are ordered if those are
//         +-----------------> place in the run
//
// If each such pair is ordered, all pieces that share a byte are: the order is transitive.
// COST: O((n + pairs) log n). THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_REUSE_SUCCESSIVE_H_
#define BUFPLAN_PLANNER_REUSE_SUCCESSIVE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// (earlier, later), indices of pieces of different storages; each once, in order of the later one. Expects a placement
// in which pieces that meet as intervals do not meet in bytes.
std::vector<std::pair<int32_t, int32_t>> FindSuccessive(const PlacementProblem& problem, const Placement& placement);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_REUSE_SUCCESSIVE_H_
