#include "planner/placement/antichain.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "planner/placement/chain_cover.h"
#include "planner/placement/chain_cut.h"
#include "planner/placement/chain_slots.h"
#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

// The bytes of all granules whose first byte the piece occupies.
int64_t GranuleBytes(const Piece& piece, int64_t granule) {
  return AlignUp(piece.high, granule) - AlignUp(piece.low, granule);
}

// All granules of pieces that pairwise meet, those that pieces of one storage share once; and the largest unused tail
// of a last granule.
struct Occupied {
  int64_t granule_bytes = 0, tail_bytes = 0;
};

Occupied Measure(const PlacementProblem& problem, const std::vector<int32_t>& pieces, int64_t granule) {
  Occupied occupied;
  std::vector<std::pair<int64_t, int64_t>> ranges;  // of one storage
  size_t i = 0;
  for (const StorageSpec& storage : problem.storages) {
    ranges.clear();
    for (; i < pieces.size() && static_cast<size_t>(pieces[i]) < storage.first_piece + storage.num_pieces; ++i) {
      const Piece& piece = problem.pieces[static_cast<size_t>(pieces[i])];
      const int64_t high = AlignUp(piece.high, granule);
      ranges.emplace_back(AlignUp(piece.low, granule), high);
      occupied.tail_bytes = std::max(occupied.tail_bytes, high - piece.high);
    }
    std::sort(ranges.begin(), ranges.end());
    int64_t top = 0;
    for (const auto& [low, high] : ranges) {
      occupied.granule_bytes += std::max<int64_t>(0, high - std::max(low, top));
      top = std::max(top, high);
    }
  }
  return occupied;
}

Antichain HeaviestInGranules(const PlacementProblem& problem, const ChainSlots& slots, int64_t granule,
                             int64_t work_limit, Deadline deadline) {
  std::vector<int64_t> weights;
  weights.reserve(problem.pieces.size());
  int64_t sum = 0;
  bool fits = true;
  for (const Piece& piece : problem.pieces) {
    weights.push_back(GranuleBytes(piece, granule));
    fits = fits && !__builtin_add_overflow(sum, weights.back(), &sum);
  }
  // Sums of sizes fit, those of pieces need not. Then there is no bound here; the size of a storage is one.
  if (!fits) weights.assign(weights.size(), 0);

  Antichain result;
  const int64_t share = work_limit / 4;  // before the proof, and after one that fails
  WeighedCut best = {ListPeak(problem, slots, weights), 0};
  best.weight = ImproveCut(slots, weights, share, best.cut, result.work, deadline);
  result.exact = ProveHeaviest(slots, weights, work_limit - share, best, result.work, deadline);
  if (!result.exact) best.weight = ImproveCut(slots, weights, work_limit, best.cut, result.work, deadline);
  for (int32_t p : LiveAt(slots, best.cut)) {
    if (weights[static_cast<size_t>(p)] > 0) result.pieces.push_back(p);
  }
  const Occupied occupied = Measure(problem, result.pieces, granule);
  result.bytes =
      std::max(occupied.granule_bytes - occupied.tail_bytes, Measure(problem, result.pieces, 1).granule_bytes);
  result.exact = result.exact && fits && occupied.granule_bytes == best.weight;
  return result;
}

}  // namespace

Antichain HeaviestAntichain(const PlacementProblem& problem, int64_t work_limit, Deadline deadline) {
  const ChainSlots slots = MakeChainSlots(problem);
  const int64_t granule = problem.max_chunk_bytes.has_value() ? 1 : CommonAlignment(problem);
  Antichain best = HeaviestInGranules(problem, slots, granule, work_limit, deadline);
  const bool aligned = std::all_of(problem.pieces.begin(), problem.pieces.end(),
                                   [granule](const Piece& piece) { return piece.low % granule == 0; });
  if (aligned) return best;
  Antichain plain = HeaviestInGranules(problem, slots, 1, work_limit - best.work, deadline);
  plain.exact = best.exact = plain.exact && best.exact;
  plain.work = best.work = plain.work + best.work;
  return plain.bytes > best.bytes ? plain : best;
}

}  // namespace bufplan
