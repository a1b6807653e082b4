#include "planner/placement/interval_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "planner/placement/chain_slots.h"

namespace bufplan {
namespace {

// By slot, how many pieces are before the slot's.
std::vector<int32_t> CountPredecessors(const ChainSlots& slots) {
  const size_t n = slots.piece.size(), k = static_cast<size_t>(slots.num_chains);
  std::vector<int32_t> count(n, 0);
  for (size_t p = 0; p < n; ++p) {
    for (size_t c = 0; c < k; ++c) {
      const int32_t entry = slots.Entry(p, c);
      if (entry < slots.first[c + 1]) ++count[static_cast<size_t>(entry)];
    }
  }
  for (size_t c = 0; c < k; ++c) {
    const auto first = count.begin() + slots.first[c];
    std::partial_sum(first, count.begin() + slots.first[c + 1], first);
  }
  return count;
}

// How many pairs of pieces, a second that begins when or after a first ends.
int64_t CountPairs(const std::vector<Piece>& intervals) {
  std::vector<int64_t> ended(intervals.size() + 1, 0);  // by time; 0 is no end
  for (const Piece& piece : intervals) ++ended[static_cast<size_t>(piece.end)];
  for (size_t time = 1; time < ended.size(); ++time) ended[time] += ended[time - 1];
  int64_t pairs = 0;
  for (const Piece& piece : intervals) pairs += ended[static_cast<size_t>(piece.begin)];
  return pairs;
}

}  // namespace

std::optional<std::vector<Piece>> AsIntervals(const PlacementProblem& problem) {
  if (!problem.order.has_value()) return problem.pieces;
  const ChainSlots slots = MakeChainSlots(problem);
  const std::vector<int32_t> predecessors = CountPredecessors(slots);
  std::vector<Piece> intervals = problem.pieces;
  int64_t pairs = 0;
  for (size_t p = 0; p < intervals.size(); ++p) {
    // What is before nothing ends last. Along a chain the counts grow, so the first piece there has the fewest.
    int64_t end = static_cast<int64_t>(intervals.size());
    for (size_t c = 0; c < static_cast<size_t>(slots.num_chains); ++c) {
      const int32_t entry = slots.Entry(p, c);
      if (entry < slots.first[c + 1]) end = std::min<int64_t>(end, predecessors[static_cast<size_t>(entry)]);
    }
    intervals[p].begin = predecessors[static_cast<size_t>(slots.slot[p])];
    intervals[p].end = end;
    pairs += intervals[p].begin;
  }
  if (CountPairs(intervals) != pairs) return std::nullopt;
  return intervals;
}

}  // namespace bufplan
