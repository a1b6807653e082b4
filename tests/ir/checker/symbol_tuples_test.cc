#include "ir/checker/symbol_tuples.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/expr.h"

namespace bufplan::checker {
namespace {

using Tuples = std::vector<std::vector<int64_t>>;

TEST(SymbolTuplesTest, NoSymbolsAreOneTuple) {
  const SymbolTuples t = ChooseSymbolTuples({});
  EXPECT_EQ(t.tuples, Tuples{{}});
  EXPECT_TRUE(t.all);
}

TEST(SymbolTuplesTest, SmallBoxesAreWhole) {
  const std::vector<Symbol> symbols = {{"a", -5, 7, 4}, {"b", 3, 4, 1}};
  const SymbolTuples t = ChooseSymbolTuples(symbols);
  EXPECT_TRUE(t.all);
  EXPECT_EQ(std::set<std::vector<int64_t>>(t.tuples.begin(), t.tuples.end()),
            (std::set<std::vector<int64_t>>{{-4, 3}, {0, 3}, {4, 3}, {-4, 4}, {0, 4}, {4, 4}}));
}

TEST(SymbolTuplesTest, LargeBoxesAreTheirCornersAndSamples) {
  std::vector<Symbol> symbols;
  for (int n = 1; n <= 10; ++n) {
    symbols.push_back({absl::StrCat("s", n), -1000 * n, 999 + n, n});
    const SymbolTuples t = ChooseSymbolTuples(symbols);
    EXPECT_FALSE(t.all);
    EXPECT_GE(t.tuples.size(), static_cast<size_t>(std::min(64, 1 << n)));
    EXPECT_LE(t.tuples.size(), static_cast<size_t>(kMaxCorners + kSamples));
    std::vector<int64_t> low, high;
    for (const Symbol& s : symbols) {
      low.push_back(s.min);
      high.push_back(s.max / s.multiple_of * s.multiple_of);
    }
    EXPECT_NE(std::find(t.tuples.begin(), t.tuples.end(), low), t.tuples.end());
    EXPECT_NE(std::find(t.tuples.begin(), t.tuples.end(), high), t.tuples.end());
    EXPECT_EQ(std::set<std::vector<int64_t>>(t.tuples.begin(), t.tuples.end()).size(), t.tuples.size());
    for (const std::vector<int64_t>& tuple : t.tuples) {
      for (size_t i = 0; i < tuple.size(); ++i) EXPECT_TRUE(IsValueOf(symbols[i], tuple[i]));
    }
  }
}

TEST(SymbolTuplesTest, WholeRangeOfIntegers) {
  const std::vector<Symbol> symbols = {{"s", INT64_MIN, INT64_MAX, 1}};
  const SymbolTuples t = ChooseSymbolTuples(symbols);
  EXPECT_EQ(t.tuples.size(), 18u);
  EXPECT_EQ(t.tuples.front(), std::vector<int64_t>{INT64_MIN});
  EXPECT_EQ(t.tuples.back(), std::vector<int64_t>{INT64_MAX});
}

}  // namespace
}  // namespace bufplan::checker
