// The placement problem as forbidden differences of offsets: what is left of it for a search that cannot stack whole
// storages, as they have gaps, parts that die early, lives without a common axis, or pairs that must never overlap.
//
// Of two storages only the difference of their offsets matters. Each two pieces that meet forbid an open interval of
// differences; all of a pair together, a sorted list of them:
//
//   piece p of i, bytes [p.low, p.high)      x_i - x_j is not in (q.low - p.high, q.high - p.low)
//   piece q of j, bytes [q.low, q.high)
//
//   x_i - x_j   ------(//////)--------(///)(////)------>     the gaps are the ways to lay the pair; a placement within
//                    i below j   ...     i above j           a capacity is a choice of one gap for each
//
// One gap for each pair makes a system of difference constraints, whose least solution places all. So all offsets worth
// trying are sums of ends of these intervals and pins, rounded up to alignments: multiples of one unit.
//
// Cliques: parts of storages that pairwise cannot share bytes, as they live at one time, or are an antichain of a
// partial order. Whatever lies in the same bytes of a capacity, the parts of a clique lie side by side.
#ifndef BUFPLAN_PLANNER_PLACEMENT_DIFFERENCE_PROBLEM_H_
#define BUFPLAN_PLANNER_PLACEMENT_DIFFERENCE_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "planner/placement/placement.h"

namespace bufplan {

// All figures are in units but for those named bytes.
struct DifferenceProblem {
  static constexpr int64_t kNoPin = -1;

  // Differences strictly between `low` and `high` are forbidden.
  struct Range {
    int64_t low = 0, high = 0;
  };
  // From an item to one that it conflicts with. Each pair has two arcs, one for each direction.
  struct Arc {
    int32_t other = 0;
    int32_t reverse = 0;                      // the arc back
    int32_t first_range = 0, num_ranges = 0;  // of x_item - x_other, ascending, disjoint, at least one
  };
  // Part of an item; what is occupied at least, rounded to units.
  struct Task {
    int32_t item = 0;
    int64_t low = 0, high = 0;
  };

  int64_t unit_bytes = 1;
  // By item.
  std::vector<int32_t> storage;  // of the placement problem
  std::vector<int64_t> size_bytes;
  std::vector<int64_t> multiple;   // the offset is a multiple of it; a power of two
  std::vector<int64_t> pin;        // or kNoPin
  std::vector<int32_t> twin;       // an earlier item that is alike in everything, which need not lie higher; or -1
  std::vector<int32_t> first_arc;  // and one past the end
  std::vector<Arc> arcs;           // by item, then by the other
  std::vector<Range> ranges;
  // By clique.
  std::vector<int32_t> first_task;  // and one past the end
  std::vector<Task> tasks;

  size_t num_items() const { return storage.size(); }
  size_t num_cliques() const { return first_task.size() - 1; }
  absl::Span<const Arc> ArcsOf(size_t item) const {
    const size_t first = static_cast<size_t>(first_arc[item]);
    return {arcs.data() + first, static_cast<size_t>(first_arc[item + 1]) - first};
  }
  absl::Span<const Range> RangesOf(const Arc& arc) const {
    return {ranges.data() + arc.first_range, static_cast<size_t>(arc.num_ranges)};
  }
  absl::Span<const Task> TasksOf(size_t clique) const {
    const size_t first = static_cast<size_t>(first_task[clique]);
    return {tasks.data() + first, static_cast<size_t>(first_task[clique + 1]) - first};
  }
  // The highest offset with which the item ends at or below the capacity; negative if there is none.
  int64_t HighestOffset(size_t item, int64_t capacity_bytes) const {
    const int64_t room = capacity_bytes - size_bytes[item];
    return room < 0 ? -1 : room / unit_bytes & -multiple[item];
  }
  // The smallest total that exceeds `bytes` and that some item may end at.
  int64_t NextTotal(int64_t bytes) const;
  // The lowest offset at which the item meets none of those that have one (`offset` >= 0).
  int64_t LowestFree(size_t item, absl::Span<const int64_t> offset) const;
};

// Absent if chunks are limited, or more than `max_pairs` pairs of pieces meet (some of one storage may count as well).
// Items are the storages. Expects a problem that Place() would not refuse. COST: O(n log n + p log p) for p pairs, and
// up to some 10^6 steps for cliques. THREADS: no shared state.
std::optional<DifferenceProblem> MakeDifferenceProblem(const PlacementProblem& problem, int64_t max_pairs);

// What is left to search.
struct DifferenceParts {
  // Items that find a place below the capacity wherever the others lie, each once those behind it in the list have
  // one: even if what they forbid lay side by side, it would leave an offset.
  std::vector<int32_t> easy;
  // The others, by components of the conflicts. `storage` names storages still.
  std::vector<DifferenceProblem> groups;
};

// COST: linear, but for the items that turn out to be easy late.
DifferenceParts SplitDifferenceProblem(const DifferenceProblem& problem, int64_t capacity_bytes);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_DIFFERENCE_PROBLEM_H_
