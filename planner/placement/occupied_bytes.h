// How many bytes one storage occupies over time, when its pieces may overlap each other.
#ifndef BUFPLAN_PLANNER_PLACEMENT_OCCUPIED_BYTES_H_
#define BUFPLAN_PLANNER_PLACEMENT_OCCUPIED_BYTES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/placement.h"

namespace bufplan {

struct OccupiedChange {
  int64_t time = 0;
  int64_t bytes = 0;  // by how much the union of the live pieces grows (or, negative, shrinks) at that time; never 0
};

// Appends the changes in order of time, one per time.
// COST: O(n log n) for n pieces (a segment tree over the byte ranges; Klee's measure problem). THREADS: no shared
// state.
void AppendOccupiedChanges(absl::Span<const Piece> pieces, std::vector<OccupiedChange>& changes);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_OCCUPIED_BYTES_H_
