// In-place wishes that a plan refused, summed up: equal reasons are counted, whatever the names in them.
//
// "c is not in place of a: r7 still needs a there" and the same of d, b and r8 are two of "_ still needs _ there".
//
// COST: linear in the texts of the notes. THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_REFUSALS_H_
#define BUFPLAN_IO_EXPLAIN_REFUSALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

struct RefusalGroup {
  std::string reason;  // names as "_"
  int64_t count = 0;
  std::string example;  // the first one in full
};

struct RefusalSummary {
  int64_t count = 0;
  std::vector<RefusalGroup> groups;  // most frequent first, then the one met first
};

// Whether the note tells of a result that is not in place of an operand (and not of its base).
bool IsInPlaceRefusal(const Graph& graph, const Note& note);

RefusalSummary SummariseRefusals(const Graph& graph, const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_REFUSALS_H_
