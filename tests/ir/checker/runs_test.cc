#include "ir/checker/runs.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan::checker {
namespace {

using Runs = std::vector<ByteRange>;

Runs Expanded(const Region& region, const std::vector<int64_t>& symbols = {}) {
  RunPool pool(symbols, 1000);
  const RunList list = *pool.Expand(region);
  const absl::Span<const ByteRange> runs = pool.runs(list);
  for (const ByteRange& r : runs) EXPECT_TRUE(list.span.Contains(r));
  return Runs(runs.begin(), runs.end());
}

TEST(RunsTest, ExpandsInTheRegionsOrder) {
  EXPECT_EQ(Expanded({8, 4, {}}), (Runs{{8, 12}}));
  EXPECT_EQ(Expanded({8, 4, {{3, 16}}}), (Runs{{8, 12}, {24, 28}, {40, 44}}));
  EXPECT_EQ(Expanded({0, 1, {{2, 2}, {2, 8}}}), (Runs{{0, 1}, {8, 9}, {2, 3}, {10, 11}}));  // transposed
}

TEST(RunsTest, MergesRunsThatFollowOneAnother) {
  EXPECT_EQ(Expanded({0, 4, {{5, 4}}}), (Runs{{0, 20}}));
  EXPECT_EQ(Expanded({0, 4, {{2, 100}, {5, 4}}}), (Runs{{0, 20}, {100, 120}}));
  EXPECT_EQ(Expanded({0, 4, {{3, 4}, {1, 77}}}), (Runs{{0, 12}}));
  EXPECT_EQ(Expanded({0, 2, {{2, 4}, {2, 2}}}), (Runs{{0, 8}}));
}

TEST(RunsTest, EmptyRegions) {
  EXPECT_EQ(Expanded({8, 0, {}}), Runs());
  EXPECT_EQ(Expanded({8, 4, {{0, 16}}}), Runs());
  EXPECT_EQ(Expanded({8, 4, {{3, 16}, {0, 1}}}), Runs());
}

TEST(RunsTest, SymbolsAreEvaluated) {
  const Expr s = Expr::FromSymbol(SymbolId(0));
  EXPECT_EQ(Expanded({4 * s, 4, {{s, 8 * s}}}, {2}), (Runs{{8, 12}, {24, 28}}));
}

TEST(RunsTest, LimitsAndOverflow) {
  RunPool pool({}, 100);
  EXPECT_TRUE(pool.Expand({0, 1, {{60, 2}}}).has_value());
  EXPECT_FALSE(pool.Expand({0, 1, {{60, 2}}}).has_value());               // the limit is for all together
  EXPECT_TRUE(pool.Expand({0, 1, {{int64_t{1} << 40, 1}}}).has_value());  // one run
  EXPECT_FALSE(pool.Expand({INT64_MAX, 1, {}}).has_value());
  EXPECT_FALSE(pool.Expand({0, 1, {{3, INT64_MAX / 2}, {2, 5}}}).has_value());
  EXPECT_FALSE(pool.Expand({0, INT64_MAX / 2, {{3, INT64_MAX / 2}}}).has_value());
}

TEST(RunsTest, SortedComplementAndUnion) {
  RunPool pool({}, 1000);
  const RunList transposed = *pool.Expand({0, 1, {{2, 2}, {2, 8}}});
  const RunList overlapping = *pool.Expand({4, 4, {{3, 2}}});
  const auto runs = [&](const RunList& list) {
    const absl::Span<const ByteRange> r = pool.runs(list);
    return Runs(r.begin(), r.end());
  };
  const RunList sorted = pool.Sorted(transposed);
  EXPECT_EQ(runs(sorted), (Runs{{0, 1}, {2, 3}, {8, 9}, {10, 11}}));
  EXPECT_EQ(runs(pool.Sorted(overlapping)), (Runs{{4, 12}}));
  EXPECT_EQ(pool.Bytes(sorted), 4);
  const std::vector<RunList> both = {transposed, RunList{{20, 22}, 0, 0}};
  EXPECT_EQ(runs(pool.Complement(24, both)), (Runs{{1, 2}, {3, 8}, {9, 10}, {11, 20}, {22, 24}}));
  EXPECT_EQ(runs(pool.Union(both)), (Runs{{0, 1}, {2, 3}, {8, 9}, {10, 11}, {20, 22}}));
  EXPECT_EQ(runs(pool.Complement(5, {})), (Runs{{0, 5}}));
  EXPECT_TRUE(pool.Complement(5, {RunList{{0, 5}, 0, 0}}).empty());
}

TEST(RunsTest, FirstCommon) {
  const Runs a = {{0, 2}, {8, 10}, {16, 18}}, b = {{2, 8}, {17, 20}};
  EXPECT_EQ(FirstCommon(a, 0, b, 0), (ByteRange{17, 18}));
  EXPECT_EQ(FirstCommon(a, 100, b, 101), (ByteRange{108, 109}));
  EXPECT_EQ(FirstCommon(a, 0, b, 100), std::nullopt);
}

}  // namespace
}  // namespace bufplan::checker
