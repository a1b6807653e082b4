// A value for each byte of a range, the same over long runs of bytes: a step function.
//
// Steps that a change makes alike become one, so that a run of changes does not visit them again and again.
//
// COST: O(log steps) per boundary, O(1) per step that a range meets. THREADS: value type.
#ifndef BUFPLAN_PLANNER_LIVENESS_BYTE_STEPS_H_
#define BUFPLAN_PLANNER_LIVENESS_BYTE_STEPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/container/btree_map.h"
#include "ir/graph.h"

namespace bufplan {

template <class T>
class ByteSteps {
 public:
  ByteSteps(ByteRange bytes, const T& everywhere) { steps_[bytes.begin] = {bytes.end, everywhere}; }

  // Calls f(value) for the value of each step within `bytes`, which may change it.
  template <class F>
  void Change(ByteRange bytes, F f) {
    if (bytes.empty()) return;
    SplitAt(bytes.begin);
    SplitAt(bytes.end);
    auto previous = steps_.end();
    for (auto it = steps_.lower_bound(bytes.begin); it != steps_.end() && it->first < bytes.end;) {
      f(it->second.value);
      if (previous != steps_.end() && previous->second.value == it->second.value) {
        previous->second.end = it->second.end;
        it = steps_.erase(it);
        previous = std::prev(it);
      } else {
        previous = it++;
      }
    }
  }
  // Calls f(range, value) for the part within `bytes` of each step, in order.
  template <class F>
  void ForEach(ByteRange bytes, F f) const {
    if (bytes.empty()) return;
    for (auto it = Find(bytes.begin); it != steps_.end() && it->first < bytes.end; ++it) {
      f(ByteRange{std::max(it->first, bytes.begin), std::min(it->second.end, bytes.end)}, it->second.value);
    }
  }
  // COST: O(log steps + n).
  bool MeetsMoreThan(size_t n, ByteRange bytes) const {
    if (steps_.size() <= n) return false;
    size_t met = 0;
    for (auto it = Find(bytes.begin); it != steps_.end() && it->first < bytes.end; ++it) {
      if (++met > n) return true;
    }
    return false;
  }

 private:
  struct Step {
    int64_t end = 0;  // one past the last byte
    T value;
  };
  using Map = absl::btree_map<int64_t, Step>;  // by first byte; covers the range without holes

  typename Map::const_iterator Find(int64_t byte) const {
    auto it = steps_.upper_bound(byte);
    return it == steps_.begin() ? it : std::prev(it);
  }
  void SplitAt(int64_t byte) {
    auto it = steps_.upper_bound(byte);
    if (it == steps_.begin()) return;
    --it;
    if (it->first >= byte || it->second.end <= byte) return;
    const Step upper = it->second;
    it->second.end = byte;
    steps_[byte] = upper;
  }

  Map steps_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_BYTE_STEPS_H_
