// The fact that a proof lacked, in the author's symbols: "s <= 4094", "8192*t + 8192 <= off".
//
// COST: a few proofs. THREADS: pure functions.
#ifndef BUFPLAN_IR_MISSING_FACT_H_
#define BUFPLAN_IR_MISSING_FACT_H_

#include <string>

#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/graph.h"

namespace bufplan {

// What must hold for a <= b. Empty if it holds for no symbol values.
std::string MissingLessEqual(const Expr& a, const Expr& b, absl::Span<const Symbol> symbols);

// What must hold for a to end before b begins, or b before a, whichever is possible. Empty if neither is.
std::string MissingDisjointness(const Region& a, const Region& b, absl::Span<const Symbol> symbols);

}  // namespace bufplan

#endif  // BUFPLAN_IR_MISSING_FACT_H_
