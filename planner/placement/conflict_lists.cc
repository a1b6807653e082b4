#include "planner/placement/conflict_lists.h"

#include <utility>

#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

using Pair = std::pair<int32_t, int32_t>;

struct TimeOrders {
  std::vector<int32_t> by_begin, by_end;
};

TimeOrders OrderPieces(const PlacementProblem& problem) {
  std::vector<int64_t> times(problem.pieces.size());
  TimeOrders orders;
  for (size_t p = 0; p < times.size(); ++p) times[p] = problem.pieces[p].begin;
  OrderByTime(times, orders.by_begin);
  for (size_t p = 0; p < times.size(); ++p) times[p] = problem.pieces[p].end;
  OrderByTime(times, orders.by_end);
  return orders;
}

// Counts pairs of pieces live at once, up to just above `limit`.
int64_t CountPairs(const PlacementProblem& problem, const TimeOrders& orders, int64_t limit) {
  int64_t pairs = 0, live = 0;
  size_t ended = 0;
  for (int32_t p : orders.by_begin) {
    const int64_t now = problem.pieces[static_cast<size_t>(p)].begin;
    while (problem.pieces[static_cast<size_t>(orders.by_end[ended])].end <= now) {
      ++ended;
      --live;
    }
    pairs += live++;
    if (pairs > limit) break;
  }
  return pairs;
}

// Pairs of pieces of different storages that are live at once, each once.
std::vector<Pair> FindPairs(const PlacementProblem& problem, const TimeOrders& orders, int64_t num_pairs,
                            const std::vector<int32_t>& owner) {
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<size_t>(num_pairs));
  std::vector<int32_t> live;
  std::vector<size_t> place_in_live(problem.pieces.size());
  size_t ended = 0;
  for (int32_t p : orders.by_begin) {
    const int64_t now = problem.pieces[static_cast<size_t>(p)].begin;
    for (; problem.pieces[static_cast<size_t>(orders.by_end[ended])].end <= now; ++ended) {
      const size_t hole = place_in_live[static_cast<size_t>(orders.by_end[ended])];
      live[hole] = live.back();
      place_in_live[static_cast<size_t>(live[hole])] = hole;
      live.pop_back();
    }
    for (int32_t q : live) {
      if (owner[static_cast<size_t>(p)] != owner[static_cast<size_t>(q)]) pairs.emplace_back(p, q);
    }
    place_in_live[static_cast<size_t>(p)] = live.size();
    live.push_back(p);
  }
  return pairs;
}

// The same for lives with an order. Absent: more than `max_pairs` (those of one storage count). Each chain has a list
// of the pieces that are not known to be over for it; what begins there looks through it and takes out what is over.
std::optional<std::vector<Pair>> FindOrderedPairs(const PlacementProblem& problem, int64_t max_pairs,
                                                  const std::vector<int32_t>& owner) {
  const ChainOrder& order = *problem.order;
  std::vector<int64_t> begins;
  begins.reserve(problem.pieces.size());
  for (const Piece& piece : problem.pieces) begins.push_back(piece.begin);
  std::vector<int32_t> by_begin;
  OrderByTime(begins, by_begin);
  std::vector<std::vector<int32_t>> live(static_cast<size_t>(order.num_chains));
  std::vector<Pair> pairs;
  int64_t met = 0;
  for (int32_t p : by_begin) {
    const size_t piece = static_cast<size_t>(p);
    std::vector<int32_t>& here = live[static_cast<size_t>(order.chain[piece])];
    std::erase_if(here, [&](int32_t q) { return order.Before(static_cast<size_t>(q), piece, begins[piece]); });
    met += static_cast<int64_t>(here.size());
    if (met > max_pairs) return std::nullopt;
    for (int32_t q : here) {
      if (owner[piece] != owner[static_cast<size_t>(q)]) pairs.emplace_back(p, q);
    }
    for (std::vector<int32_t>& there : live) there.push_back(p);
  }
  return pairs;
}

}  // namespace

std::optional<ConflictLists> ConflictLists::Build(const PlacementProblem& problem, int64_t max_pairs) {
  const std::vector<int32_t> owner = OwnersOfPieces(problem);
  if (problem.order.has_value()) {
    const std::optional<std::vector<Pair>> pairs = FindOrderedPairs(problem, max_pairs, owner);
    if (!pairs.has_value()) return std::nullopt;
    return ConflictLists(problem.pieces.size(), *pairs);
  }
  const TimeOrders orders = OrderPieces(problem);
  const int64_t num_pairs = CountPairs(problem, orders, max_pairs);
  if (num_pairs > max_pairs) return std::nullopt;
  return ConflictLists(problem.pieces.size(), FindPairs(problem, orders, num_pairs, owner));
}

ConflictLists::ConflictLists(size_t num_pieces, absl::Span<const std::pair<int32_t, int32_t>> pairs) {
  first_.assign(num_pieces + 1, 0);
  for (const auto& [p, q] : pairs) {
    ++first_[static_cast<size_t>(p) + 1];
    ++first_[static_cast<size_t>(q) + 1];
  }
  for (size_t p = 0; p < num_pieces; ++p) first_[p + 1] += first_[p];
  neighbours_.resize(2 * pairs.size());
  std::vector<int64_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [p, q] : pairs) {
    neighbours_[static_cast<size_t>(next[static_cast<size_t>(p)]++)] = q;
    neighbours_[static_cast<size_t>(next[static_cast<size_t>(q)]++)] = p;
  }
}

std::vector<int32_t> OwnersOfPieces(const PlacementProblem& problem) {
  std::vector<int32_t> owner(problem.pieces.size());
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const StorageSpec& storage = problem.storages[s];
    for (uint32_t k = 0; k < storage.num_pieces; ++k) owner[storage.first_piece + k] = static_cast<int32_t>(s);
  }
  return owner;
}

}  // namespace bufplan
