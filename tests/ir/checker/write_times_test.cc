#include "ir/checker/write_times.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace bufplan::checker {
namespace {

// Against one entry per byte; the memory ends behind what was announced.
TEST(WriteTimes, AgreesWithAPlainArray) {
  constexpr int64_t kBytes = 70;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    WriteTimes times(60);  // up to 64 exactly, the rest is one byte
    std::vector<int64_t> plain(kBytes, 0);
    for (int64_t now = 1; now < 60; ++now) {
      int64_t a = static_cast<int64_t>(random() % (kBytes + 1)), b = static_cast<int64_t>(random() % (kBytes + 1));
      if (a == b) continue;
      if (a > b) std::swap(a, b);
      if (random() % 2 == 0) {
        times.Write({a, b}, now);
        for (int64_t i = a; i < b; ++i) plain[static_cast<size_t>(i)] = now;
        continue;
      }
      int64_t last = 0;
      for (int64_t i = a; i < b; ++i) last = std::max(last, plain[static_cast<size_t>(i)]);
      if (b > 64) {
        for (int64_t i = 64; i < kBytes; ++i) last = std::max(last, plain[static_cast<size_t>(i)]);
      }
      EXPECT_EQ(times.LastWrite({a, b}), last) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace bufplan::checker
