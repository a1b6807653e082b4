// Interval problems whose best placement is known: a rectangle of time x bytes, cut into buffers.
//
//   bytes
//    height +---+-------+        Each cut goes from edge to edge of one piece (a guillotine cut). The pieces put
//           |   |   c   |        together fill the rectangle, so every time has the whole height alive, and no
//           | a +---+---+        placement needs less; the places they were cut from need no more.
//           |   | b | d |
//         0 +---+---+---+--> time
#ifndef BUFPLAN_BENCHMARKS_CUT_RECTANGLE_H_
#define BUFPLAN_BENCHMARKS_CUT_RECTANGLE_H_

#include <cstdint>
#include <vector>

#include "ir/problem.h"

namespace bufplan {

struct CutRectangle {
  Problem problem;               // buffers in random order
  std::vector<int64_t> offsets;  // where they were cut from: an optimal placement of `height_bytes` bytes
};

// Cuts the largest piece again and again, each time in the middle half of one side, chosen at random, until there are
// num_buffers. Integers only, so that it is the same on every machine. REQUIRES: 1 <= num_buffers, duration and
// height_bytes at least 4 * num_buffers. COST: O(n log n).
CutRectangle CutIntoBuffers(int64_t num_buffers, int64_t duration, int64_t height_bytes, uint64_t seed);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_CUT_RECTANGLE_H_
