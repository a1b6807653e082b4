// When each byte of a memory was written last, for questions about long ranges.
//
// Method: the range of addresses is halved again and again; a half knows the last write of all of it at once, and the
// last one of anything in it. Only halves that a write met exist.
//
// COST: O(log memory) per call. THREADS: value type.
#ifndef BUFPLAN_IR_CHECKER_WRITE_TIMES_H_
#define BUFPLAN_IR_CHECKER_WRITE_TIMES_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/graph.h"

namespace bufplan::checker {

class WriteTimes {
 public:
  // Of the addresses [0, end); what is written behind counts as one byte.
  explicit WriteTimes(int64_t end) {
    while (levels_ < 62 && (int64_t{1} << levels_) < end) ++levels_;
  }

  // `time` is later than all before.
  void Write(ByteRange range, int64_t time) {
    Visit(
        range,
        [&](Half half) {
          halves_[half] = {time, time};
        },
        [&](Half half) { halves_[half].any = time; });
  }
  // 0: never.
  int64_t LastWrite(ByteRange range) const {
    int64_t last = 0;
    const auto look = [&](Half half, int64_t Times::*member) {
      const auto it = halves_.find(half);
      if (it != halves_.end()) last = std::max(last, it->second.*member);
    };
    Visit(
        range, [&](Half half) { look(half, &Times::any); }, [&](Half half) { look(half, &Times::whole); });
    return last;
  }

 private:
  struct Times {
    int64_t whole = 0, any = 0;
  };
  // Level and index: the addresses [index << level, (index + 1) << level).
  using Half = std::pair<int32_t, int64_t>;

  // Calls part(half) for the halves that make up the range and above(half) for those that lie partly in it.
  template <typename Part, typename Above>
  void Visit(ByteRange range, Part part, Above above) const {
    const int64_t end = int64_t{1} << levels_;
    int64_t left = std::clamp<int64_t>(range.begin, 0, end), right = std::clamp<int64_t>(range.end, 0, end);
    if (range.end > end) part({0, end});
    if (left >= right) return;
    const int64_t first = left, last = right - 1;
    for (int32_t level = 0; left < right; ++level, left >>= 1, right >>= 1) {
      if (left & 1) part({level, left++});
      if (right & 1) part({level, --right});
    }
    for (int32_t level = 1; level <= levels_; ++level) {
      const int64_t a = first >> level, b = last >> level;
      const auto inside = [&](int64_t half) { return (half << level) >= first && ((half + 1) << level) <= last + 1; };
      if (!inside(a)) above({level, a});
      if (b != a && !inside(b)) above({level, b});
    }
  }

  int32_t levels_ = 0;
  absl::flat_hash_map<Half, Times> halves_;
};

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_WRITE_TIMES_H_
