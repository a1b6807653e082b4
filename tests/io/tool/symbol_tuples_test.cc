#include "io/tool/symbol_tuples.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph WithSymbols(const std::vector<Symbol>& symbols) {
  GraphBuilder b;
  for (const Symbol& s : symbols) b.AddSymbol(s.name, s.min, s.max, s.multiple_of);
  b.Input("x", 8);
  return std::move(b).Build().value();
}

using Tuple = std::vector<int64_t>;

TEST(SymbolTuplesTest, Fixed) {
  const Graph graph = WithSymbols({{"s", 0, 4094, 1}, {"t", 0, 64, 16}});
  const SymbolTuples tuples = SymbolTuplesOf(graph, {{"s", 17, 17}, {"t", 32, 32}}).value();
  EXPECT_TRUE(tuples.exact);
  EXPECT_THAT(tuples.tuples, ElementsAre(Tuple{17, 32}));
}

TEST(SymbolTuplesTest, SmallBoxesAreListed) {
  const Graph graph = WithSymbols({{"s", -3, 100, 1}, {"t", 5, 64, 16}});
  const SymbolTuples tuples = SymbolTuplesOf(graph, {{"s", -1, 1}}).value();
  EXPECT_TRUE(tuples.exact);
  EXPECT_EQ(tuples.tuples.size(), 12u);  // 3 times 16, 32, 48, 64
  EXPECT_THAT(tuples.tuples, Contains(Tuple{-1, 16}));
  EXPECT_THAT(tuples.tuples, Contains(Tuple{1, 64}));
}

TEST(SymbolTuplesTest, LargeBoxesGiveCornersAndSamples) {
  const Graph graph = WithSymbols({{"s", 0, 4094, 1}, {"t", 10, 5000, 10}, {"u", 3, 3, 1}});
  const SymbolTuples tuples = SymbolTuplesOf(graph, {{"s", 7, 1000}}).value();
  EXPECT_FALSE(tuples.exact);
  for (const Tuple& corner : {Tuple{7, 10, 3}, Tuple{1000, 10, 3}, Tuple{7, 5000, 3}, Tuple{1000, 5000, 3}}) {
    EXPECT_THAT(tuples.tuples, Contains(corner));
  }
  for (const Tuple& t : tuples.tuples) {
    EXPECT_GE(t[0], 7);
    EXPECT_LE(t[0], 1000);
    EXPECT_GE(t[1], 10);
    EXPECT_LE(t[1], 5000);
    EXPECT_EQ(t[1] % 10, 0);
    EXPECT_EQ(t[2], 3);
  }
}

TEST(SymbolTuplesTest, ManySymbolsStayFew) {
  std::vector<Symbol> symbols;
  for (int i = 0; i < 40; ++i) symbols.push_back({absl::StrCat("s", i), INT64_MIN / 4, INT64_MAX / 4, 1});
  const SymbolTuples tuples = SymbolTuplesOf(WithSymbols(symbols), {}).value();
  EXPECT_FALSE(tuples.exact);
  EXPECT_LE(tuples.tuples.size(), 100u);
  EXPECT_THAT(tuples.tuples, Contains(Tuple(40, INT64_MIN / 4)));
  EXPECT_THAT(tuples.tuples, Contains(Tuple(40, INT64_MAX / 4)));
}

TEST(SymbolTuplesTest, WithoutSymbolsThereIsOne) {
  const SymbolTuples tuples = SymbolTuplesOf(WithSymbols({}), {}).value();
  EXPECT_TRUE(tuples.exact);
  EXPECT_THAT(tuples.tuples, ElementsAre(Tuple{}));
}

TEST(SymbolTuplesTest, Errors) {
  const Graph graph = WithSymbols({{"seq", 0, 64, 16}});
  const auto message = [&](const SymbolOverrides& overrides) {
    const absl::Status status = SymbolTuplesOf(graph, overrides).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(message({{"sq", 1, 1}}), HasSubstr("no symbol \"sq\"; did you mean \"seq\"?"));
  EXPECT_THAT(message({{"seq", 0, 80}}), HasSubstr("0..80 is not inside of 0..64"));
  EXPECT_THAT(message({{"seq", 17, 31}}), HasSubstr("no multiple of 16 in 17..31"));
}

}  // namespace
}  // namespace bufplan
