#include "ir/expr_terms.h"

namespace bufplan {

Expr FactorExpr(const ExprFactor& factor) {
  Expr base;
  if (factor.atom == nullptr) {
    base = Expr::FromSymbol(factor.symbol);
  } else if (factor.atom->kind == ExprAtomKind::kCeilDiv) {
    base = CeilDiv(factor.atom->left, factor.atom->right);
  } else {
    base = factor.atom->kind == ExprAtomKind::kMin ? Min(factor.atom->left, factor.atom->right)
                                                   : Max(factor.atom->left, factor.atom->right);
  }
  Expr power = 1;
  for (int32_t i = 0; i < factor.exponent; ++i) power *= base;
  return power;
}

Expr TermExpr(const ExprTerm& term) {
  Expr product = term.coefficient;
  for (const ExprFactor& f : term.factors) product *= FactorExpr(f);
  return product;
}

}  // namespace bufplan
