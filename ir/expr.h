// Byte counts as polynomials over bounded integer symbols, with checked 64-bit coefficients.
//
// An `Expr` is kept in normal form, so that `==` decides whether two polynomials are the same: like terms are merged,
// products are multiplied out, terms are sorted. What is no polynomial is an *atom* inside it: `ceildiv(a,b)`,
// `min(a,b)`, `max(a,b)` with arguments in normal form, compared by structure. `align(a,b)` is `ceildiv(a,b)*b`.
// Constants are folded, whole multiples of a constant divisor leave its `ceildiv`, and `min`/`max` of arguments that
// differ by a constant are decided. Values are mathematical integers; bytes, where nothing else is said.
//
//   8192*s + 8192              two terms: 8192 * s^1, 8192
//   256*ceildiv(n + 3, 256)    one term: 256 * atom^1
//
// ERRORS: arithmetic never fails and never wraps; it gives an *invalid* Expr instead, and an operation on an invalid
// Expr gives an invalid one. `error()` says why: a coefficient overflows 64 bits, a divisor is a constant <= 0, or the
// expression exceeds the limits below. An invalid Expr equals nothing, itself included.
// COST: a constant is 24 bytes without allocation, and its arithmetic is inline. Otherwise sums are linear and products
// quadratic in the number of terms; copies share the terms.
// THREADS: value type, immutable terms; safe to read from any thread.
//
// Example:
//   Expr s = Expr::FromSymbol(SymbolId(0));
//   Expr row = 8192 * s + 8192;
//   row == 8192 * (s + 1);                          // true
//   row.Evaluate({4094});                           // 33546240
//   ParseExpr("8192*(s+1)", symbols).value() == row;  // true
#ifndef BUFPLAN_IR_EXPR_H_
#define BUFPLAN_IR_EXPR_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/id.h"

namespace bufplan {

// An integer that is not known when planning: min <= v <= max and v % multiple_of == 0. `multiple_of` >= 1.
struct Symbol {
  std::string name;
  int64_t min = 0;
  int64_t max = 0;
  int64_t multiple_of = 1;

  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// True if an expression can refer to a symbol of this name: letters, digits, '_', '.', '$' and bytes above 127, not
// beginning with a digit or a '.', 1..1024 bytes.
bool IsSymbolName(absl::string_view name);

struct ExprAtom;
struct ExprTerm;
struct ExprPoly;

class Expr {
 public:
  // Limits; an expression beyond any of them is invalid.
  static constexpr int32_t kMaxTerms = 4096;
  static constexpr int32_t kMaxDegree = 64;        // Sum of the exponents of a term; an atom counts as degree 1.
  static constexpr int32_t kMaxNesting = 64;       // Atoms inside of atoms.
  static constexpr int64_t kMaxSize = 1 << 14;     // Factors and terms, those inside of atoms included.
  static constexpr int64_t kMaxProduct = 1 << 22;  // Product of the sizes of two multiplied expressions.

  Expr() = default;
  Expr(int64_t constant) : constant_(constant) {}  // NOLINT: an integer is an expression
  Expr(int constant) : constant_(constant) {}      // NOLINT
  static Expr FromSymbol(SymbolId symbol);         // symbol.value >= 0, else invalid

  bool valid() const { return poly_ == nullptr || IsValidPoly(); }
  // Why this Expr is invalid, as the end of a sentence; empty for a valid one.
  absl::string_view error() const;

  bool is_constant() const { return poly_ == nullptr; }
  // Requires is_constant().
  int64_t constant() const { return constant_; }
  // The terms of a valid Expr that is no constant, in canonical order: highest degree first, then by factors; the
  // constant term, if not 0, last. Empty for constants and invalid ones. LIFETIME: that of this Expr.
  absl::Span<const ExprTerm> terms() const;
  // What kMaxSize limits; 1 for constants and invalid ones.
  int64_t size() const;
  // The largest symbol that occurs, also inside of atoms; nullopt if none does.
  std::optional<SymbolId> MaxSymbol() const;

  friend Expr operator+(const Expr& a, const Expr& b);
  friend Expr operator-(const Expr& a, const Expr& b);
  friend Expr operator*(const Expr& a, const Expr& b);
  Expr operator-() const { return Expr() - *this; }
  Expr& operator+=(const Expr& other) { return *this = *this + other; }
  Expr& operator-=(const Expr& other) { return *this = *this - other; }
  Expr& operator*=(const Expr& other) { return *this = *this * other; }

  // Equality of normal forms; false if either is invalid. A true answer holds for all symbol values. A false one does
  // not say that the values differ: see ProveEqual in ir/expr_proof.h.
  friend bool operator==(const Expr& a, const Expr& b) {
    if (a.poly_ == nullptr && b.poly_ == nullptr) return a.constant_ == b.constant_;
    return a.valid() && b.valid() && Order(a, b) == std::strong_ordering::equal;
  }
  // A total order on structure, without meaning beyond being one; all invalid ones are equivalent.
  static std::strong_ordering Order(const Expr& a, const Expr& b);

  // The value where symbol i is symbol_values[i]. nullopt: the result does not fit 64 bits, a step does not fit 128, a
  // divisor is <= 0, a symbol has no value, or this is invalid.
  std::optional<int64_t> Evaluate(absl::Span<const int64_t> symbol_values) const;

  // This with `symbol` replaced, also inside of atoms.
  Expr Substitute(SymbolId symbol, const Expr& replacement) const;
  // This with each symbol replaced that has a value; symbols beyond the span stay.
  Expr Substitute(absl::Span<const std::optional<int64_t>> symbol_values) const;

  // Canonical text that ParseExpr reads back to an equal Expr, provided that the names are IsSymbolName and unique:
  // "8192*s*s - 4*t + 256*ceildiv(n + 3, 256) - 1". A symbol beyond the span prints as "$3", an invalid Expr as
  // "<invalid: ...>".
  std::string ToString(absl::Span<const Symbol> symbols) const;

  friend Expr CeilDiv(const Expr& a, const Expr& b);
  friend Expr Min(const Expr& a, const Expr& b);
  friend Expr Max(const Expr& a, const Expr& b);

 private:
  friend struct ExprPoly;
  bool IsValidPoly() const;
  static Expr AddSlow(const Expr& a, const Expr& b, bool subtract);
  static Expr MultiplySlow(const Expr& a, const Expr& b);

  int64_t constant_ = 0;                  // Only if poly_ is null.
  std::shared_ptr<const ExprPoly> poly_;  // Null for constants; never a constant.
};

// Smallest integer >= a/b, for any a and b >= 1. A constant b <= 0 gives an invalid Expr.
Expr CeilDiv(const Expr& a, const Expr& b);
// Smallest multiple of b that is >= a: CeilDiv(a, b) * b.
Expr Align(const Expr& a, const Expr& b);
Expr Min(const Expr& a, const Expr& b);
Expr Max(const Expr& a, const Expr& b);

// What terms are made of; for code that reasons about expressions (ir/expr_proof.h).
enum class ExprAtomKind : uint8_t { kCeilDiv, kMin, kMax };

struct ExprAtom {
  ExprAtomKind kind = ExprAtomKind::kCeilDiv;
  Expr left;
  Expr right;
};

// A symbol, or an atom if `atom` is not null, to the power of `exponent` >= 1.
struct ExprFactor {
  SymbolId symbol;
  int32_t exponent = 1;
  std::shared_ptr<const ExprAtom> atom;
};

// coefficient * product of factors; factors are distinct and sorted, symbols first. coefficient != 0.
struct ExprTerm {
  int64_t coefficient = 0;
  std::vector<ExprFactor> factors;
};

// Reads an expression:
//   sum     = product { ("+" | "-") product }
//   product = unary { "*" unary }
//   unary   = "-" unary | integer | symbol | "(" sum ")" | function "(" sum "," sum ")"
//   function = "ceildiv" | "align" | "min" | "max"
// Blanks are free. A symbol may bear the name of a function; "(" after it makes it the function.
// ERRORS: InvalidArgument with the column (from 1, in bytes) and the offending token: malformed text, an unknown
// symbol, an integer or a coefficient beyond 64 bits, a divisor that is a constant <= 0, text over 65536 bytes, nesting
// over 200, or work or size beyond the limits of Expr.
absl::StatusOr<Expr> ParseExpr(absl::string_view text, absl::Span<const Symbol> symbols);
// The same with the caller's own table of symbols. `find_symbol` gives nullopt for an unknown name.
absl::StatusOr<Expr> ParseExpr(absl::string_view text,
                               absl::FunctionRef<std::optional<SymbolId>(absl::string_view)> find_symbol);

inline Expr operator+(const Expr& a, const Expr& b) {
  int64_t sum = 0;
  if (a.poly_ == nullptr && b.poly_ == nullptr && !__builtin_add_overflow(a.constant_, b.constant_, &sum)) return sum;
  return Expr::AddSlow(a, b, /*subtract=*/false);
}

inline Expr operator-(const Expr& a, const Expr& b) {
  int64_t difference = 0;
  if (a.poly_ == nullptr && b.poly_ == nullptr && !__builtin_sub_overflow(a.constant_, b.constant_, &difference)) {
    return difference;
  }
  return Expr::AddSlow(a, b, /*subtract=*/true);
}

inline Expr operator*(const Expr& a, const Expr& b) {
  int64_t product = 0;
  if (a.poly_ == nullptr && b.poly_ == nullptr && !__builtin_mul_overflow(a.constant_, b.constant_, &product)) {
    return product;
  }
  return Expr::MultiplySlow(a, b);
}

}  // namespace bufplan

#endif  // BUFPLAN_IR_EXPR_H_
