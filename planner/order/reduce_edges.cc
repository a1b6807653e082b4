#include "planner/order/reduce_edges.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bufplan {

std::vector<OrderEdge> ReduceEdges(const Graph& graph, const Schedule& schedule, std::vector<OrderEdge> edges) {
  if (edges.empty()) return edges;
  const absl::StatusOr<Schedule> ordered = schedule.WithEdges(edges);
  if (!ordered.ok()) return edges;

  // What comes right before a unit: by (unit, unit before), the one before in its stream, and sources of edges to it.
  std::vector<std::pair<int32_t, int32_t>> before;
  std::vector<int32_t> last(static_cast<size_t>(graph.num_streams()), Schedule::kStart);
  for (int32_t t = 0; t < schedule.End(); ++t) {
    if (schedule.UnitAt(t).empty()) continue;
    int32_t& previous = last[static_cast<size_t>(schedule.StreamOf(t))];
    if (previous != Schedule::kStart) before.emplace_back(t, previous);
    previous = t;
  }
  const auto add = [&](OpId from, OpId to) {
    const int32_t a = schedule.TimeOf(from), b = schedule.TimeOf(to);
    if (a != b) before.emplace_back(b, a);
  };
  for (const auto& [from, to] : graph.cross_stream_edges()) add(OpId(from), OpId(to));
  for (const OrderEdge& e : edges) add(e.before, e.after);
  std::sort(before.begin(), before.end());

  std::vector<std::pair<int32_t, int32_t>> kept;
  std::erase_if(edges, [&](const OrderEdge& e) {
    const int32_t a = schedule.TimeOf(e.before), b = schedule.TimeOf(e.after);
    const auto same = std::make_pair(b, a);
    const auto range = std::equal_range(before.begin(), before.end(), same);
    // By way of something else, by an edge of the graph, or by an equal edge that stays.
    bool implied = a == b || std::find(kept.begin(), kept.end(), same) != kept.end();
    const auto of_graph = [&](const std::pair<int32_t, int32_t>& g) {
      return schedule.TimeOf(OpId(g.first)) == a && schedule.TimeOf(OpId(g.second)) == b;
    };
    if (!implied && range.second - range.first > 1) {
      const absl::Span<const std::pair<int32_t, int32_t>> own = graph.cross_stream_edges();
      implied = std::any_of(own.begin(), own.end(), of_graph);
    }
    auto other = std::lower_bound(before.begin(), before.end(), std::make_pair(b, INT32_MIN));
    for (; !implied && other != before.end() && other->first == b; ++other) {
      implied = other->second != a && ordered->Before(a, other->second);
    }
    // In its stream.
    implied = implied || schedule.StreamOf(a) == schedule.StreamOf(b);
    if (!implied) kept.push_back(same);
    return implied;
  });
  return edges;
}

}  // namespace bufplan
