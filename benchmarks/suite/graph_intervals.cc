#include "benchmarks/suite/graph_intervals.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

struct Rectangle {
  int64_t begin, end, low, high;
  int32_t chunk;
  std::string name;

  bool Meets(const Rectangle& o) const {
    return chunk == o.chunk && begin < o.end && o.begin < end && low < o.high && o.low < high;
  }
};

}  // namespace

Problem IntervalsOf(const Graph& graph, const Plan& plan) {
  // Time: 0 before the first op, 1 + i during op i, the last one after all of them.
  const int64_t last_time = static_cast<int64_t>(graph.ops().size()) + 1;
  std::vector<Rectangle> parts;
  std::vector<int32_t> part_of(graph.values().size(), -1);
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId id(static_cast<int32_t>(i));
    const Value& value = graph.value(id);
    const Location& where = plan.location(id);
    if (where.kind != Location::Kind::kArena || where.memory != 0 || value.max_bytes == 0) continue;
    const LiveRange& live = plan.live[i];
    const int64_t begin = live.first.has_value() ? static_cast<int64_t>(live.first->index()) + 1 : 0;
    const int64_t end = (live.last.has_value() ? static_cast<int64_t>(live.last->index()) + 1 : last_time) + 1;
    const int64_t low = where.offset_bytes.constant();
    part_of[i] = static_cast<int32_t>(parts.size());
    parts.push_back({begin, end, low, low + value.max_bytes, where.chunk, std::string(graph.name(id))});
  }
  for (const ScratchPlace& s : plan.scratch) {
    if (s.location.kind != Location::Kind::kArena || s.location.memory != 0) continue;
    const int64_t begin = static_cast<int64_t>(s.op.index()) + 1, low = s.location.offset_bytes.constant();
    const int64_t bytes = graph.op(s.op).max_scratch_bytes;
    if (bytes == 0) continue;
    parts.push_back(
        {begin, begin + 1, low, low + bytes, s.location.chunk, absl::StrCat("scratch of ", graph.name(s.op))});
  }
  std::vector<size_t> root(parts.size());
  std::iota(root.begin(), root.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto join = [&](ValueId x, ValueId y) {
    if (part_of[x.index()] < 0 || part_of[y.index()] < 0) return;
    const size_t i = static_cast<size_t>(part_of[x.index()]), k = static_cast<size_t>(part_of[y.index()]);
    if (!parts[i].Meets(parts[k])) return;
    const size_t a = find(i), b = find(k);
    root[std::max(a, b)] = std::min(a, b);
  };
  for (const Op& op : graph.ops()) {
    for (const Write& w : graph.writes(op)) {
      if (w.base.has_value()) join(*w.base, w.value);
      for (const InPlace& in_place : graph.in_place(w)) join(in_place.value, w.value);
      if (op.kind == OpKind::kCompute) continue;
      for (const Read& read : graph.reads(op)) join(read.value, w.value);
    }
  }
  // Only rectangles of values were compared, not those of storages, so the order of joining does not matter.
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t r = find(i);
    if (r == i) continue;
    parts[r].begin = std::min(parts[r].begin, parts[i].begin);
    parts[r].end = std::max(parts[r].end, parts[i].end);
    parts[r].low = std::min(parts[r].low, parts[i].low);
    parts[r].high = std::max(parts[r].high, parts[i].high);
  }
  Problem problem;
  problem.name = std::string(graph.name());
  problem.alignment_bytes = graph.spaces()[0].alignment_bytes;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (find(i) != i) continue;
    Buffer& b = problem.buffers.emplace_back();
    b.name = parts[i].name;
    b.begin = parts[i].begin;
    b.end = parts[i].end;
    b.bytes = parts[i].high - parts[i].low;
  }
  std::stable_sort(problem.buffers.begin(), problem.buffers.end(),
                   [](const Buffer& a, const Buffer& b) { return a.begin < b.begin; });
  return problem;
}

}  // namespace bufplan
