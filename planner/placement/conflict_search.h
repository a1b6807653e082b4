// The least bytes, or a placement within a capacity, for problems that exact_search.h does not know: storages of
// several pieces, lives ordered in part only, disjoint pairs. The same two questions with the same answers.
//
// The problem is split first: storages that find room wherever the others lie are put aside, and what has no conflict
// with each other is searched apart. The search for one capacity is in difference_search.h. It knows less of time than
// the search over sections, so it closes problems of some dozens of storages, hundreds where they are loose.
#ifndef BUFPLAN_PLANNER_PLACEMENT_CONFLICT_SEARCH_H_
#define BUFPLAN_PLANNER_PLACEMENT_CONFLICT_SEARCH_H_

#include <cstdint>

#include "absl/types/span.h"
#include "planner/placement/deadline.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/placement.h"

namespace bufplan {

// Whether the problem is of the kind that is searched, and small enough: one chunk, up to 500 storages.
bool CanSearchConflicts(const PlacementProblem& problem);

// As FindPlacement() and MinimizePlacement() of exact_search.h. Expect CanSearchConflicts() and a
// problem that Place() would not refuse; if too many pieces meet, nothing is found. `lower_bound_bytes`: what is proven
// already. Deterministic but for the deadline.
// THREADS: no shared state; limits.threads and limits.first_attempt do not count. MEMORY: up to 8 MiB and 100 bytes for
// each two pieces that meet.
ExactPlacement FindAmongConflicts(const PlacementProblem& problem, int64_t capacity_bytes, int64_t lower_bound_bytes,
                                  const SearchLimits& limits);
ExactPlacement MinimizeAmongConflicts(const PlacementProblem& problem, absl::Span<const int64_t> placed_offset_bytes,
                                      int64_t lower_bound_bytes, const SearchLimits& limits);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_CONFLICT_SEARCH_H_
