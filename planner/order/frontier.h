// The latest units of a set, per stream: whatever happens after all of these happens after the whole set.
//
// COST: O(streams in the set) per call; a set on one stream allocates nothing. THREADS: value type.
#ifndef BUFPLAN_PLANNER_ORDER_FRONTIER_H_
#define BUFPLAN_PLANNER_ORDER_FRONTIER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "planner/order/schedule.h"

namespace bufplan {

class Frontier {
 public:
  Frontier() = default;
  explicit Frontier(int32_t time) : first_(time) {}

  void Add(int32_t time, const Schedule& schedule) {
    if (Absorbs(first_, time, schedule)) {
      first_ = std::max(first_, time);
      return;
    }
    if (schedule.StreamOf(time) < schedule.StreamOf(first_)) std::swap(first_, time);
    const auto it = std::lower_bound(rest_.begin(), rest_.end(), time,
                                     [&](int32_t a, int32_t b) { return schedule.StreamOf(a) < schedule.StreamOf(b); });
    if (it != rest_.end() && schedule.StreamOf(*it) == schedule.StreamOf(time)) {
      *it = std::max(*it, time);
    } else {
      rest_.insert(it, time);
    }
  }
  void AddAll(const Frontier& other, const Schedule& schedule) {
    other.ForEach([&](int32_t time) { Add(time, schedule); });
  }
  // Calls f(time) for each member.
  template <class F>
  void ForEach(F f) const {
    f(first_);
    for (int32_t t : rest_) f(t);
  }
  friend bool operator==(const Frontier&, const Frontier&) = default;
  // A member that does not happen before `time`; `time` itself only if there is no other.
  std::optional<int32_t> NotBefore(int32_t time, const Schedule& schedule) const {
    std::optional<int32_t> found;
    ForEach([&](int32_t t) {
      if (!schedule.Before(t, time) && (!found.has_value() || *found == time)) found = t;
    });
    return found;
  }

 private:
  // Whether the later of the two stands for both.
  static bool Absorbs(int32_t a, int32_t b, const Schedule& schedule) {
    if (schedule.one_stream() || a == b || a == Schedule::kStart || b == Schedule::kStart) return true;
    if (a == schedule.End() || b == schedule.End()) return true;
    return schedule.StreamOf(a) == schedule.StreamOf(b);
  }

  int32_t first_ = Schedule::kStart;
  std::vector<int32_t> rest_;  // other streams; all ascend by stream, so that equal sets are equal
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_ORDER_FRONTIER_H_
