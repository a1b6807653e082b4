// The pieces of an expression as expressions of their own.
//
// COST: O(size of the piece). THREADS: pure functions.
#ifndef BUFPLAN_IR_EXPR_TERMS_H_
#define BUFPLAN_IR_EXPR_TERMS_H_

#include "ir/expr.h"

namespace bufplan {

Expr FactorExpr(const ExprFactor& factor);
Expr TermExpr(const ExprTerm& term);

}  // namespace bufplan

#endif  // BUFPLAN_IR_EXPR_TERMS_H_
