#include "ir/wide_poly.h"

#include <algorithm>
#include <utility>

namespace bufplan::wide_poly {

std::optional<Wide> Times(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

Wide CeilDiv(Wide a, Wide b) { return a / b + (a % b > 0 ? 1 : 0); }

std::optional<Range> Product(const Range& a, const Range& b) {
  Range product;
  bool first = true;
  for (const Wide x : {a.min, a.max}) {
    for (const Wide y : {b.min, b.max}) {
      const std::optional<Wide> corner = Times(x, y);
      if (!corner) return std::nullopt;
      product.min = first ? *corner : std::min(product.min, *corner);
      product.max = first ? *corner : std::max(product.max, *corner);
      first = false;
    }
  }
  return product;
}

std::optional<Range> Power(const Range& base, size_t exponent) {
  std::optional<Range> power = Range{1, 1};
  for (size_t i = 0; i < exponent && power; ++i) power = Product(*power, base);
  // An even power is not negative, which the factors taken one by one do not show.
  if (power && exponent % 2 == 0) power->min = std::max(power->min, Wide{0});
  return power;
}

std::optional<Range> Quotient(const Range& a, const Range& b) {
  if (b.min < 1) return std::nullopt;
  // A larger divisor draws the quotient towards zero.
  return Range{CeilDiv(a.min, a.min < 0 ? b.min : b.max), CeilDiv(a.max, a.max < 0 ? b.max : b.min)};
}

bool AddTerm(Poly& p, const Monomial& monomial, std::optional<Wide> coefficient) {
  if (!coefficient) return false;
  if (*coefficient == 0) return true;
  const auto [it, inserted] = p.try_emplace(monomial, *coefficient);
  if (inserted) return true;
  if (__builtin_add_overflow(it->second, *coefficient, &it->second)) return false;
  if (it->second == 0) p.erase(it);
  return true;
}

std::optional<Poly> Scaled(const Poly& p, Wide factor) {
  Poly result;
  for (const auto& [monomial, coefficient] : p) {
    if (!AddTerm(result, monomial, Times(coefficient, factor))) return std::nullopt;
  }
  return result;
}

size_t ExponentOf(const Monomial& monomial, int32_t variable) {
  return static_cast<size_t>(std::count(monomial.begin(), monomial.end(), variable));
}

Monomial Without(Monomial monomial, int32_t variable) {
  monomial.erase(std::remove(monomial.begin(), monomial.end(), variable), monomial.end());
  return monomial;
}

std::map<int32_t, size_t> VariablesOf(const Poly& p) {
  std::map<int32_t, size_t> variables;
  for (const auto& [monomial, coefficient] : p) {
    for (size_t begin = 0, end = 0; begin < monomial.size(); begin = end) {
      while (end < monomial.size() && monomial[end] == monomial[begin]) ++end;
      size_t& exponent = variables[monomial[begin]];
      exponent = std::max(exponent, end - begin);
    }
  }
  return variables;
}

bool IsConstant(const Poly& p) { return p.empty() || (p.size() == 1 && p.begin()->first.empty()); }

Wide ConstantOf(const Poly& p) {
  const auto it = p.find({});
  return it == p.end() ? 0 : it->second;
}

std::optional<Poly> Derivative(const Poly& p, int32_t variable) {
  Poly result;
  for (const auto& [monomial, coefficient] : p) {
    const size_t exponent = ExponentOf(monomial, variable);
    if (exponent == 0) continue;
    Monomial rest = monomial;
    rest.erase(std::find(rest.begin(), rest.end(), variable));
    if (!AddTerm(result, rest, Times(coefficient, static_cast<Wide>(exponent)))) return std::nullopt;
  }
  return result;
}

}  // namespace bufplan::wide_poly
