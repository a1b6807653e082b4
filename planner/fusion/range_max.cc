#include "planner/fusion/range_max.h"

#include <algorithm>

namespace bufplan {

RangeMax::RangeMax(absl::Span<const int64_t> values) {
  while (leaves_ < static_cast<int64_t>(values.size())) leaves_ *= 2;
  const size_t n = static_cast<size_t>(leaves_);
  max_.assign(2 * n, INT64_MIN / 2);
  sum_.assign(2 * n, 0);
  std::copy(values.begin(), values.end(), max_.begin() + leaves_);
  for (size_t i = n - 1; i >= 1; --i) max_[i] = std::max(max_[2 * i], max_[2 * i + 1]);
}

void RangeMax::Add(int64_t begin, int64_t end, int64_t delta) {
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, leaves_);
  if (begin < end) Add(1, 0, leaves_, begin, end, delta);
}

void RangeMax::Add(size_t node, int64_t node_begin, int64_t node_end, int64_t begin, int64_t end, int64_t delta) {
  if (begin <= node_begin && node_end <= end) {
    max_[node] += delta;
    sum_[node] += delta;
    return;
  }
  const int64_t middle = node_begin + (node_end - node_begin) / 2;
  if (begin < middle) Add(2 * node, node_begin, middle, begin, end, delta);
  if (middle < end) Add(2 * node + 1, middle, node_end, begin, end, delta);
  max_[node] = std::max(max_[2 * node], max_[2 * node + 1]) + sum_[node];
}

}  // namespace bufplan
