// The placement problem as the exact search sees it: bars over sections of time, in granules.
//
// Only which storages are alive at once matters, not when. So time shrinks to the maximal sets of storages that are all
// alive at one moment (the maximal cliques of the interval graph), in order: the sections. Bytes shrink to granules:
// the largest unit of which all offsets worth trying are multiples. Both leave the best placement as it is.
//
//   a |-----|               sections:  0: {a, b}   1: {b, c}
//   b   |-------------|     a = [0, 1)   b = [0, 2)   c = [1, 2)
//   c           |---|
//
// Offsets worth trying: push everything that is not pinned down, one after another, until nothing moves. Then each
// storage lies at 0 or at the end of another one, rounded up to its alignment.
#ifndef BUFPLAN_PLANNER_PLACEMENT_SECTION_PROBLEM_H_
#define BUFPLAN_PLANNER_PLACEMENT_SECTION_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/placement/placement.h"

namespace bufplan {

// Bars that no section parts: each two neighbouring sections have a bar in common.
struct SectionProblem {
  static constexpr int64_t kNoPin = -1;

  int64_t granule_bytes = 1;
  int32_t num_sections = 0;
  // By bar.
  std::vector<int32_t> begin, end;    // sections, half-open, not empty
  std::vector<int64_t> size;          // granules, rounded up
  std::vector<int64_t> unused_bytes;  // of the last granule
  std::vector<int64_t> multiple;      // the offset is a multiple of so many granules
  std::vector<int64_t> pin;           // offset in granules, or kNoPin
  std::vector<int32_t> storage;       // of the placement problem

  size_t num_bars() const { return begin.size(); }
};

// True if each storage has no piece or one, its whole, lives are intervals, and there are neither chunks nor disjoint
// pairs.
bool HasSections(const PlacementProblem& problem);

// One problem for each group of storages that time parts from the others, in order of time. Storages without pieces are
// in none. Expects HasSections(). COST: O(n log n). THREADS: no shared state.
std::vector<SectionProblem> MakeSectionProblems(const PlacementProblem& problem);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_SECTION_PROBLEM_H_
