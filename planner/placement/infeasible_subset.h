// A few storages that alone do not fit in a capacity: the core of why a problem has no placement.
//
//   bytes ^  capacity 10
//         |    aaaa          e.g. a 4, b 4, c 5 live at one time, among hundreds of others: a, b and c are the answer.
//         |  bbbbbb          What to shrink, move or spill is one of them, or it does not help.
//         |   ccc
//         +------------> time
//
// By what is live. Of the storages live at the peak (or in the heaviest antichain, see antichain.h) the largest, as
// many as it takes to exceed the capacity. For plain sums these are the fewest of all that do so, and each is needed:
// without one of them, what is left weighs no more than without the last one, which was fewer than it takes.
//
// By search, where the bound is met and still nothing fits: a deletion filter. From one group of storages that do not
// fit, take some away as long as the search proves that the rest does not fit either: by halves, quarters and so on,
// first those far in time from the peak, then those with the least bytes x time, in the end one by one. What does not
// fit without a storage will not fit with it, so one pass of single ones is enough: if each answer is known, each
// storage left is needed. (Irreducible infeasible subsets of linear programs are found like that: Chinneck and
// Dravnieks 1991; the halving is QuickXplain's, Junker 2004, and delta debugging's.)
#ifndef BUFPLAN_PLANNER_PLACEMENT_INFEASIBLE_SUBSET_H_
#define BUFPLAN_PLANNER_PLACEMENT_INFEASIBLE_SUBSET_H_

#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"
#include "planner/placement/search_lanes.h"

namespace bufplan {

enum class InfeasibilityProof : uint8_t {
  kNone,       // nothing is proven
  kEnd,        // one storage, which ends above the capacity by its size and pin
  kDisjoint,   // two that must lie apart always
  kLoad,       // live at one time
  kAntichain,  // pairwise live at once in some run
  kSearch,     // an exhaustive search found no placement
};

struct InfeasibleSubset {
  std::vector<int32_t> storages;  // ascending; empty if nothing is proven
  bool minimal = false;           // shown: without any one of them the others fit
  InfeasibilityProof proof = InfeasibilityProof::kNone;
  int64_t work = 0;  // steps of searches, some ten nanoseconds each
};

// Storages that do not fit in `capacity_bytes` (`problem.capacity_bytes` does not count), if that is proven within the
// limits; by search only for problems of exact_search.h. Expects a problem that Place() would not refuse as
// invalid, and pins that do not meet. TIES: of equal sizes the lower index. Deterministic. COST: O(n log n) by what is
// live, where up to 200 storages are also thinned and tested for being needed. THREADS: no shared state.
InfeasibleSubset FindInfeasibleSubset(const PlacementProblem& problem, int64_t capacity_bytes,
                                      const SearchLimits& limits);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_INFEASIBLE_SUBSET_H_
