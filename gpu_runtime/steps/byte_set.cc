#include "gpu_runtime/steps/byte_set.h"

#include <algorithm>

namespace bufplan::runtime {
namespace {

// Appends a range that begins at or behind the begin of the last one.
void Append(ByteRange range, std::vector<ByteRange>& ranges) {
  if (range.empty()) return;
  if (!ranges.empty() && range.begin <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, range.end);
  } else {
    ranges.push_back(range);
  }
}

}  // namespace

ByteSet ByteSet::Of(ByteRange range) {
  ByteSet set;
  Append(range, set.ranges_);
  return set;
}

ByteSet ByteSet::OfAll(std::vector<ByteRange> ranges) {
  const auto by_begin = [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), by_begin)) std::sort(ranges.begin(), ranges.end(), by_begin);
  ByteSet set;
  for (const ByteRange& r : ranges) Append(r, set.ranges_);
  return set;
}

int64_t ByteSet::size() const {
  int64_t bytes = 0;
  for (const ByteRange& r : ranges_) bytes += r.size();
  return bytes;
}

size_t ByteSet::FirstEndingAfter(int64_t byte) const {
  const auto it =
      std::partition_point(ranges_.begin(), ranges_.end(), [&](const ByteRange& r) { return r.end <= byte; });
  return static_cast<size_t>(it - ranges_.begin());
}

bool ByteSet::Contains(ByteRange range) const {
  if (range.empty()) return true;
  const size_t i = FirstEndingAfter(range.begin);
  return i < ranges_.size() && ranges_[i].Contains(range);
}

ByteSet ByteSet::And(const ByteSet& other) const {
  ByteSet both;
  size_t i = 0, j = 0;
  while (i < ranges_.size() && j < other.ranges_.size()) {
    const ByteRange &a = ranges_[i], &b = other.ranges_[j];
    Append({std::max(a.begin, b.begin), std::min(a.end, b.end)}, both.ranges_);
    ++(a.end < b.end ? i : j);
  }
  return both;
}

ByteSet ByteSet::Or(const ByteSet& other) const {
  ByteSet any;
  size_t i = 0, j = 0;
  while (i < ranges_.size() || j < other.ranges_.size()) {
    const bool mine = j == other.ranges_.size() || (i < ranges_.size() && ranges_[i].begin <= other.ranges_[j].begin);
    Append(mine ? ranges_[i++] : other.ranges_[j++], any.ranges_);
  }
  return any;
}

ByteSet ByteSet::Without(const ByteSet& other) const {
  ByteSet rest;
  size_t j = 0;
  for (const ByteRange& r : ranges_) {
    int64_t begin = r.begin;
    while (j < other.ranges_.size() && other.ranges_[j].end <= r.begin) ++j;
    for (size_t k = j; k < other.ranges_.size() && other.ranges_[k].begin < r.end; ++k) {
      Append({begin, other.ranges_[k].begin}, rest.ranges_);
      begin = std::max(begin, other.ranges_[k].end);
    }
    Append({begin, r.end}, rest.ranges_);
  }
  return rest;
}

ByteSet ByteSet::MovedBy(int64_t distance) const {
  ByteSet moved = *this;
  for (ByteRange& r : moved.ranges_) {
    r.begin += distance;
    r.end += distance;
  }
  return moved;
}

}  // namespace bufplan::runtime
