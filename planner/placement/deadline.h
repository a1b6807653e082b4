// A moment at which searches stop with the best they have.
//
// Work limits are counted in steps and give the same result everywhere; a deadline is the caller's choice to give that
// up. COST: a look at the clock, some 30 ns; so loops look every few ten thousand steps. THREADS: value type.
#ifndef BUFPLAN_PLANNER_PLACEMENT_DEADLINE_H_
#define BUFPLAN_PLANNER_PLACEMENT_DEADLINE_H_

#include <algorithm>
#include <chrono>

namespace bufplan {

class Deadline {
 public:
  Deadline() = default;  // never
  explicit Deadline(std::chrono::steady_clock::time_point at) : at_(at) {}

  bool never() const { return at_ == std::chrono::steady_clock::time_point::max(); }
  bool Passed() const { return !never() && std::chrono::steady_clock::now() >= at_; }
  std::chrono::steady_clock::time_point at() const { return at_; }
  // So much earlier, but not before half of what is left is over.
  Deadline LessTime(std::chrono::steady_clock::duration time) const {
    return never() || Passed() ? *this : Deadline(std::max(at_ - time, Part(2).at_));
  }
  // The moment at which the n-th part of what is left is over.
  Deadline Part(int n) const {
    const auto now = std::chrono::steady_clock::now();
    return never() || at_ <= now ? *this : Deadline(now + (at_ - now) / n);
  }

 private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_DEADLINE_H_
