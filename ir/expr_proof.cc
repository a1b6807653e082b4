#include "ir/expr_proof.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/id.h"
#include "ir/wide_poly.h"

namespace bufplan {
namespace {

using wide_poly::AddTerm;
using wide_poly::ConstantOf;
using wide_poly::Derivative;
using wide_poly::ExponentOf;
using wide_poly::IsConstant;
using wide_poly::Monomial;
using wide_poly::Poly;
using wide_poly::Power;
using wide_poly::Product;
using wide_poly::Quotient;
using wide_poly::Range;
using wide_poly::Scaled;
using wide_poly::Times;
using wide_poly::VariablesOf;
using wide_poly::Wide;
using wide_poly::Without;

// What one call may spend, in terms touched; after that only the cheapest bounds are computed.
constexpr int64_t kMaxWork = int64_t{1} << 16;
constexpr size_t kMaxPolyTerms = 8192;
constexpr size_t kMaxCornerVariables = 12;
// How many ways of replacing atoms by their definitions are tried, and how deep inside of other atoms.
constexpr int kMaxTries = 16;
constexpr int kMaxReplacementDepth = 1;

struct AtomLess {
  bool operator()(const std::shared_ptr<const ExprAtom>& a, const std::shared_ptr<const ExprAtom>& b) const {
    if (a->kind != b->kind) return a->kind < b->kind;
    const std::strong_ordering left = Expr::Order(a->left, b->left);
    return (left != 0 ? left : Expr::Order(a->right, b->right)) < 0;
  }
};

struct QuickRange {
  Range range;
  bool exact = false;  // Both ends are reached.
};

std::optional<QuickRange> QuickRangeOf(const Expr& e, absl::Span<const Symbol> symbols);

// The range of `factor` to the power of 1.
std::optional<QuickRange> QuickRangeOfBase(const ExprFactor& factor, absl::Span<const Symbol> symbols) {
  if (factor.atom == nullptr) {
    if (factor.symbol.index() >= symbols.size()) return std::nullopt;
    const std::optional<Bounds> bounds = RangeOf(symbols[factor.symbol.index()]);
    if (!bounds) return std::nullopt;
    return QuickRange{{bounds->min, bounds->max}, true};
  }
  if (factor.atom->kind != ExprAtomKind::kCeilDiv || !factor.atom->right.is_constant()) return std::nullopt;
  const std::optional<QuickRange> dividend = QuickRangeOf(factor.atom->left, symbols);
  const Wide divisor = factor.atom->right.constant();
  const std::optional<Range> quotient = dividend ? Quotient(dividend->range, {divisor, divisor}) : std::nullopt;
  if (!quotient) return std::nullopt;
  return QuickRange{*quotient, dividend->exact};
}

// Bounds that need no memory: each term by itself. nullopt if a symbol has no range or a step overflows; also for all
// atoms but whole divisions by a constant.
std::optional<QuickRange> QuickRangeOf(const Expr& e, absl::Span<const Symbol> symbols) {
  if (e.is_constant()) return QuickRange{{e.constant(), e.constant()}, true};
  if (!e.valid()) return std::nullopt;
  const size_t num_variable_terms = e.terms().size() - (e.terms().back().factors.empty() ? 1 : 0);
  QuickRange sum{{0, 0}, true};
  // Exact if no symbol occurs twice, as in a linear sum, or if all terms grow (fall) in all symbols.
  bool linear = true, rising = true, falling = true;
  for (const ExprTerm& term : e.terms()) {
    std::optional<Range> range = Range{term.coefficient, term.coefficient};
    for (const ExprFactor& factor : term.factors) {
      const std::optional<QuickRange> base = QuickRangeOfBase(factor, symbols);
      const std::optional<Range> power = base ? Power(base->range, static_cast<size_t>(factor.exponent)) : std::nullopt;
      range = power ? Product(*range, *power) : std::nullopt;
      if (!range) return std::nullopt;
      // An atom may share symbols with whatever stands beside it.
      const bool alone = num_variable_terms == 1 && term.factors.size() == 1;
      sum.exact = sum.exact && base->exact && (factor.atom == nullptr || alone);
      linear = linear && term.factors.size() == 1 && factor.exponent == 1;
      rising = rising && base->range.min >= 0 && term.coefficient > 0;
      falling = falling && base->range.min >= 0 && term.coefficient < 0;
    }
    if (__builtin_add_overflow(sum.range.min, range->min, &sum.range.min)) return std::nullopt;
    if (__builtin_add_overflow(sum.range.max, range->max, &sum.range.max)) return std::nullopt;
  }
  sum.exact = sum.exact && (linear || rising || falling);
  return sum;
}

// Finds lower bounds of expressions over one symbol box. A bound of nullopt is minus infinity, and less than all
// others.
class Prover {
 public:
  explicit Prover(absl::Span<const Symbol> symbols) : symbols_(symbols) {}

  // nullopt: not bounded by what is known, or perhaps undefined.
  std::optional<Range> BoundBoth(const Expr& e, int depth = 0) {
    const std::optional<QuickRange> quick = QuickRangeOf(e, symbols_);
    if (quick && quick->exact) return quick->range;
    const std::optional<Poly> p = Convert(e, depth);
    const std::optional<Poly> negated = p ? Scaled(*p, -1) : std::nullopt;
    if (!negated) return std::nullopt;
    const std::optional<Wide> min = Lower(*p, depth, std::nullopt);
    const std::optional<Wide> max = Lower(*negated, depth, std::nullopt);
    const std::optional<Wide> negated_max = max ? Times(*max, -1) : std::nullopt;
    if (!min || !negated_max) return std::nullopt;
    return Range{*min, *negated_max};
  }

  bool IsNonNegative(const Expr& e) {
    const std::optional<QuickRange> quick = QuickRangeOf(e, symbols_);
    if (quick && (quick->exact || quick->range.min >= 0)) return quick->range.min >= 0;
    if (IsNegativeAtACorner(e)) return false;
    const std::optional<Poly> p = Convert(e, 0);
    return p && Lower(*p, 0, Wide{0}) >= Wide{0};
  }

 private:
  struct Variable {
    Range range;
    std::shared_ptr<const ExprAtom> atom;  // Null for symbols and for remainders.
  };

  // A way to write a polynomial: scale * original = poly.
  struct Form {
    Poly poly;
    Wide scale = 1;
  };

  // Whether `e` is negative at one of a few corners of the box: most of what is not true fails there, at little cost.
  bool IsNegativeAtACorner(const Expr& e) const {
    const std::optional<SymbolId> last = e.MaxSymbol();
    if (!last || last->index() >= symbols_.size()) return false;
    std::vector<int64_t> ends[4];  // All lower, all upper, alternating.
    for (size_t i = 0; i <= last->index(); ++i) {
      const std::optional<Bounds> range = RangeOf(symbols_[i]);
      if (!range) return false;
      for (size_t k = 0; k < 4; ++k) ends[k].push_back((k < 2 ? k == 0 : (i + k) % 2 == 0) ? range->min : range->max);
    }
    return std::any_of(std::begin(ends), std::end(ends),
                       [&](const std::vector<int64_t>& point) { return e.Evaluate(point).value_or(0) < 0; });
  }

  int32_t NewVariable(Range range, std::shared_ptr<const ExprAtom> atom) {
    variables_.push_back({range, std::move(atom)});
    return static_cast<int32_t>(variables_.size()) - 1;
  }

  const Variable& Of(int32_t variable) const { return variables_[static_cast<size_t>(variable)]; }

  std::optional<int32_t> VariableOfSymbol(SymbolId symbol) {
    const auto [it, inserted] = symbol_variables_.try_emplace(symbol, std::nullopt);
    if (!inserted || symbol.index() >= symbols_.size()) return it->second;
    const std::optional<Bounds> bounds = RangeOf(symbols_[symbol.index()]);
    if (bounds) it->second = NewVariable({bounds->min, bounds->max}, nullptr);
    return it->second;
  }

  std::optional<int32_t> VariableOfAtom(const std::shared_ptr<const ExprAtom>& atom, int depth) {
    const auto found = atom_variables_.find(atom);
    if (found != atom_variables_.end()) return found->second;
    const std::optional<Range> range = RangeOfAtom(*atom, depth + 1);
    std::optional<int32_t> variable;
    if (range) variable = NewVariable(*range, atom);
    return atom_variables_[atom] = variable;
  }

  std::optional<Range> RangeOfAtom(const ExprAtom& atom, int depth) {
    const std::optional<Range> left = BoundBoth(atom.left, depth);
    const std::optional<Range> right = BoundBoth(atom.right, depth);
    if (!left || !right) return std::nullopt;
    switch (atom.kind) {
      case ExprAtomKind::kMin: return Range{std::min(left->min, right->min), std::min(left->max, right->max)};
      case ExprAtomKind::kMax: return Range{std::max(left->min, right->min), std::max(left->max, right->max)};
      case ExprAtomKind::kCeilDiv: break;
    }
    return Quotient(*left, *right);
  }

  std::optional<Poly> Convert(const Expr& e, int depth) {
    Poly result;
    if (!e.valid()) return std::nullopt;
    if (e.is_constant()) AddTerm(result, {}, e.constant());
    for (const ExprTerm& term : e.terms()) {
      Monomial monomial;
      for (const ExprFactor& factor : term.factors) {
        const std::optional<int32_t> variable =
            factor.atom == nullptr ? VariableOfSymbol(factor.symbol) : VariableOfAtom(factor.atom, depth);
        if (!variable) return std::nullopt;
        monomial.insert(monomial.end(), static_cast<size_t>(factor.exponent), *variable);
      }
      std::sort(monomial.begin(), monomial.end());
      AddTerm(result, monomial, term.coefficient);
    }
    Spend(result);
    return result;
  }

  void Spend(const Poly& p) { work_ -= static_cast<int64_t>(p.size()) + 1; }

  // `p` with value^k for variable^k.
  std::optional<Poly> Replace(const Poly& p, int32_t variable, const Poly& value) {
    std::vector<Poly> powers = {Poly{{{}, 1}}};
    Poly result;
    for (const auto& [monomial, coefficient] : p) {
      const size_t exponent = ExponentOf(monomial, variable);
      while (powers.size() <= exponent) {
        Poly next;
        for (const auto& [rest, c] : value) {
          if (!AddProduct(next, powers.back(), rest, c)) return std::nullopt;
        }
        powers.push_back(std::move(next));
      }
      if (!AddProduct(result, powers[exponent], Without(monomial, variable), coefficient)) return std::nullopt;
    }
    return result;
  }

  // sum += p * monomial * coefficient; false on overflow or when the work is used up.
  bool AddProduct(Poly& sum, const Poly& p, const Monomial& monomial, Wide coefficient) {
    Spend(p);
    if (work_ < 0) return false;
    for (const auto& [other, c] : p) {
      Monomial product(monomial.size() + other.size());
      std::merge(monomial.begin(), monomial.end(), other.begin(), other.end(), product.begin());
      if (!AddTerm(sum, product, Times(coefficient, c))) return false;
    }
    return sum.size() <= kMaxPolyTerms;
  }

  std::optional<Poly> Fix(const Poly& p, int32_t variable, Wide value) {
    Poly constant;
    AddTerm(constant, {}, value);
    return Replace(p, variable, constant);
  }

  // Sum of the least values of the terms. With `widths`, the variables range over [0, max - min].
  std::optional<Wide> LowerByTerms(const Poly& p, bool widths) {
    Spend(p);
    Wide sum = 0;
    for (const auto& [monomial, coefficient] : p) {
      std::optional<Range> term = Range{coefficient, coefficient};
      for (size_t i = 0; i < monomial.size() && term;) {
        size_t end = i;
        while (end < monomial.size() && monomial[end] == monomial[i]) ++end;
        const Range range = Of(monomial[i]).range;
        const std::optional<Range> power = Power(widths ? Range{0, range.max - range.min} : range, end - i);
        term = power ? Product(*term, *power) : std::nullopt;
        i = end;
      }
      if (!term || __builtin_add_overflow(sum, term->min, &sum)) return std::nullopt;
    }
    return sum;
  }

  // Expands `p` around a corner of the box, as a polynomial in the distances from it. `exact`: the corner is the least.
  std::optional<Wide> LowerByShift(Poly p, bool to_upper, bool& exact) {
    for (const auto& [variable, exponent] : VariablesOf(p)) {
      const Range range = Of(variable).range;
      Poly shifted = {{{variable}, to_upper ? -1 : 1}};
      AddTerm(shifted, {}, to_upper ? range.max : range.min);
      std::optional<Poly> next = Replace(p, variable, shifted);
      if (!next) return std::nullopt;
      p = *std::move(next);
    }
    exact = std::all_of(p.begin(), p.end(), [](const auto& term) { return term.first.empty() || term.second >= 0; });
    return exact ? ConstantOf(p) : LowerByTerms(p, /*widths=*/true);
  }

  std::optional<Wide> LowerWithoutBranching(const Poly& p, bool& exact) {
    exact = IsConstant(p);
    if (exact) return ConstantOf(p);
    std::optional<Wide> best = LowerByTerms(p, /*widths=*/false);
    for (const bool to_upper : {false, true}) {
      if (exact || work_ < 0) break;
      best = std::max(best, LowerByShift(p, to_upper, exact));
    }
    return best;
  }

  bool IsNonNegative(const std::optional<Poly>& p) {
    bool exact = false;
    return p && LowerWithoutBranching(*p, exact) >= Wide{0};
  }

  // A variable that can be fixed without losing the least value, and the end of its range to fix it at.
  std::optional<std::pair<int32_t, Wide>> FindMonotone(const Poly& p) {
    for (const auto& [variable, exponent] : VariablesOf(p)) {
      const Range range = Of(variable).range;
      if (range.min == range.max) return std::make_pair(variable, range.min);
      Spend(p);
      const std::optional<Poly> slope = Derivative(p, variable);
      if (!slope) continue;
      if (IsNonNegative(slope)) return std::make_pair(variable, range.min);
      if (IsNonNegative(Scaled(*slope, -1))) return std::make_pair(variable, range.max);
    }
    return std::nullopt;
  }

  std::optional<Wide> LowerOfPoly(Poly p) {
    std::optional<Wide> best;
    for (;;) {
      bool exact = false;
      best = std::max(best, LowerWithoutBranching(p, exact));
      if (exact || work_ < 0) return best;
      const std::optional<std::pair<int32_t, Wide>> monotone = FindMonotone(p);
      if (!monotone) break;
      std::optional<Poly> fixed = Fix(p, monotone->first, monotone->second);
      if (!fixed) return best;
      p = *std::move(fixed);
    }
    std::vector<int32_t> linear;
    for (const auto& [variable, exponent] : VariablesOf(p)) {
      if (exponent == 1) linear.push_back(variable);
    }
    const bool affordable =
        linear.size() <= kMaxCornerVariables && static_cast<int64_t>(p.size() << linear.size()) <= work_;
    return linear.empty() || !affordable ? best : std::max(best, LowerAtCorners(p, linear));
  }

  // The least over all corners of the linear variables.
  std::optional<Wide> LowerAtCorners(const Poly& p, absl::Span<const int32_t> linear) {
    if (linear.empty()) return LowerOfPoly(p);
    std::optional<Wide> least;
    const Range range = Of(linear.front()).range;
    for (const Wide end : {range.min, range.max}) {
      const std::optional<Poly> fixed = Fix(p, linear.front(), end);
      const std::optional<Wide> lower = fixed ? LowerAtCorners(*fixed, linear.subspan(1)) : std::nullopt;
      if (!lower) return std::nullopt;
      least = least ? std::min(*least, *lower) : *lower;
    }
    return least;
  }

  // The ways to write scale * original = form.poly without the atom behind `variable`.
  std::vector<Form> FormsWithout(int32_t variable, const Form& form, int depth) {
    const std::shared_ptr<const ExprAtom> atom = Of(variable).atom;
    std::vector<Form> forms;
    if (atom->kind != ExprAtomKind::kCeilDiv) {
      const bool is_min = atom->kind == ExprAtomKind::kMin;
      for (const bool use_left : {true, false}) {
        const Expr& kept = use_left ? atom->left : atom->right;
        const Expr& other = use_left ? atom->right : atom->left;
        const std::optional<Range> gap = BoundBoth(is_min ? kept - other : other - kept, depth + 1);
        std::optional<Poly> value = gap ? Convert(kept, depth) : std::nullopt;
        if (!value) continue;
        AddTerm(*value, {NewVariable({0, std::max(gap->max, Wide{0})}, nullptr)}, is_min ? -1 : 1);
        std::optional<Poly> replaced = Replace(form.poly, variable, *value);
        if (replaced) forms.push_back({*std::move(replaced), form.scale});
      }
      return forms;
    }
    if (!atom->right.is_constant() || VariablesOf(form.poly)[variable] != 1) return forms;
    const Wide divisor = atom->right.constant();
    const std::optional<Wide> scale = Times(form.scale, divisor);
    std::optional<Poly> value = Convert(atom->left, depth);
    if (!scale || !value) return forms;
    AddTerm(*value, {NewVariable({0, divisor - 1}, nullptr)}, 1);
    Poly scaled;  // divisor * form.poly, but with divisor * variable counted once.
    for (const auto& [monomial, coefficient] : form.poly) {
      const Wide factor = ExponentOf(monomial, variable) == 0 ? divisor : 1;
      if (!AddTerm(scaled, monomial, Times(coefficient, factor))) return forms;
    }
    std::optional<Poly> replaced = Replace(scaled, variable, *value);
    if (replaced) forms.push_back({*std::move(replaced), *scale});
    return forms;
  }

  // The greatest lower bound found, with any of the atoms replaced; stops when `goal` is reached.
  std::optional<Wide> Lower(const Poly& p, int depth, std::optional<Wide> goal) {
    std::optional<Wide> best;
    int tries = depth <= kMaxReplacementDepth ? kMaxTries : 1;
    // A form, and the variable below which atoms may be replaced in it: what an atom contains has smaller numbers.
    std::vector<std::pair<Form, int32_t>> stack;
    stack.push_back({Form{p, 1}, std::numeric_limits<int32_t>::max()});
    for (; !stack.empty() && tries > 0; --tries) {
      const auto [form, end] = std::move(stack.back());
      stack.pop_back();
      const std::optional<Wide> lower = LowerOfPoly(form.poly);
      if (lower) best = std::max(best, std::optional<Wide>(wide_poly::CeilDiv(*lower, form.scale)));
      if ((goal && best >= goal) || tries == 1 || work_ < 0) break;
      for (const auto& [variable, exponent] : VariablesOf(form.poly)) {
        if (work_ < 0) break;
        if (variable >= end || Of(variable).atom == nullptr) continue;
        for (Form& next : FormsWithout(variable, form, depth)) stack.push_back({std::move(next), variable});
      }
    }
    return best;
  }

  const absl::Span<const Symbol> symbols_;
  int64_t work_ = kMaxWork;
  std::vector<Variable> variables_;
  std::map<SymbolId, std::optional<int32_t>> symbol_variables_;
  std::map<std::shared_ptr<const ExprAtom>, std::optional<int32_t>, AtomLess> atom_variables_;
};

uint64_t Magnitude(int64_t v) { return v < 0 ? ~static_cast<uint64_t>(v) + 1 : static_cast<uint64_t>(v); }

uint64_t KnownMultiple(const Expr& e, uint64_t m, absl::Span<const Symbol> symbols);

// A divisor of m that divides every value of `factor` to the power of 1.
uint64_t KnownMultiple(const ExprFactor& factor, uint64_t m, absl::Span<const Symbol> symbols) {
  if (factor.atom == nullptr) {
    if (factor.symbol.index() >= symbols.size()) return 1;
    const Symbol& symbol = symbols[factor.symbol.index()];
    const std::optional<Bounds> range = RangeOf(symbol);
    if (!range) return 1;
    return std::gcd(m, Magnitude(range->min == range->max ? range->min : symbol.multiple_of));
  }
  const ExprAtom& atom = *factor.atom;
  if (atom.kind != ExprAtomKind::kCeilDiv) {
    return std::gcd(KnownMultiple(atom.left, m, symbols), KnownMultiple(atom.right, m, symbols));
  }
  // If the dividend is a multiple of divisor * k, the quotient is one of k.
  uint64_t product = 0;
  if (!atom.right.is_constant()) return 1;
  const uint64_t divisor = Magnitude(atom.right.constant());
  if (__builtin_mul_overflow(m, divisor, &product)) return 1;
  const uint64_t dividend = KnownMultiple(atom.left, product, symbols);
  return dividend % divisor == 0 ? dividend / divisor : 1;
}

// A divisor of m that divides every value of `e`.
uint64_t KnownMultiple(const Expr& e, uint64_t m, absl::Span<const Symbol> symbols) {
  if (e.is_constant()) return std::gcd(m, Magnitude(e.constant()));
  uint64_t known = m;
  for (const ExprTerm& term : e.terms()) {
    uint64_t missing = m / std::gcd(m, Magnitude(term.coefficient));
    for (const ExprFactor& factor : term.factors) {
      const uint64_t multiple = missing == 1 ? 1 : KnownMultiple(factor, m, symbols);
      for (int32_t i = 0; i < factor.exponent; ++i) missing /= std::gcd(missing, multiple);
    }
    known = std::gcd(known, m / missing);
  }
  return known;
}

}  // namespace

std::optional<Bounds> RangeOf(const Symbol& symbol) {
  if (symbol.multiple_of < 1 || symbol.min > symbol.max) return std::nullopt;
  if (symbol.multiple_of == 1) return Bounds{symbol.min, symbol.max};
  const Wide m = symbol.multiple_of;
  const Wide min = wide_poly::CeilDiv(symbol.min, m) * m;
  const Wide max = -wide_poly::CeilDiv(-Wide{symbol.max}, m) * m;
  if (min > max) return std::nullopt;
  return Bounds{static_cast<int64_t>(min), static_cast<int64_t>(max)};
}

std::optional<Bounds> BoundsOf(const Expr& e, absl::Span<const Symbol> symbols) {
  const std::optional<Range> range = Prover(symbols).BoundBoth(e);
  if (!range) return std::nullopt;
  const Bounds bounds = {static_cast<int64_t>(range->min), static_cast<int64_t>(range->max)};
  if (bounds.min != range->min || bounds.max != range->max) return std::nullopt;
  return bounds;
}

bool ProveNonNegative(const Expr& e, absl::Span<const Symbol> symbols) {
  if (e.is_constant()) return e.constant() >= 0;
  return Prover(symbols).IsNonNegative(e);
}

bool ProveEqual(const Expr& a, const Expr& b, absl::Span<const Symbol> symbols) {
  if (a == b) return true;
  if (a.is_constant() && b.is_constant()) return false;
  const Expr difference = a - b;
  return ProveNonNegative(difference, symbols) && ProveNonNegative(-difference, symbols);
}

bool ProveMultipleOf(const Expr& e, int64_t m, absl::Span<const Symbol> symbols) {
  if (m <= 0 || !e.valid()) return false;
  if (m == 1) return true;
  if (e.is_constant()) return e.constant() % m == 0;
  return KnownMultiple(e, static_cast<uint64_t>(m), symbols) == static_cast<uint64_t>(m);
}

}  // namespace bufplan
