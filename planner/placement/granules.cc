#include "planner/placement/granules.h"

#include <array>
#include <cstddef>

namespace bufplan {

std::vector<int64_t> GranulesWorthCounting(const PlacementProblem& problem) {
  if (problem.max_chunk_bytes.has_value()) return {1};
  int64_t alignments = 0, lows = 0;   // the bits of all of them
  std::array<int64_t, 64> ends = {};  // the bits of the ends of pieces, by alignment, then by that or a larger one
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const StorageSpec& storage = problem.storages[s];
    if (storage.num_pieces == 0) continue;
    alignments |= storage.alignment_bytes;
    int64_t& bits = ends[static_cast<size_t>(__builtin_ctzll(static_cast<uint64_t>(storage.alignment_bytes)))];
    for (const Piece& piece : problem.PiecesOf(s)) {
      bits |= piece.low | piece.high;
      lows |= piece.low;
    }
  }
  if (alignments == 0) return {1};
  const int64_t smallest = alignments & -alignments;
  std::vector<int64_t> granules;
  if (lows % smallest != 0) granules.push_back(1);
  for (size_t e = ends.size() - 1; e-- > 0;) ends[e] |= ends[e + 1];
  for (size_t e = 0; e + 1 < ends.size(); ++e) {
    const int64_t granule = int64_t{1} << e;
    if ((alignments & granule) == 0) continue;
    if (granule == smallest || ends[e] % granule != 0) granules.push_back(granule);
  }
  return granules;
}

}  // namespace bufplan
