#include "ir/expr_proof.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/ir/expr_tree.h"

namespace bufplan {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

const Expr& s = *new Expr(Expr::FromSymbol(SymbolId(0)));
const Expr& t = *new Expr(Expr::FromSymbol(SymbolId(1)));
const Expr& u = *new Expr(Expr::FromSymbol(SymbolId(2)));

const std::vector<Symbol>& Symbols() {
  static const auto* const symbols = new std::vector<Symbol>{{"s", 0, 4094, 1}, {"t", 1, 100, 1}, {"u", 10, 1000, 32}};
  return *symbols;
}

std::optional<Bounds> BoundsHere(const Expr& e) { return BoundsOf(e, Symbols()); }
bool LessEqual(const Expr& a, const Expr& b) { return ProveLessEqual(a, b, Symbols()); }

// The least and the greatest value; nullopt if one is undefined.
std::optional<Bounds> BruteForce(const Expr& e, absl::Span<const Symbol> symbols) {
  std::optional<Bounds> bounds;
  bool undefined = false;
  ForEachPoint(symbols, [&](absl::Span<const int64_t> point) {
    const std::optional<int64_t> value = e.Evaluate(point);
    undefined = undefined || !value;
    if (undefined) return;
    if (!bounds) bounds = Bounds{*value, *value};
    bounds = Bounds{std::min(bounds->min, *value), std::max(bounds->max, *value)};
  });
  return undefined ? std::nullopt : bounds;
}

TEST(ExprProofTest, RangeOfSymbols) {
  EXPECT_EQ(RangeOf({"s", 0, 4094, 1}), (Bounds{0, 4094}));
  EXPECT_EQ(RangeOf({"s", 1, 100, 32}), (Bounds{32, 96}));
  EXPECT_EQ(RangeOf({"s", -100, -1, 32}), (Bounds{-96, -32}));
  EXPECT_EQ(RangeOf({"s", kMin, kMax, 1}), (Bounds{kMin, kMax}));
  EXPECT_EQ(RangeOf({"s", kMin, kMax, kMax}), (Bounds{-kMax, kMax}));
  EXPECT_EQ(RangeOf({"s", 1, 31, 32}), std::nullopt);
  EXPECT_EQ(RangeOf({"s", 2, 1, 1}), std::nullopt);
  EXPECT_EQ(RangeOf({"s", 0, 1, 0}), std::nullopt);
}

TEST(ExprProofTest, BoundsOfSimpleExpressions) {
  EXPECT_EQ(BoundsHere(7), (Bounds{7, 7}));
  EXPECT_EQ(BoundsHere(8192 * s + 8192), (Bounds{8192, 33546240}));
  EXPECT_EQ(BoundsHere(-3 * s + 2 * t), (Bounds{-12280, 200}));
  EXPECT_EQ(BoundsHere(u), (Bounds{32, 992}));
  EXPECT_EQ(BoundsHere(s * t - s), (Bounds{0, 4094 * 99}));
  EXPECT_EQ(BoundsHere(t * t - t), (Bounds{0, 9900}));
  EXPECT_EQ(BoundsHere(Align(s, 256)), (Bounds{0, 4096}));
  EXPECT_EQ(BoundsHere(CeilDiv(s, t)), (Bounds{0, 4094}));
  EXPECT_EQ(BoundsHere(CeilDiv(-s - 1, t)), (Bounds{-4095, 0}));
  EXPECT_EQ(BoundsHere(Min(s, 100 * t)), (Bounds{0, 4094}));
  EXPECT_EQ(BoundsHere(Max(s, t)), (Bounds{1, 4094}));
}

TEST(ExprProofTest, NoBoundsWhereAValueIsUndefinedOrTooLarge) {
  EXPECT_EQ(BoundsHere(Expr(kMax) + 1), std::nullopt);
  EXPECT_EQ(BoundsHere(kMax * s), std::nullopt);
  EXPECT_EQ(BoundsHere(CeilDiv(t, s)), std::nullopt);
  EXPECT_EQ(BoundsHere(1 + s * CeilDiv(t, s)), std::nullopt);
  EXPECT_EQ(BoundsHere(Expr::FromSymbol(SymbolId(3))), std::nullopt);
  EXPECT_EQ(BoundsOf(s, {{"s", 1, 31, 32}}), std::nullopt);
  EXPECT_FALSE(ProveNonNegative(s * s, {{"s", 1, 31, 32}}));
  EXPECT_FALSE(ProveNonNegative(Expr(kMax) + 1, Symbols()));
  Expr power = 1;
  for (int i = 0; i < 64; ++i) power *= s;
  EXPECT_EQ(BoundsHere(power), std::nullopt);
  EXPECT_EQ(BoundsHere(power - power * Min(s, t) * 0), std::nullopt);
  EXPECT_EQ(BoundsOf(power, {{"s", -1, 1, 1}}), (Bounds{0, 1}));
}

TEST(ExprProofTest, LowerBoundIsProvenThoughTheUpperOverflows) {
  EXPECT_TRUE(ProveNonNegative(kMax * s, Symbols()));
  EXPECT_TRUE(ProveNonNegative(kMax * s * t - s, Symbols()));
  EXPECT_FALSE(ProveNonNegative(-kMax * s, Symbols()));
}

TEST(ExprProofTest, KvCacheRows) {
  const Expr row = 8192 * s;
  EXPECT_TRUE(LessEqual(row + 8192, 33546240));
  EXPECT_FALSE(LessEqual(row + 8193, 33546240));
  EXPECT_TRUE(ProveDisjoint(0, row, row, row + 8192, Symbols()));
  EXPECT_TRUE(ProveDisjoint(row, row + 8192, 0, row, Symbols()));
  EXPECT_FALSE(ProveDisjoint(0, row + 1, row, row + 8192, Symbols()));
  EXPECT_FALSE(ProveDisjoint(0, row, 8192, 16384, Symbols()));
}

TEST(ExprProofTest, CorrelatedAtoms) {
  EXPECT_TRUE(LessEqual(s, Align(s, 256)));
  EXPECT_TRUE(LessEqual(Align(s, 256), s + 255));
  EXPECT_FALSE(LessEqual(Align(s, 256), s + 254));
  EXPECT_TRUE(LessEqual(s * t, Align(s * t, 64)));
  EXPECT_TRUE(LessEqual(s + t, Align(s, 64) + Align(t, 64)));
  EXPECT_TRUE(LessEqual(Min(s, t), s));
  EXPECT_TRUE(LessEqual(Min(s, t), t));
  EXPECT_TRUE(LessEqual(s, Max(s, t)));
  EXPECT_TRUE(LessEqual(Min(s, t), Max(s, t)));
  EXPECT_TRUE(LessEqual(16 * Min(s, t) + 16, 16 * t + 16));
  EXPECT_TRUE(LessEqual(s, Align(Max(s, t), 32)));
  EXPECT_FALSE(LessEqual(t, Min(s, t)));
  EXPECT_EQ(BoundsHere(Align(s, 256) - s), (Bounds{0, 255}));
}

TEST(ExprProofTest, Equality) {
  EXPECT_TRUE(ProveEqual((s + 1) * (s - 1), s * s - 1, Symbols()));
  EXPECT_FALSE(ProveEqual(s, t, Symbols()));
  EXPECT_FALSE(ProveEqual(1, 2, Symbols()));
  EXPECT_TRUE(ProveEqual(s * s, 49, {{"s", 7, 7, 1}}));
  EXPECT_TRUE(ProveEqual(s, 8, {{"s", 1, 15, 8}}));
  EXPECT_TRUE(ProveEqual(Min(s, t), s, {{"s", 0, 5, 1}, {"t", 5, 9, 1}}));
  const Expr bad = Expr(kMax) + 1;
  EXPECT_FALSE(ProveEqual(bad, bad, Symbols()));
}

TEST(ExprProofTest, Multiples) {
  EXPECT_TRUE(ProveMultipleOf(8192 * s + 8192, 8192, Symbols()));
  EXPECT_FALSE(ProveMultipleOf(8192 * s + 4096, 8192, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(8 * u, 256, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(u * u, 1024, Symbols()));
  EXPECT_FALSE(ProveMultipleOf(u, 64, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(Align(s, 256), 64, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(CeilDiv(u * u, 32), 32, Symbols()));
  EXPECT_FALSE(ProveMultipleOf(CeilDiv(u, 32), 2, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(Min(4 * s, u + 8), 4, Symbols()));
  EXPECT_FALSE(ProveMultipleOf(Min(4 * s, u + 8), 8, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(s * 3, 6, {{"s", 4, 4, 1}}));
  EXPECT_TRUE(ProveMultipleOf(0, 17, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(kMin, 1024, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(kMin * s, int64_t{1} << 62, Symbols()));
  EXPECT_TRUE(ProveMultipleOf(s, 1, Symbols()));
  for (const int64_t m : {int64_t{0}, int64_t{-1}, kMin}) EXPECT_FALSE(ProveMultipleOf(0, m, Symbols()));
}

// Soundness over small boxes, for everything that can be written.
TEST(ExprProofTest, BoundsHoldEverywhere) {
  std::mt19937 random(1);
  int num_bounded = 0, num_exact = 0;
  for (int round = 0; round < 2500; ++round) {
    const std::vector<Symbol> symbols = RandomSymbols(random, 3, 4);
    const Expr e = ToExpr(*RandomExprTree(random, {.num_symbols = static_cast<int32_t>(symbols.size()),
                                                   .depth = round % 8 == 0 ? 4 : 1 + round % 3,
                                                   .symbolic_divisors = round % 3 == 0}));
    SCOPED_TRACE(absl::StrCat(e.ToString(symbols), " in ", symbols[0].min, "..", symbols[0].max));
    const std::optional<Bounds> bounds = BoundsOf(e, symbols);
    if (!bounds) continue;
    const std::optional<Bounds> truth = BruteForce(e, symbols);
    ASSERT_TRUE(truth);
    EXPECT_LE(bounds->min, truth->min);
    EXPECT_GE(bounds->max, truth->max);
    ++num_bounded;
    num_exact += bounds == truth ? 1 : 0;
    if (HasFailure()) return;
  }
  RecordProperty("bounded", num_bounded);
  RecordProperty("exact", num_exact);
  EXPECT_GT(num_bounded, 2000);
  EXPECT_GT(num_exact * 100, num_bounded * 90);
}

TEST(ExprProofTest, ConstantsFreePolynomialsAlwaysHaveBounds) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Symbol> symbols = RandomSymbols(random, 3, 4);
    const Expr e = ToExpr(
        *RandomExprTree(random, {.num_symbols = static_cast<int32_t>(symbols.size()), .depth = 3, .atoms = false}));
    EXPECT_TRUE(BoundsOf(e, symbols)) << e.ToString(symbols);
  }
}

TEST(ExprProofTest, ExactForMultilinear) {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::vector<Symbol> symbols = RandomSymbols(random, 6, 2);
    Expr e;
    for (int i = 0; i < 8; ++i) {
      Expr term = static_cast<int64_t>(random() % 21) - 10;
      for (size_t k = 0; k < symbols.size(); ++k) {
        if (random() % 2 == 0) term *= Expr::FromSymbol(SymbolId(static_cast<int32_t>(k)));
      }
      e += term;
    }
    ASSERT_EQ(BoundsOf(e, symbols), BruteForce(e, symbols)) << e.ToString(symbols);
  }
}

// x_0*x_1 - x_1*x_2 + ... over [-1, 1] is monotone in nothing, so that only corners tell.
TEST(ExprProofTest, ExactForMultilinearUpToTwelveSymbols) {
  std::vector<Symbol> symbols;
  Expr e;
  for (int32_t i = 0; i < 12; ++i) {
    symbols.push_back({absl::StrCat("x", i), -1, 1, 1});
    e += Expr::FromSymbol(SymbolId(i)) * Expr::FromSymbol(SymbolId((i + 1) % 12)) * (i % 2 == 0 ? 1 : -1);
  }
  // Signs can be chosen so that every product of neighbours counts +1, or -1, as the coefficients multiply to +1.
  EXPECT_EQ(BoundsOf(e, symbols), (Bounds{-12, 12}));
}

TEST(ExprProofTest, ExactForMonotone) {
  std::mt19937 random(4);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Symbol> symbols = RandomSymbols(random, 3, 4);
    // A polynomial with coefficients >= 0 in the distance from the lower corner, or <= 0 from the upper.
    const bool rising = round % 2 == 0;
    Expr e = static_cast<int64_t>(random() % 100) - 50;
    for (int i = 0; i < 5; ++i) {
      Expr term = 1 + static_cast<int64_t>(random() % 9);
      for (int32_t k = 0; k < static_cast<int32_t>(symbols.size()); ++k) {
        const Bounds range = RangeOf(symbols[static_cast<size_t>(k)]).value();
        const Expr symbol = Expr::FromSymbol(SymbolId(k));
        for (uint32_t power = random() % 3; power > 0; --power)
          term *= rising ? symbol - range.min : range.max - symbol;
      }
      e += term;
    }
    ASSERT_EQ(BoundsOf(e, symbols), BruteForce(e, symbols)) << e.ToString(symbols);
  }
}

TEST(ExprProofTest, ProofsAreNeverWrong) {
  std::mt19937 random(5);
  int num_less = 0, num_multiple = 0, num_disjoint = 0, num_equal = 0, num_missed = 0, num_true = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Symbol> symbols = RandomSymbols(random, 2, 4);
    const ExprTreeOptions options = {.num_symbols = static_cast<int32_t>(symbols.size()), .depth = 1 + round % 3};
    std::vector<Expr> e;
    for (int i = 0; i < 4; ++i) e.push_back(ToExpr(*RandomExprTree(random, options)));
    const int64_t m = 1 + static_cast<int64_t>(random() % 8);
    bool less = true, multiple = true, disjoint = true, equal = true;
    ForEachPoint(symbols, [&](absl::Span<const int64_t> point) {
      std::vector<int64_t> v;
      for (const Expr& expr : e) v.push_back(expr.Evaluate(point).value());
      less = less && v[0] <= v[1];
      equal = equal && v[0] == v[1];
      multiple = multiple && v[0] % m == 0;
      disjoint = disjoint && (v[1] <= v[2] || v[3] <= v[0]);
    });
    SCOPED_TRACE(absl::StrCat(e[0].ToString(symbols), " | ", e[1].ToString(symbols), " | ", e[2].ToString(symbols),
                              " | ", e[3].ToString(symbols)));
    const bool proved = ProveLessEqual(e[0], e[1], symbols);
    EXPECT_TRUE(less || !proved);
    EXPECT_TRUE(multiple || !ProveMultipleOf(e[0], m, symbols)) << m;
    EXPECT_TRUE(disjoint || !ProveDisjoint(e[0], e[1], e[2], e[3], symbols));
    EXPECT_TRUE(equal || !ProveEqual(e[0], e[1], symbols));
    num_less += proved ? 1 : 0;
    num_true += less ? 1 : 0;
    num_missed += less && !proved ? 1 : 0;
    num_multiple += ProveMultipleOf(e[0], m, symbols) ? 1 : 0;
    num_disjoint += ProveDisjoint(e[0], e[1], e[2], e[3], symbols) ? 1 : 0;
    num_equal += ProveEqual(e[0], e[1], symbols) ? 1 : 0;
    if (HasFailure()) return;
  }
  // The proofs are of use: they find most of what is true.
  EXPECT_GT(num_less, 500);
  EXPECT_GT(num_multiple, 500);
  EXPECT_GT(num_disjoint, 250);
  EXPECT_GT(num_equal, 15);
  EXPECT_LT(num_missed * 20, num_true);
}

TEST(ExprProofTest, HostileExpressionsCostLittle) {
  std::vector<Symbol> symbols;
  Expr sum = 1, product = 1, nested = s, atoms = 0;
  for (int32_t i = 0; i < 11; ++i) {
    symbols.push_back({absl::StrCat("x", i), -1000, 1000, 1});
    sum += Expr::FromSymbol(SymbolId(i));
    product *= Expr::FromSymbol(SymbolId(i)) - i;
  }
  const Expr square = sum * sum;
  const Expr quartic = square * square;
  for (int64_t i = 0; i < 60; ++i) {
    nested = i % 2 == 0 ? Min(nested - t, i * t) : CeilDiv(nested * 3 + s, i + 2);
    if (i < 15) atoms += Min(s * i, t + i) * (i % 2 == 0 ? 1 : -1) + Align(s * t, 2 * i + 3);
  }
  for (const Expr& e : {square, quartic, product, nested, atoms, atoms * atoms}) {
    EXPECT_TRUE(e.valid()) << e.size();
    const std::optional<Bounds> bounds = BoundsOf(e, symbols);
    std::vector<int64_t> point(symbols.size());
    std::mt19937 random(6);
    for (int i = 0; i < 20; ++i) {
      for (int64_t& v : point) v = static_cast<int64_t>(random() % 2001) - 1000;
      const std::optional<int64_t> value = e.Evaluate(point);
      EXPECT_TRUE(!bounds || !value || (bounds->min <= *value && *value <= bounds->max));
    }
  }
}

}  // namespace
}  // namespace bufplan
