// Which bars a search from the bottom up tries first: a list of orders, each unlike the one before.
//
// A search that went wrong early hardly ever finds back, and one with another order may need no search at all (heavy
// tails; Gomes, Selman, Kautz 1998). So runs are short, and each gets another order: by size, length or area, largest
// or smallest first, with more or less noise from a fixed generator; or, once there is a placement, roughly as that one
// has them, lowest first, so that a lower capacity makes the search differ from it where it must.
#ifndef BUFPLAN_PLANNER_PLACEMENT_PREFERENCE_ORDER_H_
#define BUFPLAN_PLANNER_PLACEMENT_PREFERENCE_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/section_problem.h"

namespace bufplan {

// The bars, preferred first. `attempt` >= 0; the first six have no noise. The same on every machine. TIES: the lower
// bar. COST: O(n log n). THREADS: no shared state.
std::vector<int32_t> PreferenceOrder(const SectionProblem& problem, int64_t attempt);
// The same of sizes and lengths > 0, by bar.
std::vector<int32_t> PreferenceOrder(absl::Span<const int64_t> size, absl::Span<const int64_t> length, int64_t attempt);

// How long run number `run` >= 0 may be, in multiples of the shortest: 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ..., within a
// factor of log n of the best schedule (Luby, Sinclair, Zuckerman 1993).
int64_t RunLength(int64_t run);

// As `offset` (granules, by bar) has the bars, lowest first, with noise of up to some part of `height`, another with
// each attempt. TIES, COST, THREADS: as above.
std::vector<int32_t> OrderNear(absl::Span<const int64_t> offset, int64_t height, int64_t attempt);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_PREFERENCE_ORDER_H_
