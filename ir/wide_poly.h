// Ranges and polynomials of checked 128-bit integers: the working form of proofs about expressions. Polynomials are
// over numbered variables.
//
// Unlike Expr they know neither atoms nor a canonical text, and leave room for intermediate results beyond 64 bits.
// ERRORS: whatever overflows 128 bits gives nullopt (or false). COST: each function is O(terms * degree * log terms).
// THREADS: value types.
#ifndef BUFPLAN_IR_WIDE_POLY_H_
#define BUFPLAN_IR_WIDE_POLY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace bufplan::wide_poly {

using Wide = __int128;

// Both ends included; min <= max.
struct Range {
  Wide min = 0;
  Wide max = 0;
};

// Smallest integer >= a/b; b >= 1.
Wide CeilDiv(Wide a, Wide b);

// The range of x*y, of x^exponent (wider than needed for odd powers > 1 of a range across 0), and of CeilDiv(x, y) for
// all x in `a` and y in `b`. Quotient is nullopt also if b holds numbers < 1.
std::optional<Range> Product(const Range& a, const Range& b);
std::optional<Range> Power(const Range& base, size_t exponent);
std::optional<Range> Quotient(const Range& a, const Range& b);

// Variables in ascending order, x*x*y as {x, x, y}.
using Monomial = std::vector<int32_t>;
// Coefficients, none of them 0.
using Poly = std::map<Monomial, Wide>;

std::optional<Wide> Times(Wide a, Wide b);

// p += coefficient * monomial; false, with p unusable, on overflow or if there is no coefficient.
bool AddTerm(Poly& p, const Monomial& monomial, std::optional<Wide> coefficient);

std::optional<Poly> Scaled(const Poly& p, Wide factor);

size_t ExponentOf(const Monomial& monomial, int32_t variable);

Monomial Without(Monomial monomial, int32_t variable);

// The variables of p with the highest power of each, ascending.
std::map<int32_t, size_t> VariablesOf(const Poly& p);

bool IsConstant(const Poly& p);

// The term without variables.
Wide ConstantOf(const Poly& p);

std::optional<Poly> Derivative(const Poly& p, int32_t variable);

}  // namespace bufplan::wide_poly

#endif  // BUFPLAN_IR_WIDE_POLY_H_
