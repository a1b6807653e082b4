#include "planner/placement/slot_lives.h"

#include <algorithm>
#include <bit>

#include "planner/placement/pieces.h"
#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

constexpr size_t kBlock = 64;

}  // namespace

SlotLives MakeSlotLives(const PlacementProblem& problem) {
  SlotLives lives;
  std::vector<int32_t> with_piece;
  std::vector<int64_t> begins, ends;
  with_piece.reserve(problem.pieces.size());
  begins.reserve(problem.pieces.size());
  ends.reserve(problem.pieces.size());
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    if (problem.storages[s].num_pieces == 0) continue;
    const Piece& piece = problem.pieces[problem.storages[s].first_piece];
    with_piece.push_back(static_cast<int32_t>(s));
    begins.push_back(piece.begin);
    ends.push_back(piece.end);
  }
  const size_t n = with_piece.size();
  std::vector<int32_t> by_begin, by_end;
  OrderByTime(begins, by_begin);
  OrderByTime(ends, by_end);

  lives.storage.resize(n);
  lives.life.resize(n);
  lives.size_bytes.resize(n);
  lives.log_alignment.resize(n);
  std::vector<int32_t> rank_of(n);
  for (size_t rank = 0; rank < n; ++rank) {
    const size_t i = static_cast<size_t>(by_begin[rank]);
    rank_of[i] = static_cast<int32_t>(rank);
    const bool same_time = rank > 0 && begins[static_cast<size_t>(by_begin[rank - 1])] == begins[i];
    lives.life[rank].first = same_time ? lives.life[rank - 1].first : static_cast<int32_t>(rank);
    lives.storage[rank] = with_piece[i];
    const StorageSpec& storage = problem.storages[static_cast<size_t>(with_piece[i])];
    lives.size_bytes[rank] = storage.size_bytes;
    lives.log_alignment[rank] = static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(storage.alignment_bytes)));
  }
  size_t begun = 0;
  for (const int32_t i : by_end) {
    while (begun < n && begins[static_cast<size_t>(by_begin[begun])] < ends[static_cast<size_t>(i)]) ++begun;
    lives.life[static_cast<size_t>(rank_of[static_cast<size_t>(i)])].end = static_cast<int32_t>(begun);
  }

  lives.load.assign(n + 1, 0);
  for (size_t rank = 0; rank < n; ++rank) {
    const SlotLife life = lives.life[rank];
    const int64_t bytes = AlignUp(lives.size_bytes[rank], int64_t{1} << lives.log_alignment[rank]);
    lives.load[static_cast<size_t>(life.first)] += bytes;
    lives.load[static_cast<size_t>(life.end)] -= bytes;
    lives.live_slots += life.end - life.first;
  }
  for (size_t slot = 1; slot <= n; ++slot) lives.load[slot] += lives.load[slot - 1];
  lives.load.pop_back();
  return lives;
}

std::vector<int64_t> HighestLoads(const SlotLives& lives) {
  const size_t n = lives.size();
  // Maxima of 1, 2, 4, ... blocks of slots.
  std::vector<std::vector<int64_t>> largest(1, std::vector<int64_t>(n / kBlock + 1, 0));
  for (size_t slot = 0; slot < n; ++slot) {
    largest[0][slot / kBlock] = std::max(largest[0][slot / kBlock], lives.load[slot]);
  }
  for (size_t width = 1; 2 * width <= largest[0].size(); width *= 2) {
    const std::vector<int64_t>& half = largest.back();
    std::vector<int64_t> row(largest[0].size() - 2 * width + 1);
    for (size_t i = 0; i < row.size(); ++i) row[i] = std::max(half[i], half[i + width]);
    largest.push_back(std::move(row));
  }
  const auto highest = [&](size_t from, size_t to) {
    return *std::max_element(lives.load.begin() + static_cast<std::ptrdiff_t>(from),
                             lives.load.begin() + static_cast<std::ptrdiff_t>(to));
  };
  std::vector<int64_t> result(n);
  for (size_t rank = 0; rank < n; ++rank) {
    const size_t first = static_cast<size_t>(lives.life[rank].first), end = static_cast<size_t>(lives.life[rank].end);
    const size_t first_block = (first + kBlock - 1) / kBlock, end_block = end / kBlock;
    if (first_block >= end_block) {
      result[rank] = highest(first, end);
      continue;
    }
    const size_t k = static_cast<size_t>(std::bit_width(end_block - first_block)) - 1;
    int64_t load = std::max(largest[k][first_block], largest[k][end_block - (size_t{1} << k)]);
    if (first < first_block * kBlock) load = std::max(load, highest(first, first_block * kBlock));
    if (end_block * kBlock < end) load = std::max(load, highest(end_block * kBlock, end));
    result[rank] = load;
  }
  return result;
}

}  // namespace bufplan
