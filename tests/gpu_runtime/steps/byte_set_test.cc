// Sets of bytes against one flag per byte.
#include "gpu_runtime/steps/byte_set.h"

#include <bitset>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {
namespace {

constexpr int64_t kBytes = 48;
using Bits = std::bitset<kBytes>;

std::vector<ByteRange> RandomRanges(Rng& rng) {
  std::vector<ByteRange> ranges;
  for (int64_t n = rng.Between(0, 7); n > 0; --n) {
    const int64_t begin = rng.Between(0, kBytes);
    // Some are empty, and some of those the wrong way round.
    ranges.push_back({begin, std::min(kBytes, begin + rng.Between(-2, 9))});
  }
  return ranges;
}

Bits BitsOf(const std::vector<ByteRange>& ranges) {
  Bits bits;
  for (const ByteRange& r : ranges) {
    for (int64_t b = r.begin; b < r.end; ++b) bits.set(static_cast<size_t>(b));
  }
  return bits;
}

Bits BitsOf(const ByteSet& set) { return BitsOf(std::vector<ByteRange>(set.ranges().begin(), set.ranges().end())); }

// Ascending, none empty, none touching the next.
void ExpectNormal(const ByteSet& set) {
  int64_t end = INT64_MIN;
  for (const ByteRange& r : set.ranges()) {
    EXPECT_GT(r.begin, end);
    EXPECT_FALSE(r.empty());
    end = r.end;
  }
}

void ExpectIs(const ByteSet& set, const Bits& bits) {
  ExpectNormal(set);
  EXPECT_EQ(BitsOf(set), bits);
  EXPECT_EQ(set.size(), static_cast<int64_t>(bits.count()));
  EXPECT_EQ(set.empty(), bits.none());
}

TEST(ByteSetTest, OperationsAreThoseOfBits) {
  Rng rng(1);
  for (int round = 0; round < 3000; ++round) {
    const std::vector<ByteRange> a_ranges = RandomRanges(rng), b_ranges = RandomRanges(rng);
    const ByteSet a = ByteSet::OfAll(a_ranges), b = ByteSet::OfAll(b_ranges);
    const Bits x = BitsOf(a_ranges), y = BitsOf(b_ranges);
    ExpectIs(a, x);
    ExpectIs(a.And(b), x & y);
    ExpectIs(a.Or(b), x | y);
    ExpectIs(a.Without(b), x & ~y);
    EXPECT_EQ(a == b, x == y);
    if (HasFailure()) return;
  }
}

TEST(ByteSetTest, QueriesAreThoseOfBits) {
  Rng rng(2);
  for (int round = 0; round < 1000; ++round) {
    const std::vector<ByteRange> ranges = RandomRanges(rng);
    const ByteSet set = ByteSet::OfAll(ranges);
    const Bits bits = BitsOf(ranges);
    for (int64_t begin = 0; begin <= kBytes; ++begin) {
      size_t ending = 0;
      while (ending < set.ranges().size() && set.ranges()[ending].end <= begin) ++ending;
      EXPECT_EQ(set.FirstEndingAfter(begin), ending);
      bool all = true;
      for (int64_t end = begin; end <= kBytes; ++end) {
        EXPECT_EQ(set.Contains({begin, end}), all) << begin << " " << end;
        if (end < kBytes) all = all && bits.test(static_cast<size_t>(end));
      }
    }
    if (bits.any()) {
      EXPECT_TRUE(bits.test(static_cast<size_t>(set.span().begin)));
      EXPECT_TRUE(bits.test(static_cast<size_t>(set.span().end - 1)));
      EXPECT_TRUE(ByteSet::Of(set.span()).Without(set).And(set).empty());
      EXPECT_EQ(set.Without(ByteSet::Of(set.span())), ByteSet());
    } else {
      EXPECT_TRUE(set.span().empty());
    }
    if (HasFailure()) return;
  }
}

TEST(ByteSetTest, MovesByAnyDistance) {
  const ByteSet set = ByteSet::OfAll({{4, 8}, {16, 20}});
  EXPECT_EQ(set.MovedBy(3), ByteSet::OfAll({{7, 11}, {19, 23}}));
  EXPECT_EQ(set.MovedBy(-10), ByteSet::OfAll({{-6, -2}, {6, 10}}));
  EXPECT_EQ(set.MovedBy(int64_t{1} << 60).MovedBy(-(int64_t{1} << 60)), set);
}

TEST(ByteSetTest, OfOneRange) {
  EXPECT_TRUE(ByteSet::Of({5, 5}).empty());
  EXPECT_TRUE(ByteSet::Of({6, 5}).empty());
  EXPECT_EQ(ByteSet::Of({5, 6}).size(), 1);
  EXPECT_TRUE(ByteSet().Contains({7, 7}));
  EXPECT_FALSE(ByteSet().Contains({7, 8}));
  // Ranges that touch become one.
  EXPECT_EQ(ByteSet::OfAll({{8, 9}, {4, 8}}).ranges().size(), 1u);
}

}  // namespace
}  // namespace bufplan::runtime
