#include "ir/checker/symbol_tuples.h"

#include <algorithm>

namespace bufplan::checker {
namespace {

// A symbol has the values (first + i) * step for 0 <= i < count; counts up to 2^64 - 1.
struct Range {
  int64_t first = 0, last = 0;
  int64_t step = 1;
  uint64_t steps() const { return static_cast<uint64_t>(last) - static_cast<uint64_t>(first); }  // count - 1
  int64_t At(uint64_t i) const { return static_cast<int64_t>(static_cast<uint64_t>(first) + i) * step; }
};

Range RangeOf(const Symbol& s) {
  const int64_t step = std::max<int64_t>(s.multiple_of, 1);
  Range r{s.min / step, s.max / step, step};
  if (s.min > 0 && s.min % step != 0) ++r.first;
  if (s.max < 0 && s.max % step != 0) --r.last;
  return r;
}

uint64_t Next(uint64_t& state) {  // splitmix64
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The number of tuples of the box, if at most `limit`; else limit + 1.
uint64_t CountUpTo(const std::vector<Range>& ranges, uint64_t limit) {
  uint64_t count = 1;
  for (const Range& r : ranges) {
    if (r.steps() >= limit) return limit + 1;
    count *= r.steps() + 1;
    if (count > limit) return limit + 1;
  }
  return count;
}

std::vector<int64_t> Corner(const std::vector<Range>& ranges, uint64_t high) {
  std::vector<int64_t> tuple;
  for (size_t i = 0; i < ranges.size(); ++i) {
    tuple.push_back(ranges[i].At((high >> (i % 64)) & 1 ? ranges[i].steps() : 0));
  }
  return tuple;
}

}  // namespace

bool IsValueOf(const Symbol& symbol, int64_t value) {
  return symbol.min <= value && value <= symbol.max && value % std::max<int64_t>(symbol.multiple_of, 1) == 0;
}

SymbolTuples ChooseSymbolTuples(absl::Span<const Symbol> symbols) {
  std::vector<Range> ranges;
  for (const Symbol& s : symbols) ranges.push_back(RangeOf(s));
  SymbolTuples result;
  constexpr uint64_t kAll = kMaxCorners + kSamples;
  const uint64_t count = CountUpTo(ranges, kAll);
  result.all = count <= kAll;
  if (result.all) {
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<int64_t> tuple;
      uint64_t rest = i;
      for (const Range& r : ranges) {
        tuple.push_back(r.At(rest % (r.steps() + 1)));
        rest /= r.steps() + 1;
      }
      result.tuples.push_back(std::move(tuple));
    }
    return result;
  }
  uint64_t random = 1;
  if (ranges.size() <= 6) {
    for (uint64_t i = 0; i < uint64_t{1} << ranges.size(); ++i) result.tuples.push_back(Corner(ranges, i));
  } else {
    result.tuples.push_back(Corner(ranges, 0));
    result.tuples.push_back(Corner(ranges, ~uint64_t{0}));
    while (result.tuples.size() < kMaxCorners) result.tuples.push_back(Corner(ranges, Next(random)));
  }
  for (int i = 0; i < kSamples; ++i) {
    std::vector<int64_t> tuple;
    for (const Range& r : ranges) {
      const uint64_t values = r.steps() + 1;  // 0: all 2^64 of them
      tuple.push_back(r.At(values == 0 ? Next(random) : Next(random) % values));
    }
    result.tuples.push_back(std::move(tuple));
  }
  std::sort(result.tuples.begin(), result.tuples.end());
  result.tuples.erase(std::unique(result.tuples.begin(), result.tuples.end()), result.tuples.end());
  return result;
}

}  // namespace bufplan::checker
