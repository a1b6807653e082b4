// How many granules of G bytes a piece is sure to hold the first byte of, wherever its storage comes to lie.
//
//   G = 64, piece of 150 bytes:   at a multiple of 64: 3 granules    |######## ######## ######..|
//                                 at a multiple of 16: at worst 2    |..###### ######## #######.|
//
// Let the piece be b bytes that begin at a multiple of h, a power of two up to G. At worst it begins h bytes behind a
// multiple of G. The first bytes are then at G - h, 2 G - h, ... of the piece, so it holds c = floor((b + h - 1) / G)
// of them at least. With h = G that is its size rounded up. From the first of c first bytes that it holds it reaches b
// + h - c G bytes into the last one's granule, or further; what is left of that granule is its tail. A piece that
// begins amid its storage counts from the first multiple of h in it on.
//
// Pins count by their alignment like the others. Counting from where they lie would say more, but sums of pins that
// meet, which are found out later, could then exceed 64 bits; so c G is at most the size rounded up to the alignment.
#ifndef BUFPLAN_PLANNER_PLACEMENT_GRANULES_H_
#define BUFPLAN_PLANNER_PLACEMENT_GRANULES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "planner/placement/pieces.h"
#include "planner/placement/placement.h"

namespace bufplan {

struct Granules {
  int64_t bytes = 0;  // of all of them: c G
  int64_t tail = 0;   // of the last one; 0 without any
};

// Both powers of two.
inline Granules CountGranules(const Piece& piece, int64_t alignment, int64_t granule) {
  const int64_t h = std::min(alignment, granule);
  const int64_t reach = piece.high - AlignUp(piece.low, h) + h - 1;
  if (reach < granule) return {};
  const int64_t bytes = AlignDown(reach, granule);
  return {bytes, bytes + granule - 1 - reach};
}

// The granules worth counting in, ascending: the alignments of storages with pieces; single bytes as well where pieces
// begin amid a granule, and alone with chunks or without pieces. An alignment is left out if whatever is sure to begin
// at its multiples ends there too: these pieces then count the same as in finer granules, the others at most as much.
// COST: O(n).
std::vector<int64_t> GranulesWorthCounting(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_GRANULES_H_
