#include "planner/placement/antichain.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "planner/placement/chain_cover.h"
#include "planner/placement/chain_cut.h"
#include "planner/placement/chain_slots.h"
#include "planner/placement/granules.h"
#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

// In granules above a storage's alignment its pieces share it is not known what, so only a single one counts.
bool Counts(const StorageSpec& storage, int64_t granule) {
  return storage.num_pieces == 1 || storage.alignment_bytes >= granule;
}

// All granules that pieces which pairwise meet are sure to hold (granules.h), those that pieces of one storage share
// once; and the largest unused tail of a last granule.
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
      if (!Counts(storage, granule)) continue;
      const Granules granules = CountGranules(piece, storage.alignment_bytes, granule);
      const int64_t low = AlignUp(piece.low, granule);
      ranges.emplace_back(low, low + granules.bytes);
      occupied.tail_bytes = std::max(occupied.tail_bytes, granules.tail);
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

// By weights in the granules numbered `number`.
Antichain HeaviestInGranules(const PlacementProblem& problem, const ChainSlots& slots,
                             const std::vector<int64_t>& granules, size_t number, int64_t work_limit,
                             Deadline deadline) {
  const int64_t granule = granules[number];
  std::vector<int64_t> weights(problem.pieces.size(), 0);
  int64_t sum = 0;
  bool fits = true;
  for (const StorageSpec& storage : problem.storages) {
    if (!Counts(storage, granule)) continue;
    for (size_t p = storage.first_piece; p < storage.first_piece + storage.num_pieces; ++p) {
      weights[p] = CountGranules(problem.pieces[p], storage.alignment_bytes, granule).bytes;
      fits = fits && !__builtin_add_overflow(sum, weights[p], &sum);
    }
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
  for (int64_t g : granules) {
    const Occupied occupied = Measure(problem, result.pieces, g);
    result.bytes = std::max(result.bytes, occupied.granule_bytes - occupied.tail_bytes);
  }
  result.exact = result.exact && fits && Measure(problem, result.pieces, granule).granule_bytes == best.weight;
  return result;
}

}  // namespace

Antichain HeaviestAntichain(const PlacementProblem& problem, int64_t work_limit, Deadline deadline) {
  const ChainSlots slots = MakeChainSlots(problem);
  const std::vector<int64_t> granules = GranulesWorthCounting(problem);
  Antichain best;
  best.exact = true;
  for (size_t i = 0; i < granules.size(); ++i) {
    Antichain heaviest = HeaviestInGranules(problem, slots, granules, i, work_limit - best.work, deadline);
    heaviest.exact = best.exact = heaviest.exact && best.exact;
    heaviest.work = best.work = heaviest.work + best.work;
    if (heaviest.bytes > best.bytes || i == 0) best = std::move(heaviest);
  }
  return best;
}

}  // namespace bufplan
