#include "io/explain/occupancy.h"

#include <algorithm>
#include <utility>

namespace bufplan {
namespace {

// Lengths of the part of a line that is covered by at least one of the intervals added and not removed.
class CoverTree {
 public:
  // `points` ascending and distinct, at least two.
  explicit CoverTree(std::vector<int64_t> points) : points_(std::move(points)) {
    const size_t nodes = 4 * (points_.size() - 1);
    count_.resize(nodes, 0);
    covered_.resize(nodes, 0);
  }
  int64_t covered() const { return covered_[0]; }
  // Adds `change` to how often [begin, end) is covered; both are points.
  void Add(int64_t begin, int64_t end, int32_t change) {
    Update(0, 0, points_.size() - 1, Index(begin), Index(end), change);
  }

 private:
  size_t Index(int64_t point) const {
    return static_cast<size_t>(std::lower_bound(points_.begin(), points_.end(), point) - points_.begin());
  }
  void Update(size_t node, size_t low, size_t high, size_t begin, size_t end, int32_t change) {
    if (begin <= low && high <= end) {
      count_[node] += change;
    } else {
      const size_t middle = low + (high - low) / 2;
      if (begin < middle) Update(2 * node + 1, low, middle, begin, end, change);
      if (end > middle) Update(2 * node + 2, middle, high, begin, end, change);
    }
    covered_[node] = count_[node] > 0  ? points_[high] - points_[low]
                     : high - low == 1 ? 0
                                       : covered_[2 * node + 1] + covered_[2 * node + 2];
  }

  std::vector<int64_t> points_;
  std::vector<int32_t> count_;
  std::vector<int64_t> covered_;
};

struct Event {
  int64_t time;
  int32_t change;  // +1: begins
  ByteRange bytes;
};

}  // namespace

std::vector<OccupancyStep> OccupancyOf(const Layout& layout, int32_t memory) {
  std::vector<Event> events;
  std::vector<int64_t> points;
  for (const PlacedBytes& p : layout.placed()) {
    if (p.memory != memory) continue;
    events.push_back({p.begin, 1, p.bytes});
    events.push_back({p.end, -1, p.bytes});
    points.push_back(p.bytes.begin);
    points.push_back(p.bytes.end);
  }
  std::vector<OccupancyStep> steps;
  if (events.empty()) return steps;
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  CoverTree tree(std::move(points));
  for (size_t i = 0; i < events.size(); ++i) {
    tree.Add(events[i].bytes.begin, events[i].bytes.end, events[i].change);
    if (i + 1 < events.size() && events[i + 1].time == events[i].time) continue;
    if (steps.empty() || steps.back().bytes != tree.covered()) steps.push_back({events[i].time, tree.covered()});
  }
  return steps;
}

std::optional<OccupancyStep> PeakOf(const std::vector<OccupancyStep>& steps, std::optional<int64_t> preferred) {
  if (steps.empty()) return std::nullopt;
  const auto fewer = [](const OccupancyStep& a, const OccupancyStep& b) { return a.bytes < b.bytes; };
  const OccupancyStep peak = *std::max_element(steps.begin(), steps.end(), fewer);
  if (!preferred.has_value()) return peak;
  const auto after = std::upper_bound(steps.begin(), steps.end(), *preferred,
                                      [](int64_t time, const OccupancyStep& s) { return time < s.time; });
  if (after == steps.begin() || (after - 1)->bytes != peak.bytes) return peak;
  return OccupancyStep{*preferred, peak.bytes};
}

}  // namespace bufplan
