#include "planner/liveness/range_set.h"

#include <algorithm>

namespace bufplan {

void RangeSet::Add(ByteRange range) {
  if (range.empty()) return;
  auto first = std::find_if(ranges_.begin(), ranges_.end(), [&](const ByteRange& r) { return r.end >= range.begin; });
  auto last = first;
  for (; last != ranges_.end() && last->begin <= range.end; ++last) {
    range = {std::min(range.begin, last->begin), std::max(range.end, last->end)};
  }
  if (first == last) {
    ranges_.insert(first, range);
  } else {
    *first = range;
    ranges_.erase(first + 1, last);
  }
  if (ranges_.size() <= kMaxRanges) return;
  size_t least = 1;
  for (size_t i = 2; i < ranges_.size(); ++i) {
    if (ranges_[i].begin - ranges_[i - 1].end < ranges_[least].begin - ranges_[least - 1].end) least = i;
  }
  ranges_[least - 1].end = ranges_[least].end;
  ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(least));
}

bool RangeSet::Meets(ByteRange range) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const ByteRange& r) { return r.Meets(range); });
}

RangeSet RangeSet::Within(ByteRange window, int64_t shift) const {
  RangeSet out;
  for (const ByteRange& r : ranges_) {
    const ByteRange cut = {std::max(r.begin, window.begin), std::min(r.end, window.end)};
    if (!cut.empty()) out.ranges_.push_back({cut.begin + shift, cut.end + shift});
  }
  return out;
}

RangeSet RangeSet::Without(ByteRange hole) const {
  if (hole.empty()) return *this;
  RangeSet out;  // one more range at most: not widened, or the hole might be filled again
  for (const ByteRange& r : ranges_) {
    if (r.begin < std::min(r.end, hole.begin)) out.ranges_.push_back({r.begin, std::min(r.end, hole.begin)});
    if (std::max(r.begin, hole.end) < r.end) out.ranges_.push_back({std::max(r.begin, hole.end), r.end});
  }
  return out;
}

}  // namespace bufplan
