#include "planner/placement/chain_pools.h"

#include <algorithm>
#include <cstddef>

#include "planner/placement/pieces.h"
#include "planner/placement/sweep.h"

namespace bufplan {
namespace {

struct Pool {
  PlacementProblem problem;
  std::vector<size_t> storages;  // of the whole problem, by storage of the pool's
};

int64_t LatestOver(const ChainOrder& order, size_t piece) {
  int32_t latest = 0;
  for (int32_t c = 0; c < order.num_chains; ++c) latest = std::max(latest, order.Over(piece, c));
  return latest;
}

}  // namespace

int64_t PlaceInChainPools(const PlacementProblem& problem, std::vector<int64_t>& offset_bytes) {
  const ChainOrder& order = *problem.order;
  const size_t mixed = static_cast<size_t>(order.num_chains);
  std::vector<Pool> pools(mixed + 1);
  int64_t alignment = 1;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    StorageSpec spec = problem.storages[s];
    if (spec.num_pieces == 0) continue;
    alignment = std::max(alignment, spec.alignment_bytes);
    const size_t first = spec.first_piece, end = first + spec.num_pieces;
    size_t home = static_cast<size_t>(order.chain[first]);
    for (size_t p = first; p < end; ++p) home = static_cast<size_t>(order.chain[p]) == home ? home : mixed;
    Pool& pool = pools[home];
    spec.first_piece = static_cast<uint32_t>(pool.problem.pieces.size());
    for (size_t p = first; p < end; ++p) {
      Piece piece = problem.pieces[p];
      piece.end = home == mixed ? LatestOver(order, p) : order.Over(p, static_cast<int32_t>(home));
      pool.problem.pieces.push_back(piece);
    }
    pool.problem.storages.push_back(spec);
    pool.storages.push_back(s);
  }

  offset_bytes.assign(problem.storages.size(), 0);
  int64_t top = 0, end = 0;
  std::vector<int64_t> offsets;
  for (const Pool& pool : pools) {
    if (pool.storages.empty()) continue;
    const int64_t base = AlignUp(top, alignment);
    top = base + SweepBestFit(pool.problem, offsets);
    for (size_t i = 0; i < pool.storages.size(); ++i) {
      const size_t s = pool.storages[i];
      offset_bytes[s] = base + offsets[i];
      end = std::max(end, offset_bytes[s] + problem.storages[s].size_bytes);
    }
  }
  return end;
}

}  // namespace bufplan
