// How many bytes any placement needs: the load, sharpened by what alignment wastes.
//
//   bytes live
//     ^        __
//     |   ____|  |___        load = the highest point of this curve; no placement can be lower
//     |__|           |__
//     +---------------------> time
//
// Alignment. Let G be one of the alignments, and cut all bytes into granules of G. No two live storages share the first
// byte of a granule, so the granules whose first byte is occupied at time t are all different. Each live piece is sure
// to hold some of them (granules.h): its size rounded up to G if it begins at a multiple of G, what is left of it in
// whole granules at worst if it may begin anywhere. Let N be their sum. The highest of N different granules begins at
// (N - 1) G or above, and only that one may be occupied in part: T >= G N - (the largest tail of a last granule that is
// counted at t). This holds for every G:
//
//   100 at 64, 30 at 1:                G = 1: 130    G = 64: 2 + 0 granules, 28 bytes unused: 100    130 are needed
//   three of 65 at 64, two of 70 at 1: G = 1: 335    G = 64: 6 + 2 granules, 63 bytes unused: 449    449 are needed
//
// With the smallest alignment all pieces count rounded up; where some begin amid a granule the plain sum of live bytes
// is taken as well. Larger ones count what fine ones leave open behind ends that are not their multiples, and lose at
// pieces that may begin anywhere. The largest result holds. What is not counted: that pieces which fit into no tail
// must lie elsewhere; pieces that meet others of their storage, in granules larger than its alignment; and powers of
// two between two alignments, which say hardly more than these.
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
// COST: O(n log n) for n storages and pieces, times the number of alignments where these differ and sizes are not all
// their multiples; the sorts are linear for ascending or dense times.
// THREADS: no shared state.
LowerBound ComputeLowerBound(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_LOWER_BOUND_H_
