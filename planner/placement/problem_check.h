// What Place() relies on: that no sum it forms can overflow, and that pins can be met at all.
#ifndef BUFPLAN_PLANNER_PLACEMENT_PROBLEM_CHECK_H_
#define BUFPLAN_PLANNER_PLACEMENT_PROBLEM_CHECK_H_

#include "absl/status/status.h"
#include "planner/placement/placement.h"

namespace bufplan {

// Sizes, pins and alignments one by one, and their sum: no offset that any method of this folder tries lies above it.
// With a chunk limit, chunks are laid out side by side, which takes more room; that sum is checked too. ERRORS:
// InvalidArgument with the storage's index, the value and the bound. COST: O(n). THREADS: no shared state.
absl::Status CheckPlacementProblem(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_PROBLEM_CHECK_H_
