// What holds for an expression at *every* point of the symbol box.
//
// The box is the set of all assignments in which each symbol takes a multiple of its `multiple_of` within [min, max].
// A proof never errs: `true` means that the fact holds for every assignment at which the expressions are defined (no
// divisor <= 0); `false` means only that no proof was found. Values are mathematical integers, so that no proof depends
// on a wrap.
//
// Method. A polynomial's least value is sought variable by variable: where it grows (falls) in a variable, that
// variable's lower (upper) end is taken; where it is linear in a variable, both ends are tried; what is left is
// expanded around the lower and around the upper corner of the box, where terms of one sign can be dropped. `ceildiv`,
// `min` and `max` count as variables with the range that follows from their arguments, and are also replaced by what
// defines them:
//   ceildiv(a, b) = (a + r) / b  for some 0 <= r < b          (constant b)
//   min(a, b) = a - r = b - r'   for some r, r' >= 0          (max likewise)
// so that align(s, 256) >= s and min(s, t) <= s are found. Sign of coefficients after a shift of the origin is the
// classical sufficient test for a polynomial on a box.
//
// Exact (the bounds are reached), as long as the work suffices: constants, polynomials of degree 1 in each symbol (up
// to 2^12 corners), polynomials whose slope in each symbol has a sign that such a shift shows, and `ceildiv`, `min`,
// `max` of such where no symbol occurs twice.
//
// COST: linear expressions, and products of symbols >= 0 with coefficients of one sign, O(terms) without allocation;
// what fails at a corner of the box, a few evaluations; others some microseconds, limited to a fixed amount of work,
// after which the bounds get wider, never wrong.
// THREADS: pure functions.
//
// Example:
//   symbols = {{"s", 0, 4094, 1}};  Expr s = Expr::FromSymbol(SymbolId(0));
//   BoundsOf(8192 * s + 8192, symbols);                                   // [8192, 33546240]
//   ProveDisjoint(0, 8192 * s, 8192 * s, 8192 * s + 8192, symbols);       // true
#ifndef BUFPLAN_IR_EXPR_PROOF_H_
#define BUFPLAN_IR_EXPR_PROOF_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "ir/expr.h"

namespace bufplan {

// Both ends included.
struct Bounds {
  int64_t min = 0;
  int64_t max = 0;

  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// The least and the greatest value a symbol can take; nullopt if it can take none or its `multiple_of` is < 1.
std::optional<Bounds> RangeOf(const Symbol& symbol);

// Bounds of all values. nullopt: `e` is invalid or uses a symbol without a range, a divisor may be <= 0, or a bound
// does not fit 64 bits.
std::optional<Bounds> BoundsOf(const Expr& e, absl::Span<const Symbol> symbols);

// e >= 0.
bool ProveNonNegative(const Expr& e, absl::Span<const Symbol> symbols);

// a == b, by normal form or because symbols leave no choice.
bool ProveEqual(const Expr& a, const Expr& b, absl::Span<const Symbol> symbols);

// e is a multiple of m. False for m <= 0.
bool ProveMultipleOf(const Expr& e, int64_t m, absl::Span<const Symbol> symbols);

// a <= b.
inline bool ProveLessEqual(const Expr& a, const Expr& b, absl::Span<const Symbol> symbols) {
  if (a.is_constant() && b.is_constant()) return a.constant() <= b.constant();
  return ProveNonNegative(b - a, symbols);
}

// The ranges [a_lo, a_hi) and [b_lo, b_hi) do not meet: one ends before the other begins, the same one for all values.
inline bool ProveDisjoint(const Expr& a_lo, const Expr& a_hi, const Expr& b_lo, const Expr& b_hi,
                          absl::Span<const Symbol> symbols) {
  return ProveLessEqual(a_hi, b_lo, symbols) || ProveLessEqual(b_hi, a_lo, symbols);
}

}  // namespace bufplan

#endif  // BUFPLAN_IR_EXPR_PROOF_H_
