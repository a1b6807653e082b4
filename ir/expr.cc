#include "ir/expr.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {

using Wide = __int128;
using Terms = std::vector<ExprTerm>;

// The terms of an Expr that is no constant, or the reason why there are none.
struct ExprPoly {
  absl::string_view error;
  Terms terms;
  int64_t size = 1;
  int32_t nesting = 0;
  std::optional<SymbolId> max_symbol;

  static const ExprPoly* Of(const Expr& e) { return e.poly_.get(); }
  static Expr Overflow();
  static Expr TooComplex();
  static Expr BadDivisor();
  static Expr BadSymbol();
  // From sorted, merged terms without zero coefficients.
  static Expr Make(Terms terms);
  static Expr MakeAtom(ExprAtomKind kind, const Expr& left, const Expr& right);
  static Expr Invalid(const ExprPoly* reason) {
    Expr e;
    e.poly_ = std::shared_ptr<const ExprPoly>(std::shared_ptr<void>(), reason);  // Owns nothing: lives for ever.
    return e;
  }

 private:
  // False if a limit of Expr is exceeded.
  bool Measure();
};

namespace {

const ExprPoly* NewError(absl::string_view text) {
  ExprPoly* const poly = new ExprPoly;
  poly->error = text;
  return poly;
}

int32_t NestingOf(const Expr& e) { return e.is_constant() ? 0 : ExprPoly::Of(e)->nesting; }

int32_t DegreeOf(const ExprTerm& term) {
  int32_t degree = 0;
  for (const ExprFactor& factor : term.factors) degree += factor.exponent;
  return degree;
}

// Symbols before atoms; the exponent does not matter.
std::strong_ordering FactorOrder(const ExprFactor& a, const ExprFactor& b) {
  if (a.atom == b.atom) return a.atom == nullptr ? a.symbol <=> b.symbol : std::strong_ordering::equal;
  if (a.atom == nullptr) return std::strong_ordering::less;
  if (b.atom == nullptr) return std::strong_ordering::greater;
  if (a.atom->kind != b.atom->kind) return a.atom->kind <=> b.atom->kind;
  const std::strong_ordering left = Expr::Order(a.atom->left, b.atom->left);
  return left != std::strong_ordering::equal ? left : Expr::Order(a.atom->right, b.atom->right);
}

// Highest degree first, then as the words a*a < a*b < b*b. Coefficients do not matter.
std::strong_ordering MonomialOrder(const ExprTerm& a, const ExprTerm& b) {
  const std::strong_ordering degree = DegreeOf(b) <=> DegreeOf(a);
  if (degree != std::strong_ordering::equal) return degree;
  for (size_t i = 0; i < a.factors.size() && i < b.factors.size(); ++i) {
    const std::strong_ordering factor = FactorOrder(a.factors[i], b.factors[i]);
    if (factor != std::strong_ordering::equal) return factor;
    if (a.factors[i].exponent != b.factors[i].exponent) return b.factors[i].exponent <=> a.factors[i].exponent;
  }
  return a.factors.size() <=> b.factors.size();
}

// The terms of a valid Expr, where a constant is a term without factors, kept in `buffer`.
absl::Span<const ExprTerm> TermsOf(const Expr& e, ExprTerm& buffer) {
  if (!e.is_constant()) return e.terms();
  buffer.coefficient = e.constant();
  return absl::MakeConstSpan(&buffer, e.constant() == 0 ? 0 : 1);
}

std::vector<ExprFactor> MultiplyFactors(const std::vector<ExprFactor>& a, const std::vector<ExprFactor>& b) {
  std::vector<ExprFactor> product;
  product.reserve(a.size() + b.size());
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const std::strong_ordering order = FactorOrder(a[i], b[j]);
    if (order == std::strong_ordering::equal) {
      product.push_back(a[i++]);
      product.back().exponent += b[j++].exponent;
    } else {
      product.push_back(order == std::strong_ordering::less ? a[i++] : b[j++]);
    }
  }
  product.insert(product.end(), a.begin() + static_cast<ptrdiff_t>(i), a.end());
  product.insert(product.end(), b.begin() + static_cast<ptrdiff_t>(j), b.end());
  return product;
}

struct WideTerm {
  Wide coefficient = 0;
  ExprTerm term;
};

int64_t CeilDivInt(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

int64_t FloorDivInt(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// a / divisor rounded up, for a polynomial `a` and a divisor > 1. With g = gcd of the divisor and all coefficients but
// the constant, ceil((g*p + c) / (g*d)) = ceil((p + ceil(c/g)) / d); then whole multiples of d leave the division.
Expr CeilDivByConstant(const Expr& a, int64_t divisor) {
  int64_t gcd = divisor;
  for (const ExprTerm& term : a.terms()) {
    if (!term.factors.empty()) gcd = std::gcd(gcd, term.coefficient % gcd);
  }
  divisor /= gcd;
  Terms whole, rest;
  int64_t constant = 0;
  for (const ExprTerm& term : a.terms()) {
    const int64_t c = term.factors.empty() ? CeilDivInt(term.coefficient, gcd) : term.coefficient / gcd;
    const int64_t quotient = term.factors.empty() ? FloorDivInt(c, divisor) : c / divisor;
    const int64_t remainder = c - quotient * divisor;
    if (quotient != 0) whole.push_back({quotient, term.factors});
    if (remainder != 0) rest.push_back({remainder, term.factors});
    if (term.factors.empty()) constant = remainder;
  }
  const Expr quotient = ExprPoly::Make(std::move(whole));
  if (divisor == 1) return quotient;
  const Expr dividend = ExprPoly::Make(std::move(rest));
  const ExprTerm& first = dividend.terms().front();
  const ExprAtom* const inner = first.factors.front().atom.get();
  const bool is_shifted_atom = dividend.terms().size() == (constant == 0 ? 1 : 2) && first.coefficient == 1 &&
                               first.factors.size() == 1 && first.factors[0].exponent == 1 && inner != nullptr;
  if (is_shifted_atom && inner->kind == ExprAtomKind::kCeilDiv && inner->right.is_constant()) {
    // ceil((ceil(x/d) + c) / e) = ceil((x + c*d) / (d*e))
    const Expr merged = CeilDiv(inner->left + inner->right * constant, inner->right * divisor);
    if (merged.valid()) return quotient + merged;
  }
  return quotient + ExprPoly::MakeAtom(ExprAtomKind::kCeilDiv, dividend, divisor);
}

Expr MinOrMax(ExprAtomKind kind, const Expr& a, const Expr& b) {
  if (!a.valid()) return a;
  if (!b.valid()) return b;
  const Expr difference = a - b;
  if (difference.is_constant()) return (difference.constant() <= 0) == (kind == ExprAtomKind::kMin) ? a : b;
  const bool ordered = Expr::Order(a, b) == std::strong_ordering::less;
  return ExprPoly::MakeAtom(kind, ordered ? a : b, ordered ? b : a);
}

std::optional<Wide> EvaluateWide(const Expr& e, absl::Span<const int64_t> symbol_values);

std::optional<Wide> EvaluateAtom(const ExprAtom& atom, absl::Span<const int64_t> symbol_values) {
  const std::optional<Wide> left = EvaluateWide(atom.left, symbol_values);
  const std::optional<Wide> right = EvaluateWide(atom.right, symbol_values);
  if (!left || !right) return std::nullopt;
  if (atom.kind == ExprAtomKind::kMin) return std::min(*left, *right);
  if (atom.kind == ExprAtomKind::kMax) return std::max(*left, *right);
  if (*right <= 0) return std::nullopt;
  return *left / *right + (*left % *right > 0 ? 1 : 0);
}

std::optional<Wide> EvaluateWide(const Expr& e, absl::Span<const int64_t> symbol_values) {
  if (!e.valid()) return std::nullopt;
  if (e.is_constant()) return e.constant();
  Wide sum = 0;
  for (const ExprTerm& term : e.terms()) {
    Wide product = term.coefficient;
    for (const ExprFactor& factor : term.factors) {
      if (factor.atom == nullptr && factor.symbol.index() >= symbol_values.size()) return std::nullopt;
      const std::optional<Wide> value = factor.atom == nullptr ? Wide{symbol_values[factor.symbol.index()]}
                                                               : EvaluateAtom(*factor.atom, symbol_values);
      if (!value) return std::nullopt;
      for (int32_t i = 0; i < factor.exponent; ++i) {
        if (__builtin_mul_overflow(product, *value, &product)) return std::nullopt;
      }
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

using Replacement = absl::FunctionRef<std::optional<Expr>(SymbolId)>;

Expr SubstituteAll(const Expr& e, Replacement replace);

Expr SubstituteFactor(const ExprFactor& factor, Replacement replace) {
  Expr base;
  if (factor.atom == nullptr) {
    base = replace(factor.symbol).value_or(Expr::FromSymbol(factor.symbol));
  } else {
    const Expr left = SubstituteAll(factor.atom->left, replace);
    const Expr right = SubstituteAll(factor.atom->right, replace);
    base =
        factor.atom->kind == ExprAtomKind::kCeilDiv ? CeilDiv(left, right) : MinOrMax(factor.atom->kind, left, right);
  }
  Expr power = base;
  for (int32_t i = 1; i < factor.exponent; ++i) power *= base;
  return power;
}

Expr SubstituteAll(const Expr& e, Replacement replace) {
  if (e.is_constant() || !e.valid()) return e;
  std::vector<Expr> sums;
  for (const ExprTerm& term : e.terms()) {
    Expr product = term.coefficient;
    for (const ExprFactor& factor : term.factors) product *= SubstituteFactor(factor, replace);
    sums.push_back(std::move(product));
  }
  while (sums.size() > 1) {  // In pairs, so that many terms cost n log n.
    for (size_t i = 0; i + 1 < sums.size(); i += 2) sums[i / 2] = sums[i] + sums[i + 1];
    if (sums.size() % 2 == 1) sums[sums.size() / 2] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.front();
}

std::string FactorText(const ExprFactor& factor, absl::Span<const Symbol> symbols) {
  if (factor.atom != nullptr) {
    const ExprAtomKind kind = factor.atom->kind;
    const absl::string_view name = kind == ExprAtomKind::kCeilDiv ? "ceildiv"
                                   : kind == ExprAtomKind::kMin   ? "min"
                                                                  : "max";
    return absl::StrCat(name, "(", factor.atom->left.ToString(symbols), ", ", factor.atom->right.ToString(symbols),
                        ")");
  }
  if (factor.symbol.index() < symbols.size()) return symbols[factor.symbol.index()].name;
  return absl::StrCat("$", factor.symbol.value);
}

}  // namespace

Expr ExprPoly::Overflow() {
  static const ExprPoly* const kReason = NewError("a coefficient overflows 64 bits");
  return Invalid(kReason);
}

Expr ExprPoly::TooComplex() {
  static const ExprPoly* const kReason = NewError("the expression is too large: too many terms, degrees or levels");
  return Invalid(kReason);
}

Expr ExprPoly::BadDivisor() {
  static const ExprPoly* const kReason = NewError("a divisor is <= 0");
  return Invalid(kReason);
}

Expr ExprPoly::BadSymbol() {
  static const ExprPoly* const kReason = NewError("a symbol id is negative");
  return Invalid(kReason);
}

bool ExprPoly::Measure() {
  size = static_cast<int64_t>(terms.size());
  if (terms.size() > Expr::kMaxTerms) return false;
  for (const ExprTerm& term : terms) {
    if (DegreeOf(term) > Expr::kMaxDegree) return false;
    for (const ExprFactor& factor : term.factors) {
      std::optional<SymbolId> symbol = factor.symbol;
      size += 1;
      if (factor.atom != nullptr) {
        const ExprAtom& atom = *factor.atom;
        symbol = std::max(atom.left.MaxSymbol(), atom.right.MaxSymbol());
        nesting = std::max({nesting, 1 + NestingOf(atom.left), 1 + NestingOf(atom.right)});
        size += atom.left.size() + atom.right.size();
      }
      max_symbol = std::max(max_symbol, symbol);
      if (size > Expr::kMaxSize) return false;
    }
  }
  return nesting <= Expr::kMaxNesting;
}

Expr ExprPoly::Make(Terms terms) {
  if (terms.empty()) return 0;
  if (terms.front().factors.empty()) return terms.front().coefficient;
  auto poly = std::make_shared<ExprPoly>();
  poly->terms = std::move(terms);
  if (!poly->Measure()) return TooComplex();
  Expr e;
  e.poly_ = std::move(poly);
  return e;
}

Expr ExprPoly::MakeAtom(ExprAtomKind kind, const Expr& left, const Expr& right) {
  ExprFactor factor;
  factor.atom = std::make_shared<ExprAtom>(ExprAtom{kind, left, right});
  return Make({ExprTerm{1, {std::move(factor)}}});
}

bool Expr::IsValidPoly() const { return poly_->error.empty(); }

absl::string_view Expr::error() const { return poly_ == nullptr ? absl::string_view() : poly_->error; }

int64_t Expr::size() const { return poly_ == nullptr ? 1 : poly_->size; }

absl::Span<const ExprTerm> Expr::terms() const {
  return poly_ == nullptr ? absl::Span<const ExprTerm>() : absl::MakeConstSpan(poly_->terms);
}

std::optional<SymbolId> Expr::MaxSymbol() const { return poly_ == nullptr ? std::nullopt : poly_->max_symbol; }

Expr Expr::FromSymbol(SymbolId symbol) {
  if (symbol.value < 0) return ExprPoly::BadSymbol();
  return ExprPoly::Make({ExprTerm{1, {ExprFactor{symbol, 1, nullptr}}}});
}

std::strong_ordering Expr::Order(const Expr& a, const Expr& b) {
  if (a.valid() != b.valid()) return b.valid() <=> a.valid();
  if (a.poly_ == b.poly_ || !a.valid())
    return a.is_constant() ? a.constant_ <=> b.constant_ : std::strong_ordering::equal;
  if (a.is_constant() != b.is_constant()) return b.is_constant() <=> a.is_constant();
  const Terms& left = a.poly_->terms;
  const Terms& right = b.poly_->terms;
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const std::strong_ordering order = MonomialOrder(left[i], right[i]);
    if (order != std::strong_ordering::equal) return order;
    if (left[i].coefficient != right[i].coefficient) return left[i].coefficient <=> right[i].coefficient;
  }
  return left.size() <=> right.size();
}

Expr Expr::AddSlow(const Expr& a, const Expr& b, bool subtract) {
  if (!a.valid()) return a;
  if (!b.valid()) return b;
  ExprTerm left_buffer, right_buffer;
  const absl::Span<const ExprTerm> left = TermsOf(a, left_buffer);
  const absl::Span<const ExprTerm> right = TermsOf(b, right_buffer);
  Terms sum;
  sum.reserve(left.size() + right.size());
  for (size_t i = 0, j = 0; i < left.size() || j < right.size();) {
    const std::strong_ordering order = i == left.size()    ? std::strong_ordering::greater
                                       : j == right.size() ? std::strong_ordering::less
                                                           : MonomialOrder(left[i], right[j]);
    const int64_t x = order == std::strong_ordering::greater ? 0 : left[i].coefficient;
    const int64_t y = order == std::strong_ordering::less ? 0 : right[j].coefficient;
    int64_t coefficient = 0;
    if (subtract ? __builtin_sub_overflow(x, y, &coefficient) : __builtin_add_overflow(x, y, &coefficient)) {
      return ExprPoly::Overflow();
    }
    const ExprTerm& term = order == std::strong_ordering::greater ? right[j] : left[i];
    if (coefficient != 0) sum.push_back({coefficient, term.factors});
    i += order == std::strong_ordering::greater ? 0 : 1;
    j += order == std::strong_ordering::less ? 0 : 1;
  }
  return ExprPoly::Make(std::move(sum));
}

Expr Expr::MultiplySlow(const Expr& a, const Expr& b) {
  if (!a.valid()) return a;
  if (!b.valid()) return b;
  if (a.size() * b.size() > kMaxProduct) return ExprPoly::TooComplex();
  std::vector<WideTerm> products;
  ExprTerm left_buffer, right_buffer;
  for (const ExprTerm& x : TermsOf(a, left_buffer)) {
    for (const ExprTerm& y : TermsOf(b, right_buffer)) {
      products.push_back({Wide{x.coefficient} * y.coefficient, {0, MultiplyFactors(x.factors, y.factors)}});
    }
  }
  std::sort(products.begin(), products.end(), [](const WideTerm& x, const WideTerm& y) {
    return MonomialOrder(x.term, y.term) == std::strong_ordering::less;
  });
  Terms terms;
  for (size_t i = 0; i < products.size();) {
    Wide coefficient = 0;
    size_t end = i;
    for (; end < products.size() && MonomialOrder(products[i].term, products[end].term) == 0; ++end) {
      if (__builtin_add_overflow(coefficient, products[end].coefficient, &coefficient)) return ExprPoly::Overflow();
    }
    if (coefficient != static_cast<int64_t>(coefficient)) return ExprPoly::Overflow();
    if (coefficient != 0) terms.push_back({static_cast<int64_t>(coefficient), std::move(products[i].term.factors)});
    i = end;
  }
  return ExprPoly::Make(std::move(terms));
}

Expr CeilDiv(const Expr& a, const Expr& b) {
  if (!a.valid()) return a;
  if (!b.valid()) return b;
  if (!b.is_constant()) return ExprPoly::MakeAtom(ExprAtomKind::kCeilDiv, a, b);
  if (b.constant() <= 0) return ExprPoly::BadDivisor();
  if (b.constant() == 1) return a;
  if (a.is_constant()) return CeilDivInt(a.constant(), b.constant());
  return CeilDivByConstant(a, b.constant());
}

Expr Align(const Expr& a, const Expr& b) { return CeilDiv(a, b) * b; }

Expr Min(const Expr& a, const Expr& b) { return MinOrMax(ExprAtomKind::kMin, a, b); }

Expr Max(const Expr& a, const Expr& b) { return MinOrMax(ExprAtomKind::kMax, a, b); }

std::optional<int64_t> Expr::Evaluate(absl::Span<const int64_t> symbol_values) const {
  if (is_constant()) return constant_;
  const std::optional<Wide> value = EvaluateWide(*this, symbol_values);
  if (!value || *value != static_cast<int64_t>(*value)) return std::nullopt;
  return static_cast<int64_t>(*value);
}

Expr Expr::Substitute(SymbolId symbol, const Expr& replacement) const {
  if (!valid() || MaxSymbol() < symbol) return *this;
  return SubstituteAll(*this,
                       [&](SymbolId s) { return s == symbol ? std::optional<Expr>(replacement) : std::nullopt; });
}

Expr Expr::Substitute(absl::Span<const std::optional<int64_t>> symbol_values) const {
  return SubstituteAll(*this, [&](SymbolId s) -> std::optional<Expr> {
    if (s.index() >= symbol_values.size() || !symbol_values[s.index()]) return std::nullopt;
    return Expr(*symbol_values[s.index()]);
  });
}

std::string Expr::ToString(absl::Span<const Symbol> symbols) const {
  if (is_constant()) return absl::StrCat(constant_);
  if (!valid()) return absl::StrCat("<invalid: ", error(), ">");
  std::string text;
  for (const ExprTerm& term : poly_->terms) {
    int64_t coefficient = term.coefficient;
    // The smallest integer has no positive counterpart to subtract.
    const bool subtract = !text.empty() && coefficient < 0 && coefficient != std::numeric_limits<int64_t>::min();
    if (subtract) coefficient = -coefficient;
    if (!text.empty()) text += subtract ? " - " : " + ";
    const bool is_unit = !term.factors.empty() && (coefficient == 1 || coefficient == -1);
    absl::StrAppend(&text, is_unit ? (coefficient < 0 ? "-" : "") : absl::StrCat(coefficient));
    bool first = is_unit;
    for (const ExprFactor& factor : term.factors) {
      const std::string factor_text = FactorText(factor, symbols);
      for (int32_t i = 0; i < factor.exponent; ++i) {
        absl::StrAppend(&text, first ? "" : "*", factor_text);
        first = false;
      }
    }
  }
  return text;
}

}  // namespace bufplan
