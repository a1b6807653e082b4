#include "ir/wide_poly.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "gtest/gtest.h"

namespace bufplan::wide_poly {
namespace {

constexpr Wide kHuge = std::numeric_limits<Wide>::max();

TEST(WidePolyTest, AddTermMergesDropsAndChecks) {
  Poly p;
  EXPECT_TRUE(AddTerm(p, {0, 1}, 3));
  EXPECT_TRUE(AddTerm(p, {0, 1}, 4));
  EXPECT_TRUE(AddTerm(p, {}, 5));
  EXPECT_TRUE(AddTerm(p, {2}, 0));
  EXPECT_TRUE(p == (Poly{{{0, 1}, 7}, {{}, 5}}));
  EXPECT_TRUE(AddTerm(p, {0, 1}, -7));
  EXPECT_TRUE(IsConstant(p));
  EXPECT_TRUE(ConstantOf(p) == 5);
  EXPECT_TRUE(AddTerm(p, {}, -5));
  EXPECT_TRUE(p.empty() && IsConstant(p) && ConstantOf(p) == 0);
  EXPECT_TRUE(AddTerm(p, {}, kHuge));
  EXPECT_FALSE(AddTerm(p, {}, 1));
  EXPECT_FALSE(AddTerm(p, {1}, std::nullopt));
}

TEST(WidePolyTest, TimesAndScaledAreChecked) {
  EXPECT_TRUE(Times(-3, 4) == Wide{-12});
  EXPECT_FALSE(Times(kHuge, 2));
  EXPECT_FALSE(Times(-kHuge - 1, -1));
  const Poly p = {{{0}, 2}, {{}, -1}};
  EXPECT_TRUE(*Scaled(p, -3) == (Poly{{{0}, -6}, {{}, 3}}));
  EXPECT_TRUE(Scaled(p, 0)->empty());
  EXPECT_FALSE(Scaled(p, kHuge));
}

TEST(WidePolyTest, RangesHoldEveryValue) {
  const auto holds = [](const std::optional<Range>& range, Wide value) {
    return range && range->min <= value && value <= range->max;
  };
  for (Wide a = -4; a <= 4; ++a) {
    for (Wide b = a; b <= 4; ++b) {
      for (Wide x = a; x <= b; ++x) {
        EXPECT_TRUE(holds(Power({a, b}, 0), 1) && holds(Power({a, b}, 2), x * x) && holds(Power({a, b}, 3), x * x * x));
        EXPECT_TRUE(Power({a, b}, 2)->min >= 0);
        for (Wide c = -3; c <= 3; ++c) {
          for (Wide y = c; y <= 3; ++y) {
            EXPECT_TRUE(holds(Product({a, b}, {c, 3}), x * y));
            if (c >= 1) {
              EXPECT_TRUE(holds(Quotient({a, b}, {c, 3}), CeilDiv(x, y)));
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(CeilDiv(-7, 2) == -3 && CeilDiv(7, 2) == 4 && CeilDiv(-8, 2) == -4);
  EXPECT_TRUE(Quotient({-7, 7}, {2, 4})->min == -3 && Quotient({-7, 7}, {2, 4})->max == 4);
  EXPECT_TRUE(Product({-2, 3}, {-5, 1})->min == -15 && Product({-2, 3}, {-5, 1})->max == 10);
  EXPECT_FALSE(Quotient({1, 2}, {0, 2}));
  EXPECT_FALSE(Product({1, kHuge}, {1, 2}));
  EXPECT_FALSE(Power({2, 3}, 100));
}

TEST(WidePolyTest, MonomialsAndVariables) {
  EXPECT_EQ(ExponentOf({0, 0, 3}, 0), 2u);
  EXPECT_EQ(ExponentOf({0, 0, 3}, 1), 0u);
  EXPECT_EQ(Without({0, 1, 1, 3}, 1), (Monomial{0, 3}));
  const Poly p = {{{0, 0, 3}, 1}, {{0, 3, 3, 3}, 1}, {{2}, 1}, {{}, 1}};
  EXPECT_EQ(VariablesOf(p), (std::map<int32_t, size_t>{{0, 2}, {2, 1}, {3, 3}}));
  EXPECT_FALSE(IsConstant(p));
}

TEST(WidePolyTest, Derivative) {
  const Poly p = {{{0, 0, 1}, 5}, {{1}, 7}, {{}, 9}};
  EXPECT_TRUE(*Derivative(p, 0) == (Poly{{{0, 1}, 10}}));
  EXPECT_TRUE(*Derivative(p, 1) == (Poly{{{0, 0}, 5}, {{}, 7}}));
  EXPECT_TRUE(Derivative(p, 2)->empty());
  EXPECT_FALSE(Derivative({{{0, 0}, kHuge}}, 0));
}

}  // namespace
}  // namespace bufplan::wide_poly
