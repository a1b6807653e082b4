#include "planner/order/chain_times.h"

#include <algorithm>

namespace bufplan {

ChainTimes::ChainTimes(const HappensBefore& order, absl::Span<const int32_t> stream_of_op, int32_t num_streams,
                       absl::Span<const int32_t> place, size_t max_entries)
    : stream_of_op_(stream_of_op.begin(), stream_of_op.end()), chain_of_stream_(static_cast<size_t>(num_streams), 0) {
  const size_t n = stream_of_op_.size();
  std::vector<std::vector<int32_t>> ops(static_cast<size_t>(num_streams));
  for (size_t i = 0; i < n; ++i) ops[static_cast<size_t>(stream_of_op_[i])].push_back(static_cast<int32_t>(i));

  int32_t used = 0;
  for (const std::vector<int32_t>& of_stream : ops) used += !of_stream.empty();
  const size_t most = std::max<size_t>(max_entries / std::max<size_t>(n, 1), 1);
  num_chains_ = static_cast<int32_t>(std::min(static_cast<size_t>(std::max(used, 1)), most));
  exact_ = num_chains_ >= used;
  int32_t next = 0;
  for (size_t s = 0; s < ops.size(); ++s) {
    if (!ops[s].empty()) chain_of_stream_[s] = next++ % num_chains_;
  }

  const size_t k = static_cast<size_t>(num_chains_);
  over_.assign(n * k, 0);
  for (const std::vector<int32_t>& from : ops) {
    if (from.empty()) continue;
    for (size_t s = 0; s < ops.size(); ++s) {
      const std::vector<int32_t>& to = ops[s];
      if (to.empty()) continue;
      const size_t chain = static_cast<size_t>(chain_of_stream_[s]);
      // Along a stream ever more of the other one is not after.
      size_t not_after = 0;
      for (const int32_t op : from) {
        while (not_after < to.size() && !order.Before(op, to[not_after])) ++not_after;
        int32_t& over = over_[static_cast<size_t>(op) * k + chain];
        if (not_after == 0) continue;
        const int32_t last = to[not_after - 1];
        over = std::max(over, (place.empty() ? last : place[static_cast<size_t>(last)]) + 1);
      }
    }
  }
}

}  // namespace bufplan
