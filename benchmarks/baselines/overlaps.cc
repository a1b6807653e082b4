#include "benchmarks/baselines/overlaps.h"

#include <algorithm>
#include <utility>

#include "benchmarks/baselines/baseline.h"

namespace bufplan {
namespace {

// Participants by begin; ties by index.
std::vector<int32_t> ByBegin(const Problem& problem) {
  std::vector<int32_t> order = Participants(problem);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[static_cast<size_t>(a)].begin < problem.buffers[static_cast<size_t>(b)].begin;
  });
  return order;
}

// Calls visit(buffer, live) for each buffer in order of begin, with those alive then that began before it.
template <class Visit>
void Sweep(const Problem& problem, Visit visit) {
  std::vector<int32_t> live;
  for (int32_t b : ByBegin(problem)) {
    const int64_t now = problem.buffers[static_cast<size_t>(b)].begin;
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](int32_t l) { return problem.buffers[static_cast<size_t>(l)].end <= now; }),
               live.end());
    visit(b, live);
    live.push_back(b);
  }
}

}  // namespace

OverlapCounts CountOverlaps(const Problem& problem) {
  struct Event {
    int64_t time;
    int64_t bytes;  // negative: an end
  };
  std::vector<Event> events;
  events.reserve(2 * problem.buffers.size());
  for (const Buffer& b : problem.buffers) {
    if (!TakesPart(b)) continue;
    events.push_back({b.begin, b.bytes});
    events.push_back({b.end, -b.bytes});
  }
  // Ends before begins of the same time.
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return std::pair(a.time, a.bytes) < std::pair(b.time, b.bytes); });
  OverlapCounts counts;
  int64_t live = 0, load = 0;
  for (const Event& e : events) {
    load += e.bytes;
    if (e.bytes < 0) {
      --live;
      continue;
    }
    counts.pairs += live++;
    counts.max_live = std::max(counts.max_live, live);
    counts.load = std::max(counts.load, load);
  }
  return counts;
}

std::vector<int64_t> OverlapsByBuffer(const Problem& problem) {
  const std::vector<int32_t> participants = Participants(problem);
  std::vector<int64_t> begins, ends;
  for (int32_t i : participants) {
    begins.push_back(problem.buffers[static_cast<size_t>(i)].begin);
    ends.push_back(problem.buffers[static_cast<size_t>(i)].end);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::vector<int64_t> counts(problem.buffers.size(), 0);
  for (int32_t i : participants) {
    const Buffer& b = problem.buffers[static_cast<size_t>(i)];
    const auto begun = std::lower_bound(begins.begin(), begins.end(), b.end) - begins.begin();
    const auto ended = std::upper_bound(ends.begin(), ends.end(), b.begin) - ends.begin();
    counts[static_cast<size_t>(i)] = begun - ended - 1;  // less itself
  }
  return counts;
}

Overlaps::Overlaps(const Problem& problem) : first_(problem.buffers.size() + 1, 0) {
  std::vector<std::pair<int32_t, int32_t>> found;
  Sweep(problem, [&](int32_t b, const std::vector<int32_t>& live) {
    for (int32_t l : live) {
      found.emplace_back(l, b);
      ++first_[static_cast<size_t>(l) + 1];
      ++first_[static_cast<size_t>(b) + 1];
    }
  });
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  neighbours_.resize(2 * found.size());
  std::vector<size_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [a, b] : found) {
    neighbours_[next[static_cast<size_t>(a)]++] = b;
    neighbours_[next[static_cast<size_t>(b)]++] = a;
  }
}

}  // namespace bufplan
