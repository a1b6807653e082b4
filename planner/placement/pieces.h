// Small questions about the pieces of storages, and a tidier list of them.
#ifndef BUFPLAN_PLANNER_PLACEMENT_PIECES_H_
#define BUFPLAN_PLANNER_PLACEMENT_PIECES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "planner/placement/placement.h"

namespace bufplan {

// The smallest multiple of `alignment` (a power of two) that is >= bytes; and the largest that is <= bytes.
inline int64_t AlignUp(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) & -alignment; }
inline int64_t AlignDown(int64_t bytes, int64_t alignment) { return bytes & -alignment; }

// The smallest alignment among storages with pieces, 1 without any: all their offsets are multiples of it.
int64_t CommonAlignment(const PlacementProblem& problem);

// True if some storage has more than one piece.
bool HasManyPieces(const PlacementProblem& problem);

// The last end of a storage at these offsets, in one chunk; 0 without any.
int64_t LastEnd(const PlacementProblem& problem, absl::Span<const int64_t> offset_bytes);

// The problem of some of the storages, ascending, without the capacity.
PlacementProblem PartOf(const PlacementProblem& problem, absl::Span<const int32_t> storages);

// The same problem with fewer pieces: neighbours in time that lie on the same bytes become one, and where one of two
// neighbours covers the other, the other is cut. What is occupied when stays exactly the same.
//
//   a chain of in-place results  [0,4) [3,7) [6,9), each on bytes [0,64)   ->   [0,9) on [0,64)
//
// Other overlaps within a storage stay; every user of pieces must expect them.
// COST: O(pieces log pieces).
PlacementProblem MergePieces(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_PIECES_H_
