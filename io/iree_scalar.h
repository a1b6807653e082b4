// Integers of a program as expressions over symbols: what sizes, offsets and strides are made of.
//
// Arithmetic is that of mathematical integers: a program whose index arithmetic wraps is not described. Divisions are
// followed where the divisor is proven to be positive and, where the op is unsigned or truncates, the dividend not to
// be negative. What cannot be followed is unknown, and so is what is computed from it; a use of it says why.
#ifndef BUFPLAN_IO_IREE_SCALAR_H_
#define BUFPLAN_IO_IREE_SCALAR_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "io/iree_ast.h"
#include "ir/expr.h"

namespace bufplan {

struct IreeScalar {
  Expr value;                         // if known()
  std::vector<std::string> unranged;  // symbols without a range that it depends on
  std::string why;                    // unknown: where from, "arith.select"

  bool known() const { return unranged.empty() && why.empty(); }
  static IreeScalar Unknown(absl::string_view why) { return {0, {}, std::string(why)}; }
};

// Whether values of this type are integers: index, i1, i32, ...
bool IsIreeInteger(absl::string_view type);

// Bytes of an element of this type; 0 for what is not stored in whole bytes.
int64_t IreeElementBytes(absl::string_view type);

// The result of an arith, affine or util op; `operands` are as many as the op's. Unknown for any other op.
// COST: bounded, whatever the expressions and maps.
IreeScalar EvaluateIreeOp(const IreeText& text, const IreeModule& module, const IreeOp& op,
                          absl::Span<const IreeScalar> operands, absl::Span<const Symbol> symbols);

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_SCALAR_H_
