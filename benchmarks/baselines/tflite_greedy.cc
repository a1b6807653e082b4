#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/baselines/baselines.h"
#include "benchmarks/baselines/gap_fit.h"

namespace bufplan {
namespace {

absl::StatusOr<BaselinePlan> LargestFirst(const Problem& problem, const BaselineLimits& limits, GapRule rule) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  std::vector<int32_t> order = Participants(problem);
  const auto key = [&](int32_t i) {
    const Buffer& b = problem.buffers[static_cast<size_t>(i)];
    return std::pair(-b.bytes, b.begin);
  };
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  return FitInOrder(problem, limits, order, rule);
}

// The bytes alive from each begin on, and for a range of begins the first of the highest.
class Breadths {
 public:
  explicit Breadths(const Problem& problem) {
    std::vector<std::pair<int64_t, int64_t>> changes;
    for (int32_t i : Participants(problem)) {
      const Buffer& b = problem.buffers[static_cast<size_t>(i)];
      times_.push_back(b.begin);
      changes.emplace_back(b.begin, b.bytes);
      changes.emplace_back(b.end, -b.bytes);
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    std::sort(changes.begin(), changes.end());
    std::vector<int64_t> load;
    int64_t live = 0;
    size_t next = 0;
    for (int64_t time : times_) {
      for (; next < changes.size() && changes[next].first <= time; ++next) live += changes[next].second;
      load.push_back(live);
    }
    leaves_ = std::max<size_t>(times_.size(), 1);
    tree_.assign(2 * leaves_, kNone);
    for (size_t i = 0; i < load.size(); ++i) tree_[leaves_ + i] = {-load[i], times_[i]};
    for (size_t i = leaves_; i-- > 1;) tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
  }

  using Key = std::pair<int64_t, int64_t>;  // bytes alive, negated; time

  // The least key, which is that of the broadest begin, in [begin, end).
  Key Broadest(int64_t begin, int64_t end) const {
    size_t low = IndexOf(begin) + leaves_, high = IndexOf(end) + leaves_;
    Key best = kNone;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) best = std::min(best, tree_[low++]);
      if (high % 2 == 1) best = std::min(best, tree_[--high]);
    }
    return best;
  }

 private:
  static constexpr Key kNone = {INT64_MAX, INT64_MAX};

  size_t IndexOf(int64_t time) const {
    return static_cast<size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
  }

  std::vector<int64_t> times_;
  size_t leaves_ = 1;
  std::vector<Key> tree_;
};

}  // namespace

absl::StatusOr<BaselinePlan> TfliteBySize(const Problem& problem, const BaselineLimits& limits) {
  return LargestFirst(problem, limits, GapRule::kSmallest);
}

absl::StatusOr<BaselinePlan> TflmGreedy(const Problem& problem, const BaselineLimits& limits) {
  return LargestFirst(problem, limits, GapRule::kLowest);
}

// A buffer's turn comes with the broadest op of its life.
absl::StatusOr<BaselinePlan> TfliteByBreadth(const Problem& problem, const BaselineLimits& limits) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  const Breadths breadths(problem);
  std::vector<std::tuple<int64_t, int64_t, int64_t, int32_t>> keys;
  for (int32_t i : Participants(problem)) {
    const Buffer& b = problem.buffers[static_cast<size_t>(i)];
    const auto [breadth, time] = breadths.Broadest(b.begin, b.end);
    keys.emplace_back(breadth, time, -b.bytes, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int32_t> order;
  order.reserve(keys.size());
  for (const auto& key : keys) order.push_back(std::get<3>(key));
  return FitInOrder(problem, limits, order, GapRule::kSmallest);
}

}  // namespace bufplan
