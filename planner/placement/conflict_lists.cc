#include "planner/placement/conflict_lists.h"

#include <utility>

#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

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

}  // namespace

std::optional<ConflictLists> ConflictLists::Build(const PlacementProblem& problem, int64_t max_pairs) {
  const size_t n = problem.pieces.size();
  const TimeOrders orders = OrderPieces(problem);
  const int64_t num_pairs = CountPairs(problem, orders, max_pairs);
  if (num_pairs > max_pairs) return std::nullopt;

  const std::vector<int32_t> owner = OwnersOfPieces(problem);
  std::vector<std::pair<int32_t, int32_t>> pairs;
  pairs.reserve(static_cast<size_t>(num_pairs));
  std::vector<int32_t> live;
  std::vector<size_t> place_in_live(n);
  ConflictLists lists;
  lists.first_.assign(n + 1, 0);
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
      if (owner[static_cast<size_t>(p)] == owner[static_cast<size_t>(q)]) continue;
      pairs.emplace_back(p, q);
      ++lists.first_[static_cast<size_t>(p) + 1];
      ++lists.first_[static_cast<size_t>(q) + 1];
    }
    place_in_live[static_cast<size_t>(p)] = live.size();
    live.push_back(p);
  }
  for (size_t p = 0; p < n; ++p) lists.first_[p + 1] += lists.first_[p];
  lists.neighbours_.resize(2 * pairs.size());
  std::vector<int64_t> next(lists.first_.begin(), lists.first_.end() - 1);
  for (const auto& [p, q] : pairs) {
    lists.neighbours_[static_cast<size_t>(next[static_cast<size_t>(p)]++)] = q;
    lists.neighbours_[static_cast<size_t>(next[static_cast<size_t>(q)]++)] = p;
  }
  return lists;
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
