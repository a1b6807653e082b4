#include "ir/missing_fact.h"

#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "ir/expr_terms.h"
#include "ir/region.h"

namespace bufplan {
namespace {

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

// The terms of `e` with that sign, as a sum that is not negative.
Expr TermsOfSign(const Expr& e, int sign) {
  if (e.is_constant()) return (e.constant() > 0) == (sign > 0) ? Expr(sign) * e : Expr(0);
  Expr sum = 0;
  for (const ExprTerm& term : e.terms()) {
    if ((term.coefficient > 0) != (sign > 0)) continue;
    sum += sign * TermExpr(term);
  }
  return sum;
}

}  // namespace

std::string MissingLessEqual(const Expr& a, const Expr& b, absl::Span<const Symbol> symbols) {
  const Expr room = b - a;
  if (!room.valid() || ProveNonNegative(-room - 1, symbols)) return "";
  // One symbol, linear: solved for it.
  const absl::Span<const ExprTerm> terms = room.terms();
  const bool one_symbol = !terms.empty() && terms.size() <= 2 && terms[0].factors.size() == 1 &&
                          terms[0].factors[0].exponent == 1 && terms[0].factors[0].atom == nullptr &&
                          (terms.size() == 1 || terms[1].factors.empty());
  if (one_symbol) {
    const int64_t c = terms[0].coefficient, k = terms.size() == 2 ? terms[1].coefficient : 0;
    const absl::string_view name = symbols[terms[0].factors[0].symbol.index()].name;
    if (c < -1) return absl::StrCat(std::string(name), " <= ", FloorDiv(k, -c));
    if (c == -1) return absl::StrCat(std::string(name), " <= ", k);
    return absl::StrCat(std::string(name), " >= ", -FloorDiv(k, c));
  }
  return absl::StrCat(TermsOfSign(room, -1).ToString(symbols), " <= ", TermsOfSign(room, 1).ToString(symbols));
}

std::string MissingDisjointness(const Region& a, const Region& b, absl::Span<const Symbol> symbols) {
  std::string fact = MissingLessEqual(RegionEnd(a), b.at, symbols);
  return fact.empty() ? MissingLessEqual(RegionEnd(b), a.at, symbols) : fact;
}

}  // namespace bufplan
