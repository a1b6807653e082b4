// How many bytes any placement needs: the load, sharpened by what alignment wastes.
//
//   bytes live
//     ^        __
//     |   ____|  |___        load = the highest point of this curve; no placement can be lower
//     |__|           |__
//     +---------------------> time
//
// Alignment. Let G be the smallest alignment. All offsets are multiples of G, so no two live storages share the first
// byte of a granule of G bytes. Hence the granules whose first byte is occupied at time t are all different, and T
// bytes hold at most ceil(T / G) of them. Only the topmost may be occupied in part: T >= G * granules(t) - (the largest
// unused tail of a last granule live at t). For one-piece storages that is the sum of the aligned sizes less one tail.
// Pieces that begin amid a granule do not count with that first granule, so the plain sum of live bytes is taken as
// well, and the larger of the two holds.
//
// Chunks. Each chunk has a topmost granule of its own, and a placement may open as many as it likes, so with a chunk
// limit the plain sum is all that is proven: 100 + 100 bytes at alignment 128 need 228 bytes in one chunk and 200 in
// two.
//
// Other bounds: the end of each pin, each storage's size, and the sum of both ranges of a disjoint pair (one chunk or
// many alike).
#ifndef BUFPLAN_PLANNER_PLACEMENT_LOWER_BOUND_H_
#define BUFPLAN_PLANNER_PLACEMENT_LOWER_BOUND_H_

#include <cstdint>

#include "planner/placement/placement.h"

namespace bufplan {

struct LowerBound {
  int64_t bytes = 0;       // the largest of all bounds
  int64_t load_bytes = 0;  // the one of the live bytes alone
  int64_t peak_time = 0;   // the first time of the highest load; 0 without pieces
};

// Expects sums of aligned sizes, and of each pin and its storage, in 64 bits (see Place()).
// COST: O(n log n) for n storages and pieces; the sorts are linear for ascending or dense times.
// THREADS: no shared state.
LowerBound ComputeLowerBound(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_LOWER_BOUND_H_
