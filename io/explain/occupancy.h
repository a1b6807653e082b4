// How many bytes of a memory are taken over time; bytes that several values share count once.
//
//   bytes ^      ____
//         |   __|    |___
//         |__|           |____
//         +-------------------> time
//
// How: a sweep over time with a segment tree over the distinct offsets, as for the area of a union of rectangles.
// COST: O(n log n). THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_OCCUPANCY_H_
#define BUFPLAN_IO_EXPLAIN_OCCUPANCY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "io/explain/layout.h"

namespace bufplan {

// From this time until the next step.
struct OccupancyStep {
  int64_t time = 0;
  int64_t bytes = 0;
};

// Ascending in time; the last step has 0 bytes. Empty if nothing lies in the memory.
std::vector<OccupancyStep> OccupancyOf(const Layout& layout, int32_t memory);

// The step with most bytes; of equal ones that which holds at `preferred`, else the first. Absent: nothing is there.
std::optional<OccupancyStep> PeakOf(const std::vector<OccupancyStep>& steps, std::optional<int64_t> preferred = {});

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_OCCUPANCY_H_
