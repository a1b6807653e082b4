// What is missing where no plan fits: the numbers of a failure, carried by its status beside the message.
//
//   infeasible   ResourceExhausted: lower_bound_bytes > capacity_bytes, which is proven
//   gave up      DeadlineExceeded: the search ended without a placement within the capacity, or a proof that there is
//   none
//
// THREADS: no shared state.
#ifndef BUFPLAN_PLANNER_PLACEMENT_SHORTFALL_H_
#define BUFPLAN_PLANNER_PLACEMENT_SHORTFALL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace bufplan {

struct Shortfall {
  int64_t capacity_bytes = 0;
  int64_t lower_bound_bytes = 0;      // no plan needs less
  std::optional<int64_t> best_bytes;  // the least that is known to work, capacity aside
  std::string space;                  // its name; empty: not known
};

// The status, which is not OK, with that.
absl::Status WithShortfall(absl::Status status, const Shortfall& shortfall);
// Absent if the status carries none.
std::optional<Shortfall> ShortfallOf(const absl::Status& status);
// The same failure in other words.
absl::Status Reworded(const absl::Status& status, absl::string_view message);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_SHORTFALL_H_
