#include "planner/placement/time_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace bufplan {
namespace {

// Counting sort; `range` is the largest time minus the smallest.
void CountingOrder(absl::Span<const int64_t> times, int64_t smallest, size_t range, std::vector<int32_t>& order) {
  std::vector<int32_t> next(range + 2, 0);
  for (int64_t time : times) ++next[static_cast<size_t>(time - smallest) + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  order.resize(times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    order[static_cast<size_t>(next[static_cast<size_t>(times[i] - smallest)]++)] = static_cast<int32_t>(i);
  }
}

}  // namespace

void OrderByTime(absl::Span<const int64_t> times, std::vector<int32_t>& order) {
  const size_t n = times.size();
  order.clear();
  if (n == 0) return;
  bool ascending = true;
  int64_t smallest = times[0], largest = times[0];
  for (size_t i = 1; i < n; ++i) {
    ascending &= times[i - 1] <= times[i];
    smallest = std::min(smallest, times[i]);
    largest = std::max(largest, times[i]);
  }
  const uint64_t range = static_cast<uint64_t>(largest) - static_cast<uint64_t>(smallest);
  if (!ascending && range <= 4 * n + 256) {
    CountingOrder(times, smallest, static_cast<size_t>(range), order);
    return;
  }
  order.resize(n);
  std::iota(order.begin(), order.end(), 0);
  if (ascending) return;
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const int64_t time_a = times[static_cast<size_t>(a)], time_b = times[static_cast<size_t>(b)];
    return time_a != time_b ? time_a < time_b : a < b;
  });
}

}  // namespace bufplan
