#include "planner/liveness/range_set.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RangeSet, JoinsWhatTouches) {
  RangeSet set;
  set.Add({10, 20});
  set.Add({30, 40});
  set.Add({5, 5});
  EXPECT_THAT(set.ranges(), ElementsAre(ByteRange{10, 20}, ByteRange{30, 40}));
  set.Add({20, 30});
  EXPECT_THAT(set.ranges(), ElementsAre(ByteRange{10, 40}));
  EXPECT_TRUE(set.Meets({39, 50}));
  EXPECT_FALSE(set.Meets({40, 50}));
}

TEST(RangeSet, WithinAndWithout) {
  RangeSet set;
  set.Add({0, 10});
  set.Add({20, 30});
  EXPECT_THAT(set.Within({5, 25}, 100).ranges(), ElementsAre(ByteRange{105, 110}, ByteRange{120, 125}));
  EXPECT_THAT(set.Without({5, 25}).ranges(), ElementsAre(ByteRange{0, 5}, ByteRange{25, 30}));
  EXPECT_THAT(set.Without({0, 30}).ranges(), IsEmpty());
}

TEST(RangeSet, IsWidenedWhereThatCostsLeast) {
  RangeSet set;
  for (int64_t i = 0; i <= static_cast<int64_t>(RangeSet::kMaxRanges); ++i) {
    const int64_t at = i == 4 ? 100 * i - 90 : 100 * i;  // the fourth gap is the smallest
    set.Add({at, at + 5});
  }
  EXPECT_EQ(set.ranges().size(), RangeSet::kMaxRanges);
  EXPECT_TRUE(set.Meets({306, 309}));
  EXPECT_FALSE(set.Meets({106, 199}));
}

// It never loses a byte; without widening it is exact.
TEST(RangeSet, AgreesWithSingleBytes) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Rng random(seed);
    RangeSet set;
    std::vector<bool> bytes(64, false);
    for (int step = 0; step < 6; ++step) {
      const int64_t a = random.Between(0, 63), b = random.Between(a, 64);
      const bool add = random.Percent(70);
      if (add) {
        set.Add({a, b});
      } else {
        set = set.Without({a, b});
      }
      for (int64_t i = a; i < b; ++i) bytes[static_cast<size_t>(i)] = add;
      for (int64_t i = 0; i < 64; ++i) {
        ASSERT_EQ(set.Meets({i, i + 1}), bytes[static_cast<size_t>(i)]) << "seed " << seed << " byte " << i;
      }
    }
  }
}

}  // namespace
}  // namespace bufplan
