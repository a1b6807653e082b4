#include "planner/placement/peak_first.h"

#include <algorithm>
#include <tuple>

namespace bufplan {
namespace {

// Passes that bring nothing before the order is given up.
constexpr int kPatience = 4;

// Storages placed between looks at the clock.
constexpr size_t kLookEvery = 2048;

constexpr int32_t kAtPeak = INT32_MIN;

struct Key {
  int32_t group;  // kAtPeak, then the others: minus how often they did not fit
  int64_t major, minor;
  int32_t rank;
};

int64_t KeyAtPeak(PeakOrder order, SlotLife life) {
  switch (order) {
    case PeakOrder::kLatestEnd: return -life.end;
    case PeakOrder::kEarliestBegin: return life.first;
    case PeakOrder::kLongest: return life.first - life.end;
  }
  return 0;
}

}  // namespace

int64_t PlacePeakFirst(const SlotLives& lives, int64_t target_bytes, PeakOrder order, int passes, TimeBuckets& buckets,
                       std::vector<int64_t>& offset_bytes, Deadline deadline) {
  const size_t n = lives.size();
  const int32_t peak =
      static_cast<int32_t>(std::max_element(lives.load.begin(), lives.load.end()) - lives.load.begin());
  std::vector<Key> keys(n);
  for (size_t rank = 0; rank < n; ++rank) {
    const SlotLife life = lives.life[rank];
    const int64_t size = lives.size_bytes[rank];
    const int64_t distance = std::max(life.first - peak, peak - life.end);
    const bool at_peak = life.first <= peak && peak < life.end;
    keys[rank] = at_peak ? Key{kAtPeak, KeyAtPeak(order, life), -size, static_cast<int32_t>(rank)}
                         : Key{0, -size, -distance, static_cast<int32_t>(rank)};
  }

  int64_t best_top = INT64_MAX;
  std::vector<int64_t> offset(n);
  for (int pass = 0, since_best = 0; pass < passes && since_best < kPatience; ++pass) {
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return std::tie(a.group, a.major, a.minor, a.rank) < std::tie(b.group, b.major, b.minor, b.rank);
    });
    buckets.Clear();
    int64_t top = 0;
    bool changed = false;
    for (size_t i = 0; i < n; ++i) {
      if (i % kLookEvery == 0 && deadline.Passed()) return best_top;
      Key& key = keys[i];
      const size_t rank = static_cast<size_t>(key.rank);
      offset[rank] = buckets.InsertLowest(rank);
      const int64_t end = offset[rank] + lives.size_bytes[rank];
      top = std::max(top, end);
      if (end <= target_bytes || key.group == kAtPeak) continue;
      --key.group;
      changed = true;
    }
    ++since_best;
    if (top < best_top) {
      best_top = top;
      offset_bytes = offset;
      since_best = 0;
    }
    if (best_top <= target_bytes || !changed) break;
  }
  return best_top;
}

}  // namespace bufplan
