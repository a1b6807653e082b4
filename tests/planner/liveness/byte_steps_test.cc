#include "planner/liveness/byte_steps.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

using Row = std::tuple<int64_t, int64_t, int>;  // begin, end, value

std::vector<Row> Rows(const ByteSteps<int>& steps, ByteRange bytes) {
  std::vector<Row> rows;
  steps.ForEach(bytes, [&](ByteRange range, int value) { rows.emplace_back(range.begin, range.end, value); });
  return rows;
}

void Raise(ByteSteps<int>& steps, ByteRange bytes, int to) {
  steps.Change(bytes, [to](int& value) { value = std::max(value, to); });
}

TEST(ByteSteps, SplitsWhereAChangeBeginsAndEnds) {
  ByteSteps<int> steps({0, 100}, 1);
  Raise(steps, {20, 30}, 5);
  EXPECT_THAT(Rows(steps, {0, 100}), ElementsAre(Row{0, 20, 1}, Row{20, 30, 5}, Row{30, 100, 1}));
  EXPECT_THAT(Rows(steps, {25, 40}), ElementsAre(Row{25, 30, 5}, Row{30, 40, 1}));
  EXPECT_THAT(Rows(steps, {30, 30}), ElementsAre());
}

TEST(ByteSteps, JoinsWhatBecomesAlike) {
  ByteSteps<int> steps({0, 100}, 1);
  for (int i = 0; i < 10; ++i) Raise(steps, {10 * i, 10 * i + 10}, i + 2);
  EXPECT_TRUE(steps.MeetsMoreThan(9, {0, 100}));
  EXPECT_FALSE(steps.MeetsMoreThan(10, {0, 100}));
  EXPECT_FALSE(steps.MeetsMoreThan(2, {10, 30}));
  Raise(steps, {0, 90}, 50);
  EXPECT_THAT(Rows(steps, {0, 100}), ElementsAre(Row{0, 90, 50}, Row{90, 100, 11}));
}

TEST(ByteSteps, AgreesWithAPlainArray) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    ByteSteps<int> steps({0, 50}, 0);
    std::vector<int> plain(50, 0);
    for (int round = 0; round < 50; ++round) {
      int64_t a = static_cast<int64_t>(random() % 51), b = static_cast<int64_t>(random() % 51);
      if (a > b) std::swap(a, b);
      const int to = static_cast<int>(random() % 20);
      Raise(steps, {a, b}, to);
      for (int64_t i = a; i < b; ++i) plain[static_cast<size_t>(i)] = std::max(plain[static_cast<size_t>(i)], to);
    }
    int64_t end = 0;
    steps.ForEach({0, 50}, [&](ByteRange range, int value) {
      EXPECT_EQ(range.begin, end);
      end = range.end;
      for (int64_t i = range.begin; i < range.end; ++i) EXPECT_EQ(plain[static_cast<size_t>(i)], value) << seed;
    });
    EXPECT_EQ(end, 50);
  }
}

}  // namespace
}  // namespace bufplan
