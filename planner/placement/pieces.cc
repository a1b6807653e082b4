#include "planner/placement/pieces.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace bufplan {
namespace {

bool Covers(const Piece& outer, const Piece& inner) { return outer.low <= inner.low && inner.high <= outer.high; }

// Appends `piece` to the pieces of one storage, which lie from `first` on; calls come in order of time.
void AppendPiece(Piece piece, size_t first, std::vector<Piece>& pieces) {
  while (pieces.size() > first) {
    Piece& last = pieces.back();
    if (last.end < piece.begin) break;
    const bool in_order = last.begin <= piece.begin;  // not so after a cut
    if (in_order && last.low == piece.low && last.high == piece.high) {
      last.end = std::max(last.end, piece.end);
      return;
    }
    if (in_order && Covers(last, piece)) {
      piece.begin = last.end;
      if (piece.begin >= piece.end) return;
      break;
    }
    if (!Covers(piece, last) || last.end > piece.end) break;
    last.end = std::min(last.end, piece.begin);
    if (last.begin < last.end) break;
    pieces.pop_back();
  }
  pieces.push_back(piece);
}

}  // namespace

int64_t CommonAlignment(const PlacementProblem& problem) {
  int64_t smallest = 0;
  for (const StorageSpec& storage : problem.storages) {
    if (storage.num_pieces == 0) continue;
    if (smallest == 0 || storage.alignment_bytes < smallest) smallest = storage.alignment_bytes;
  }
  return std::max<int64_t>(smallest, 1);
}

bool HasManyPieces(const PlacementProblem& problem) {
  return std::any_of(problem.storages.begin(), problem.storages.end(),
                     [](const StorageSpec& storage) { return storage.num_pieces > 1; });
}

int64_t LastEnd(const PlacementProblem& problem, absl::Span<const int64_t> offset_bytes) {
  int64_t bytes = 0;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    bytes = std::max(bytes, offset_bytes[s] + problem.storages[s].size_bytes);
  }
  return bytes;
}

PlacementProblem PartOf(const PlacementProblem& problem, absl::Span<const int32_t> storages) {
  PlacementProblem part;
  part.max_chunk_bytes = problem.max_chunk_bytes;
  if (problem.order.has_value()) part.order.emplace().num_chains = problem.order->num_chains;
  std::vector<int32_t> index;  // by storage, where there are disjoint pairs
  if (!problem.disjoint.empty()) index.assign(problem.storages.size(), -1);
  for (int32_t s : storages) {
    StorageSpec storage = problem.storages[static_cast<size_t>(s)];
    const size_t first = storage.first_piece, end = first + storage.num_pieces;
    if (!index.empty()) index[static_cast<size_t>(s)] = static_cast<int32_t>(part.storages.size());
    storage.first_piece = static_cast<uint32_t>(part.pieces.size());
    part.storages.push_back(storage);
    for (size_t p = first; p < end; ++p) part.pieces.push_back(problem.pieces[p]);
    if (problem.order.has_value()) part.order->AddPiecesOf(*problem.order, first, end);
  }
  for (DisjointStorages pair : problem.disjoint) {
    pair.a = index[static_cast<size_t>(pair.a)];
    pair.b = index[static_cast<size_t>(pair.b)];
    if (pair.a >= 0 && pair.b >= 0) part.disjoint.push_back(pair);
  }
  return part;
}

PlacementProblem MergePieces(const PlacementProblem& problem) {
  PlacementProblem merged;
  merged.storages = problem.storages;
  merged.disjoint = problem.disjoint;
  merged.capacity_bytes = problem.capacity_bytes;
  merged.max_chunk_bytes = problem.max_chunk_bytes;
  merged.pieces.reserve(problem.pieces.size());
  std::vector<Piece> sorted;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const absl::Span<const Piece> old = problem.PiecesOf(s);
    const size_t first = merged.pieces.size();
    if (old.size() == 1) {
      merged.pieces.push_back(old[0]);
    } else {
      const auto earlier = [](const Piece& a, const Piece& b) {
        return std::tie(a.begin, a.end, a.low, a.high) < std::tie(b.begin, b.end, b.low, b.high);
      };
      sorted.assign(old.begin(), old.end());
      if (!std::is_sorted(sorted.begin(), sorted.end(), earlier)) std::sort(sorted.begin(), sorted.end(), earlier);
      for (const Piece& piece : sorted) AppendPiece(piece, first, merged.pieces);
    }
    merged.storages[s].first_piece = static_cast<uint32_t>(first);
    merged.storages[s].num_pieces = static_cast<uint32_t>(merged.pieces.size() - first);
  }
  return merged;
}

}  // namespace bufplan
