#include "ir/missing_fact.h"

#include <vector>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

const std::vector<Symbol> kSymbols = {{"s", 0, 4095, 1}, {"off", 0, 1 << 20, 1}};
const Expr kS = Expr::FromSymbol(SymbolId(0)), kOff = Expr::FromSymbol(SymbolId(1));

TEST(MissingLessEqual, OneSymbolIsSolvedFor) {
  EXPECT_EQ(MissingLessEqual(8192 * kS + 8192, 8192 * 4095, kSymbols), "s <= 4094");
  EXPECT_EQ(MissingLessEqual(8192 * kS + 8193, 8192 * 4095, kSymbols), "s <= 4093");
  EXPECT_EQ(MissingLessEqual(100, 8 * kS, kSymbols), "s >= 13");
  EXPECT_EQ(MissingLessEqual(kS, 7, kSymbols), "s <= 7");
}

TEST(MissingLessEqual, OthersAreSaidWithoutMinus) {
  EXPECT_EQ(MissingLessEqual(8192 * kS + 8192, kOff, kSymbols), "8192*s + 8192 <= off");
  EXPECT_EQ(MissingLessEqual(kS - 5, kOff, kSymbols), "s <= off + 5");
}

TEST(MissingLessEqual, WhatNeverHoldsIsNotSaid) { EXPECT_EQ(MissingLessEqual(kS + 8, kS, kSymbols), ""); }

TEST(MissingDisjointness, TheSideThatIsPossible) {
  const Region update{8192 * kS, 8192, {}};
  EXPECT_EQ(MissingDisjointness({0, 8192 * kS + 8192, {}}, update, kSymbols), "");
  EXPECT_EQ(MissingDisjointness({0, 64 * kS, {}}, {1024, 64, {}}, kSymbols), "s <= 16");
  EXPECT_EQ(MissingDisjointness({0, 64 * kS, {}}, {kOff, 64, {}}, kSymbols), "64*s <= off");
}

}  // namespace
}  // namespace bufplan
