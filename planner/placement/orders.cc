#include "planner/placement/orders.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

// The load after each begin of a piece, and for each piece the largest of them during its life, by a sparse table of
// maxima.
void ComputeBusiest(const PlacementProblem& problem, std::vector<int64_t>& busiest) {
  const size_t n = problem.pieces.size();
  std::vector<int64_t> begins(n), ends(n);
  for (size_t p = 0; p < n; ++p) {
    begins[p] = problem.pieces[p].begin;
    ends[p] = problem.pieces[p].end;
  }
  std::vector<int32_t> by_begin, by_end;
  OrderByTime(begins, by_begin);
  OrderByTime(ends, by_end);

  std::vector<size_t> first(n), last(n);  // the pieces that begin during the life, as places in by_begin
  std::vector<int64_t> load(n);
  int64_t live = 0;
  size_t ended = 0;
  const auto end_next = [&](size_t place) {
    const size_t p = static_cast<size_t>(by_end[ended++]);
    live -= problem.pieces[p].high - problem.pieces[p].low;
    last[p] = place;
  };
  for (size_t i = 0; i < n; ++i) {
    const size_t p = static_cast<size_t>(by_begin[i]);
    while (ends[static_cast<size_t>(by_end[ended])] <= begins[p]) end_next(i);
    live += problem.pieces[p].high - problem.pieces[p].low;
    load[i] = live;
    first[p] = i;
  }
  while (ended < n) end_next(n);

  std::vector<std::vector<int64_t>> largest = {load};  // [k][i]: of load[i .. i + 2^k)
  for (size_t width = 1; 2 * width <= n; width *= 2) {
    const std::vector<int64_t>& half = largest.back();
    std::vector<int64_t> row(n - 2 * width + 1);
    for (size_t i = 0; i < row.size(); ++i) row[i] = std::max(half[i], half[i + width]);
    largest.push_back(std::move(row));
  }
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const StorageSpec& storage = problem.storages[s];
    for (size_t p = storage.first_piece; p < storage.first_piece + storage.num_pieces; ++p) {
      size_t k = 0;
      while (size_t{2} << k <= last[p] - first[p]) ++k;
      const int64_t here = std::max(largest[k][first[p]], largest[k][last[p] - (size_t{1} << k)]);
      busiest[s] = std::max(busiest[s], here);
    }
  }
}

template <class Key>
std::vector<int32_t> SortBy(size_t n, Key key) {
  using Keyed = std::pair<decltype(key(size_t{0})), int32_t>;
  std::vector<Keyed> keyed;
  keyed.reserve(n);
  for (size_t s = 0; s < n; ++s) keyed.emplace_back(key(s), static_cast<int32_t>(s));
  std::sort(keyed.begin(), keyed.end());
  std::vector<int32_t> order;
  order.reserve(n);
  for (const Keyed& entry : keyed) order.push_back(entry.second);
  return order;
}

}  // namespace

StorageTraits ComputeTraits(const PlacementProblem& problem) {
  const size_t n = problem.storages.size();
  StorageTraits traits;
  traits.size_bytes.resize(n);
  traits.begin.assign(n, 0);
  traits.end.assign(n, 0);
  traits.area.assign(n, 0);
  traits.busiest.assign(n, 0);
  for (size_t s = 0; s < n; ++s) {
    traits.size_bytes[s] = problem.storages[s].size_bytes;
    bool first = true;
    for (const Piece& piece : problem.PiecesOf(s)) {
      traits.begin[s] = first ? piece.begin : std::min(traits.begin[s], piece.begin);
      traits.end[s] = first ? piece.end : std::max(traits.end[s], piece.end);
      traits.area[s] += static_cast<double>(piece.high - piece.low) *
                        (static_cast<double>(piece.end) - static_cast<double>(piece.begin));
      first = false;
    }
  }
  if (!problem.pieces.empty()) ComputeBusiest(problem, traits.busiest);
  return traits;
}

std::vector<int32_t> MakeOrder(const StorageTraits& traits, OrderKind kind) {
  const size_t n = traits.size_bytes.size();
  const auto size = [&](size_t s) { return -traits.size_bytes[s]; };
  const auto area = [&](size_t s) { return -traits.area[s]; };
  const auto duration = [&](size_t s) {
    return static_cast<double>(traits.begin[s]) - static_cast<double>(traits.end[s]);
  };
  const auto busiest = [&](size_t s) { return -traits.busiest[s]; };
  switch (kind) {
    case OrderKind::kSize: return SortBy(n, size);
    case OrderKind::kArea: return SortBy(n, area);
    case OrderKind::kDuration: return SortBy(n, duration);
    case OrderKind::kStart: return SortBy(n, [&](size_t s) { return traits.begin[s]; });
    case OrderKind::kSizeDuration: return SortBy(n, [&](size_t s) { return std::make_tuple(size(s), duration(s)); });
    case OrderKind::kDurationSize: return SortBy(n, [&](size_t s) { return std::make_tuple(duration(s), size(s)); });
    case OrderKind::kBusiest: return SortBy(n, [&](size_t s) { return std::make_tuple(busiest(s), size(s), area(s)); });
    case OrderKind::kBusiestArea: return SortBy(n, [&](size_t s) { return std::make_tuple(busiest(s), area(s)); });
    case OrderKind::kEnd: return SortBy(n, [&](size_t s) { return -static_cast<double>(traits.end[s]); });
    case OrderKind::kReverseStart: return SortBy(n, [&](size_t s) { return -static_cast<double>(traits.begin[s]); });
  }
  return {};
}

}  // namespace bufplan
