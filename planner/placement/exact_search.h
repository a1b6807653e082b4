// The least bytes that storages can be placed in, or a placement within a capacity, by exhaustive search in the worst
// case.
//
// Two questions. FindPlacement: is there a placement within the capacity? MinimizePlacement: from a placement down, one
// capacity after another, until the best one meets a bound that is proven. Both answer "not known" at a work limit; a
// higher limit only adds to what a lower one finds. The search for one capacity is in skyline_search.h; several run
// side by side (search_lanes.h).
//
// What is live at the peak, if that is few, is searched by itself first where alignments differ: it may need more than
// the load, as some fit into no tail that others leave, and that is found out far sooner without the rest. A bound
// found there gives the search of the whole another aim; only then may a higher limit lead elsewhere than a lower one.
//
// WHICH PROBLEMS: up to 8,000 storages of one piece that is their whole (or of none), lives that are intervals, any
// alignments and pins, one chunk, no disjoint pairs. The time it takes depends on how tight the problem is more than on
// its size: a few hundred storages are closed in milliseconds where the load can be met.
#ifndef BUFPLAN_PLANNER_PLACEMENT_EXACT_SEARCH_H_
#define BUFPLAN_PLANNER_PLACEMENT_EXACT_SEARCH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/placement.h"
#include "planner/placement/search_lanes.h"

namespace bufplan {

// Whether the problem is of the kind that is searched.
bool CanSearchExactly(const PlacementProblem& problem);

struct ExactPlacement {
  std::vector<int64_t> offset_bytes;  // by storage; empty if no placement is known
  int64_t bytes = 0;                  // the last end of a storage; 0 without a placement
  int64_t lower_bound_bytes = 0;      // proven: no placement is lower
  int64_t work = 0;                   // steps, some ten nanoseconds each; about the limit at most
};

// Both expect a problem that Place() would not refuse as invalid, CanSearchExactly(), and pins that do not meet.
// Deterministic, whatever the number of threads, unless the deadline ends the search. THREADS: no shared state; start
// and join their own. MEMORY: up to 4 MiB for each group of storages that time parts from the others.

// A placement within the capacity, which `bytes` may undercut. Without one: there is none if lower_bound_bytes exceeds
// the capacity, else it is not known.
ExactPlacement FindPlacement(const PlacementProblem& problem, int64_t capacity_bytes, const SearchLimits& limits);

// The best placement found, at first the given one; optimal if bytes == lower_bound_bytes.
ExactPlacement MinimizePlacement(const PlacementProblem& problem, absl::Span<const int64_t> placed_offset_bytes,
                                 const SearchLimits& limits);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_EXACT_SEARCH_H_
