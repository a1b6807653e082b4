#include "planner/placement/occupied_bytes.h"

#include <algorithm>
#include <cstddef>

namespace bufplan {
namespace {

// The length of a union of intervals that come and go, over fixed end points.
class UnionLength {
 public:
  explicit UnionLength(std::vector<int64_t> points) : points_(std::move(points)), nodes_(4 * points_.size()) {}

  // Adds (count = 1) or takes away (count = -1) the interval [low, high); both are among the points.
  void Change(int64_t low, int64_t high, int32_t count) {
    const auto index = [&](int64_t point) {
      return static_cast<size_t>(std::lower_bound(points_.begin(), points_.end(), point) - points_.begin());
    };
    Change(0, 0, points_.size() - 1, index(low), index(high), count);
  }

  int64_t length() const { return nodes_[0].length; }

 private:
  struct Node {
    int32_t count = 0;   // intervals that cover the node's span and were not passed on to both children
    int64_t length = 0;  // of the union, within the span
  };

  // The node's span is [points_[first], points_[last]); the change is [points_[low], points_[high]).
  void Change(size_t node, size_t first, size_t last, size_t low, size_t high, int32_t count) {
    if (high <= first || last <= low) return;
    Node& n = nodes_[node];
    if (low <= first && last <= high) {
      n.count += count;
    } else {
      const size_t middle = first + (last - first) / 2;
      Change(2 * node + 1, first, middle, low, high, count);
      Change(2 * node + 2, middle, last, low, high, count);
    }
    if (n.count > 0) {
      n.length = points_[last] - points_[first];
    } else {
      n.length = last - first == 1 ? 0 : nodes_[2 * node + 1].length + nodes_[2 * node + 2].length;
    }
  }

  std::vector<int64_t> points_;
  std::vector<Node> nodes_;
};

}  // namespace

void AppendOccupiedChanges(absl::Span<const Piece> pieces, std::vector<OccupiedChange>& changes) {
  if (pieces.empty()) return;
  struct Event {
    int64_t time;
    const Piece* piece;
    int32_t count;
  };
  std::vector<int64_t> points;
  std::vector<Event> events;
  points.reserve(2 * pieces.size());
  events.reserve(2 * pieces.size());
  for (const Piece& piece : pieces) {
    points.push_back(piece.low);
    points.push_back(piece.high);
    events.push_back({piece.begin, &piece, 1});
    events.push_back({piece.end, &piece, -1});
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });

  UnionLength occupied(std::move(points));
  for (size_t i = 0; i < events.size();) {
    const int64_t time = events[i].time, before = occupied.length();
    for (; i < events.size() && events[i].time == time; ++i) {
      occupied.Change(events[i].piece->low, events[i].piece->high, events[i].count);
    }
    if (occupied.length() != before) changes.push_back({time, occupied.length() - before});
  }
}

}  // namespace bufplan
