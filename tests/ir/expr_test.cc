#include "ir/expr.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/expr_tree.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

const std::vector<Symbol>& Symbols() {
  static const auto* const symbols = new std::vector<Symbol>{{"s", 0, 10, 1}, {"t", 0, 10, 1}, {"min", 0, 10, 1}};
  return *symbols;
}

const Expr& s = *new Expr(Expr::FromSymbol(SymbolId(0)));
const Expr& t = *new Expr(Expr::FromSymbol(SymbolId(1)));

std::string Text(const Expr& e) { return e.ToString(Symbols()); }

Expr Parsed(absl::string_view text) {
  const absl::StatusOr<Expr> e = ParseExpr(text, Symbols());
  EXPECT_TRUE(e.ok()) << text << ": " << e.status();
  return e.value_or(Expr());
}

std::string ParseError(absl::string_view text) {
  const absl::StatusOr<Expr> e = ParseExpr(text, Symbols());
  EXPECT_EQ(e.status().code(), absl::StatusCode::kInvalidArgument) << text.substr(0, 100);
  return std::string(e.status().message());
}

TEST(ExprTest, ConstantsAreFoldedAndChecked) {
  EXPECT_EQ(Expr(), Expr(0));
  EXPECT_EQ(Expr(3) * 5 - 1, 14);
  EXPECT_EQ(CeilDiv(7, 2), 4);
  EXPECT_EQ(CeilDiv(-7, 2), -3);
  EXPECT_EQ(Align(513, 256), 768);
  EXPECT_EQ(Align(-513, 256), -512);
  EXPECT_EQ(Align(0, 256), 0);
  EXPECT_EQ(Min(3, -4), -4);
  EXPECT_EQ(Max(3, -4), 3);
  EXPECT_EQ(Expr(kMax) + kMin, -1);
  EXPECT_EQ(Expr(kMin) * 1, kMin);
  EXPECT_EQ(CeilDiv(kMin, 1), kMin);
  for (const Expr& e : {Expr(kMax) + 1, Expr(kMin) - 1, Expr(kMax) * 2, -Expr(kMin), Align(kMax, 2)}) {
    EXPECT_FALSE(e.valid());
    EXPECT_EQ(e.error(), "a coefficient overflows 64 bits");
  }
  EXPECT_EQ(CeilDiv(1, 0).error(), "a divisor is <= 0");
  EXPECT_EQ(Align(s, -1).error(), "a divisor is <= 0");
}

TEST(ExprTest, InvalidIsStickyAndEqualsNothing) {
  const Expr bad = Expr(kMax) + 1;
  for (const Expr& e :
       {bad, bad + 1, s - bad, bad * 0, -bad, CeilDiv(bad, 2), CeilDiv(s, bad), Min(bad, s), Max(s, bad), Align(bad, 4),
        bad.Substitute(SymbolId(0), 1), (s * s).Substitute(SymbolId(0), bad)}) {
    EXPECT_FALSE(e.valid());
    EXPECT_FALSE(e == e);
    EXPECT_FALSE(e.is_constant());
    EXPECT_TRUE(e.terms().empty());
    EXPECT_EQ(e.Evaluate({1, 2, 3}), std::nullopt);
    EXPECT_THAT(Text(e), StartsWith("<invalid"));
  }
  EXPECT_FALSE(bad == Expr(0));
  EXPECT_FALSE(bad == s);
  EXPECT_FALSE(Expr::FromSymbol(SymbolId(-1)).valid());
  EXPECT_FALSE((kMax * s + s).valid());
  EXPECT_TRUE((kMax * s + s * t).valid());
  EXPECT_EQ(kMin * s - kMin * s, 0);
  EXPECT_FALSE((0 - kMin * s).valid());
}

TEST(ExprTest, NormalForm) {
  EXPECT_EQ((s + t) * (s - t), s * s - t * t);
  EXPECT_EQ(8192 * (s + 1), 8192 + s * 8192);
  EXPECT_EQ(s - s, 0);
  EXPECT_TRUE((s - s + 4).is_constant());
  EXPECT_EQ((s - s + 4).constant(), 4);
  EXPECT_NE(s, t);
  EXPECT_NE(s, 0);
  EXPECT_EQ(Min(s, t), Min(t, s));
  EXPECT_EQ(Max(s + t, 4), Max(4, t + s));
  EXPECT_NE(Max(s, t), Min(s, t));
  EXPECT_EQ(Min(s, s + 1), s);
  EXPECT_EQ(Max(s, s + 1), s + 1);
  EXPECT_EQ(Min(s, s), s);
  EXPECT_EQ(Align(s, 1), s);
  EXPECT_EQ(Align(256 * s, 256), 256 * s);
  EXPECT_EQ(Align(256 * s + 1, 256), 256 * s + 256);
  EXPECT_EQ(Align(s + 256, 256), Align(s, 256) + 256);
  EXPECT_EQ(Align(Align(s, 256), 64), Align(s, 256));
  EXPECT_EQ(Align(Align(s, 64), 256), Align(s, 256));
  EXPECT_EQ(CeilDiv(4 * s + 3, 6), CeilDiv(2 * s + 2, 3));
  EXPECT_EQ(CeilDiv(CeilDiv(s, 3) + 1, 5), CeilDiv(s + 3, 15));
  EXPECT_EQ(CeilDiv(s - 1, 4), CeilDiv(s + 3, 4) - 1);
  EXPECT_EQ(CeilDiv(s, t) * CeilDiv(s, t), CeilDiv(s, t) * CeilDiv(s + t - t, t));
}

TEST(ExprTest, ToStringIsCanonical) {
  EXPECT_EQ(Text(8192 + s * 8192), "8192*s + 8192");
  EXPECT_EQ(Text(Expr(-4)), "-4");
  EXPECT_EQ(Text(t - s * s * t * 2 - 1 + s), "-2*s*s*t + s + t - 1");
  EXPECT_EQ(Text(-s), "-s");
  EXPECT_EQ(Text(t - s), "-s + t");
  EXPECT_EQ(Text(kMin * s + kMin * t + kMin), "-9223372036854775808*s + -9223372036854775808*t + -9223372036854775808");
  EXPECT_EQ(Text(Align(s + 3, 256)), "256*ceildiv(s + 3, 256)");
  EXPECT_EQ(Text(Min(t, 4) - Max(2 * s, t) * s), "-s*max(2*s, t) + min(4, t)");
  EXPECT_EQ(Text(Expr::FromSymbol(SymbolId(7)) * 3), "3*$7");
  EXPECT_EQ(Text(Expr::FromSymbol(SymbolId(2)) * 3), "3*min");
}

TEST(ExprTest, TermsAndMaxSymbol) {
  const Expr e = 3 * s * s * Min(s, t) - 7;
  ASSERT_EQ(e.terms().size(), 2u);
  EXPECT_EQ(e.terms()[0].coefficient, 3);
  ASSERT_EQ(e.terms()[0].factors.size(), 2u);
  EXPECT_EQ(e.terms()[0].factors[0].symbol, SymbolId(0));
  EXPECT_EQ(e.terms()[0].factors[0].exponent, 2);
  EXPECT_EQ(e.terms()[0].factors[1].atom->kind, ExprAtomKind::kMin);
  EXPECT_EQ(e.terms()[1].coefficient, -7);
  EXPECT_TRUE(e.terms()[1].factors.empty());
  EXPECT_EQ(e.MaxSymbol(), SymbolId(1));
  EXPECT_EQ(Expr(4).MaxSymbol(), std::nullopt);
  EXPECT_EQ((s - s).MaxSymbol(), std::nullopt);
}

TEST(ExprTest, EvaluateIsChecked) {
  EXPECT_EQ((8192 * s + 8192).Evaluate({4094}), 33546240);
  EXPECT_EQ((s * s).Evaluate({int64_t{1} << 32}), std::nullopt);
  EXPECT_EQ((s * s - s * t).Evaluate({int64_t{1} << 32, int64_t{1} << 32}), 0);
  EXPECT_EQ((s * s * s * s * s).Evaluate({int64_t{1} << 62}), std::nullopt);
  EXPECT_EQ(s.Evaluate({}), std::nullopt);
  EXPECT_EQ(CeilDiv(s, t).Evaluate({7, 2}), 4);
  EXPECT_EQ(CeilDiv(s, t).Evaluate({7, 0}), std::nullopt);
  EXPECT_EQ(CeilDiv(s, t).Evaluate({7, -2}), std::nullopt);
}

TEST(ExprTest, LimitsGiveInvalidQuickly) {
  Expr sum = s + t + Expr::FromSymbol(SymbolId(2)) + 1;
  Expr power = 1;
  for (int i = 0; i < 1000; ++i) power *= sum;
  EXPECT_THAT(std::string(power.error()), HasSubstr("too large"));
  power = 1;
  for (int i = 0; i < 64; ++i) power *= s;
  EXPECT_TRUE(power.valid());
  EXPECT_FALSE((power * s).valid());
  Expr nested = s;
  for (int i = 0; i < 1000; ++i) nested = Min(nested, t * i + nested * nested);
  EXPECT_FALSE(nested.valid());
  Expr doubling = s;
  for (int i = 0; i < 64; ++i) doubling = CeilDiv(doubling, t) + CeilDiv(t, doubling);
  EXPECT_FALSE(doubling.valid());
}

// Every way to build the same function of the symbols agrees with evaluation node by node.
TEST(ExprTest, RandomTreesAgreeWithEvaluation) {
  std::mt19937 random(1);
  int num_atoms = 0;
  for (int round = 0; round < 6000; ++round) {
    const std::vector<Symbol> symbols = RandomSymbols(random, 3, 4);
    const ExprTreePtr tree = RandomExprTree(random, {.num_symbols = static_cast<int32_t>(symbols.size()),
                                                     .depth = 1 + round % 4,
                                                     .symbolic_divisors = round % 3 == 0});
    const Expr e = ToExpr(*tree);
    if (!e.valid()) {
      EXPECT_EQ(e.error(), "a divisor is <= 0");
      continue;
    }
    const std::string text = ToText(*tree, symbols);
    SCOPED_TRACE(absl::StrCat(text, " = ", e.ToString(symbols)));
    num_atoms += e.ToString(symbols).find('(') != std::string::npos ? 1 : 0;
    ForEachPoint(symbols, [&](absl::Span<const int64_t> point) {
      const std::optional<int64_t> value = Evaluate(*tree, point);
      // Normalisation may remove an undefined part, as in 0*ceildiv(1, s), but never changes a value.
      if (value) {
        EXPECT_EQ(e.Evaluate(point), value) << absl::StrJoin(point, " ");
      }
    });
    for (const std::string& source : {text, e.ToString(symbols)}) {
      const absl::StatusOr<Expr> parsed = ParseExpr(source, symbols);
      ASSERT_TRUE(parsed.ok()) << source << ": " << parsed.status();
      EXPECT_EQ(*parsed, e) << source;
      EXPECT_EQ(parsed->ToString(symbols), e.ToString(symbols));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(num_atoms, 1000);
}

// Two polynomials are the same iff they agree on more points per symbol than their degree.
TEST(ExprTest, EqualityOfPolynomialsIsEqualityOfValues) {
  std::mt19937 random(2);
  const std::vector<Symbol> symbols = {{"x", 0, 8, 1}, {"y", 0, 8, 1}};
  int num_equal = 0;
  for (int round = 0; round < 20000; ++round) {
    const ExprTreeOptions options = {.num_symbols = 2, .depth = 1 + round % 3, .max_constant = 2, .atoms = false};
    const ExprTreePtr a = RandomExprTree(random, options);
    const ExprTreePtr b = RandomExprTree(random, options);
    bool same = true;
    ForEachPoint(symbols,
                 [&](absl::Span<const int64_t> point) { same = same && Evaluate(*a, point) == Evaluate(*b, point); });
    num_equal += same ? 1 : 0;
    ASSERT_EQ(ToExpr(*a) == ToExpr(*b), same) << ToText(*a, symbols) << " and " << ToText(*b, symbols);
  }
  EXPECT_GT(num_equal, 100);
}

TEST(ExprTest, OrderIsTotal) {
  std::mt19937 random(3);
  std::vector<Expr> all = {0, -1, 5, s, t, Expr(kMax) + 1};
  for (int i = 0; i < 60; ++i) all.push_back(ToExpr(*RandomExprTree(random, {.num_symbols = 2, .depth = 2})));
  for (const Expr& a : all) {
    for (const Expr& b : all) {
      EXPECT_EQ(Expr::Order(a, b) == 0, a == b || (!a.valid() && !b.valid()));
      EXPECT_EQ(Expr::Order(a, b) < 0, Expr::Order(b, a) > 0);
      for (const Expr& c : all) {
        EXPECT_TRUE(Expr::Order(a, b) >= 0 || Expr::Order(b, c) >= 0 || Expr::Order(a, c) < 0);
      }
    }
  }
}

TEST(ExprTest, SubstituteAgreesWithEvaluation) {
  EXPECT_EQ((s * s + t).Substitute(SymbolId(0), t + 1), t * t + 3 * t + 1);
  EXPECT_EQ(Min(s, t).Substitute(SymbolId(1), s + 1), s);
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Symbol> symbols = RandomSymbols(random, 3, 3);
    const Expr e = ToExpr(*RandomExprTree(random, {.num_symbols = static_cast<int32_t>(symbols.size()), .depth = 3}));
    ForEachPoint(symbols, [&](absl::Span<const int64_t> point) {
      std::vector<std::optional<int64_t>> some(point.begin(), point.end());
      EXPECT_EQ(e.Substitute(some), e.Evaluate(point).value());
      some[0] = std::nullopt;
      EXPECT_EQ(e.Substitute(some).Evaluate(point), e.Evaluate(point));
      EXPECT_EQ(e.Substitute(SymbolId(0), point[0]).Evaluate(point), e.Evaluate(point));
    });
    if (HasFailure()) return;
  }
}

TEST(ParseExprTest, Accepts) {
  EXPECT_EQ(Parsed("8192*s"), 8192 * s);
  EXPECT_EQ(Parsed(" 2 *\t( s+t )\n- -3 "), 2 * s + 2 * t + 3);
  EXPECT_EQ(Parsed("1-2-3*4"), -13);
  EXPECT_EQ(Parsed("-s*-t"), s * t);
  EXPECT_EQ(Parsed("-9223372036854775808"), kMin);
  EXPECT_EQ(Parsed("9223372036854775807"), kMax);
  EXPECT_EQ(Parsed("007"), 7);
  EXPECT_EQ(Parsed("align(s, 256)"), Align(s, 256));
  EXPECT_EQ(Parsed("ceildiv(s, t)"), CeilDiv(s, t));
  EXPECT_EQ(Parsed("min + min(s, max (t, 4))"), Expr::FromSymbol(SymbolId(2)) + Min(s, Max(t, 4)));
  const std::vector<Symbol> odd = {{"a.b$c_1", 0, 1, 1}, {"\xc3\xa4", 0, 1, 1}};
  EXPECT_TRUE(ParseExpr("a.b$c_1*\xc3\xa4", odd).ok());
  EXPECT_EQ(*ParseExpr("x", [](absl::string_view name) { return SymbolId(name == "x" ? 1 : 0); }), t);
}

TEST(ParseExprTest, SymbolNames) {
  for (const char* name : {"s", "_", "$0", "a.b", "min", "\xc3\xa4"}) EXPECT_TRUE(IsSymbolName(name)) << name;
  for (const char* name : {"", "0a", ".a", "a b", "a-b", "a+", "(", "%0"}) EXPECT_FALSE(IsSymbolName(name)) << name;
  EXPECT_TRUE(IsSymbolName(std::string(1024, 'a')));
  EXPECT_FALSE(IsSymbolName(std::string(1025, 'a')));
}

TEST(ParseExprTest, ErrorsNameColumnAndToken) {
  EXPECT_EQ(ParseError(""), "column 1, at the end: expected an integer, a symbol, a function or \"(\"");
  EXPECT_EQ(ParseError("8192*(s"), "column 8, at the end: expected \")\"");
  EXPECT_EQ(ParseError("8192*q1"), "column 6, at \"q1\": unknown symbol");
  EXPECT_EQ(ParseError("2 s"), "column 3, at \"s\": expected an operator or the end");
  EXPECT_EQ(ParseError("s)"), "column 2, at \")\": expected an operator or the end");
  EXPECT_EQ(ParseError("s + *"), "column 5, at \"*\": expected an integer, a symbol, a function or \"(\"");
  EXPECT_EQ(ParseError("2s"), "column 1, at \"2s\": malformed integer");
  EXPECT_EQ(ParseError("1.5"), "column 1, at \"1.5\": malformed integer");
  EXPECT_EQ(ParseError("s/2"), "column 2, at \"/\": expected an operator or the end");
  EXPECT_EQ(ParseError("log(s, 2)"), "column 1, at \"log\": unknown function; there are ceildiv, align, min and max");
  EXPECT_EQ(ParseError("max(s)"), "column 6, at \")\": expected \",\"");
  EXPECT_EQ(ParseError("max(s, t, 3)"), "column 9, at \",\": expected \")\"");
  EXPECT_EQ(ParseError("9223372036854775808"),
            "column 1, at \"9223372036854775808\": the integer does not fit 64 bits");
  EXPECT_EQ(ParseError("s + 9223372036854775807*2"), "column 24, at \"*\": a coefficient overflows 64 bits");
  EXPECT_EQ(ParseError("9223372036854775807 + 1 - 1"), "column 21, at \"+\": a coefficient overflows 64 bits");
  EXPECT_EQ(ParseError("ceildiv(s, 1 - 1)"), "column 1, at \"ceildiv\": a divisor is <= 0");
  EXPECT_EQ(ParseError("-(-9223372036854775808)"), "column 1, at \"-\": a coefficient overflows 64 bits");
  EXPECT_EQ(ParseError(std::string("s\0t", 3)), "column 2, at \"\\x00\": expected an operator or the end");
  EXPECT_LT(ParseError(std::string(60000, 'q')).size(), 200u);
}

TEST(ParseExprTest, HostileTextIsRefused) {
  const auto repeat = [](absl::string_view part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) absl::StrAppend(&text, part);
    return text;
  };
  EXPECT_EQ(ParseError(repeat("(", 100000)), "expression of 100000 bytes, must be <= 65536");
  EXPECT_EQ(ParseError(repeat("(", 60000)), "column 201, at \"(\": nested more than 200 levels deep");
  EXPECT_THAT(ParseError(repeat("min(s,", 10000)), HasSubstr("nested more than 200 levels deep"));
  EXPECT_EQ(Parsed(repeat("-", 60000) + "s"), s);
  EXPECT_THAT(ParseError(repeat("(s+t+min+1)*", 1000) + "1"), HasSubstr("too large"));
  EXPECT_THAT(ParseError(repeat("s*", 1000) + "1"), HasSubstr("too large"));
  const std::string big = repeat("(s+t+min+1)*", 20) + "1";
  EXPECT_THAT(ParseError(repeat(absl::StrCat(big, "-(", big, ")+"), 100) + "1"), HasSubstr("too much work"));
  std::string nested = "s";
  for (int i = 0; i < 70; ++i) nested = absl::StrCat("min(", nested, ",t*", i + 2, ")");
  EXPECT_THAT(ParseError(nested), HasSubstr("too large"));
}

TEST(ParseExprTest, GarbageNeverCrashes) {
  std::mt19937 random(5);
  const std::vector<std::string> parts = {"s",
                                          "t",
                                          "q",
                                          "1",
                                          "0",
                                          "-",
                                          "+",
                                          "*",
                                          "(",
                                          ")",
                                          ",",
                                          "min",
                                          "max(",
                                          "ceildiv(",
                                          "align(",
                                          " ",
                                          "9223372036854775807",
                                          "\xff",
                                          "$",
                                          ".",
                                          std::string(1, '\0')};
  int num_ok = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string text;
    for (uint32_t i = random() % 12; i > 0; --i) {
      text += random() % 20 == 0 ? std::string(1, static_cast<char>(random())) : parts[random() % parts.size()];
    }
    const absl::StatusOr<Expr> e = ParseExpr(text, Symbols());
    if (e.ok()) {
      ++num_ok;
      EXPECT_TRUE(e->valid());
      EXPECT_EQ(Parsed(Text(*e)), *e) << text;
    } else {
      EXPECT_THAT(std::string(e.status().message()), StartsWith("column "));
    }
  }
  EXPECT_GT(num_ok, 1000);
}

}  // namespace
}  // namespace bufplan
