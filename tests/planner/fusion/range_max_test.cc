#include "planner/fusion/range_max.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

TEST(RangeMax, IsWhatAPlainArraySays) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    std::vector<int64_t> plain(static_cast<size_t>(rng.Between(1, 40)));
    for (int64_t& v : plain) v = rng.Between(-5, 20);
    RangeMax tree(plain);
    EXPECT_EQ(tree.Max(), *std::max_element(plain.begin(), plain.end()));
    for (int i = 0; i < 30; ++i) {
      const int64_t n = static_cast<int64_t>(plain.size());
      const int64_t begin = rng.Between(-2, n), end = rng.Between(-2, n + 3), delta = rng.Between(-9, 9);
      tree.Add(begin, end, delta);
      for (int64_t t = std::max<int64_t>(begin, 0); t < std::min(end, n); ++t) plain[static_cast<size_t>(t)] += delta;
      ASSERT_EQ(tree.Max(), *std::max_element(plain.begin(), plain.end())) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace bufplan
