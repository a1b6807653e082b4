#include "ir/expr_terms.h"

#include "gtest/gtest.h"

namespace bufplan {
namespace {

const Expr kS = Expr::FromSymbol(SymbolId(0)), kT = Expr::FromSymbol(SymbolId(1));

TEST(ExprTerms, TheSumOfAllTermsIsTheExpression) {
  for (const Expr& e : {8192 * kS * kS + 3 * kS * kT - 7, CeilDiv(kS, 16) * kT + 1, Min(kS, 4 * kT) - Max(kT, 5)}) {
    Expr sum = 0;
    for (const ExprTerm& term : e.terms()) sum += TermExpr(term);
    EXPECT_EQ(sum, e);
  }
}

TEST(ExprTerms, AFactorIsAPower) {
  const Expr e = kS * kS * kS;
  EXPECT_EQ(FactorExpr(e.terms()[0].factors[0]), e);
}

}  // namespace
}  // namespace bufplan
