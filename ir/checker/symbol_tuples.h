// The symbol values at which a plan is checked where the caller gives none.
#ifndef BUFPLAN_IR_CHECKER_SYMBOL_TUPLES_H_
#define BUFPLAN_IR_CHECKER_SYMBOL_TUPLES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/expr.h"

namespace bufplan::checker {

struct SymbolTuples {
  std::vector<std::vector<int64_t>> tuples;  // without duplicates; one empty tuple without symbols
  bool all = false;                          // the box of the symbols has no others
};

inline constexpr int kMaxCorners = 64;
inline constexpr int kSamples = 16;

// Every corner of the box, or kMaxCorners of them including the lowest and the highest, and kSamples fixed samples
// inside; boxes of at most as many tuples as that, whole. Requires that every symbol has a value.
SymbolTuples ChooseSymbolTuples(absl::Span<const Symbol> symbols);

// Whether value is one that the symbol may have.
bool IsValueOf(const Symbol& symbol, int64_t value);

}  // namespace bufplan::checker

#endif  // BUFPLAN_IR_CHECKER_SYMBOL_TUPLES_H_
