// What shares bytes with a value: everything at overlapping bytes of the same memory, over time.
//
// COST: one pass over the layout. THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_NEIGHBOURS_H_
#define BUFPLAN_IO_EXPLAIN_NEIGHBOURS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "io/explain/layout.h"

namespace bufplan {

struct Neighbours {
  std::vector<size_t> before;    // in layout.placed(): over before it begins; the latest last
  std::vector<size_t> together;  // live at some time that it is, by their beginnings
  std::vector<size_t> after;     // begin when it is over; the earliest first
};

// Of the thing at layout.placed()[entry]; other entries of the same thing are left out.
Neighbours NeighboursOf(const Layout& layout, size_t entry);

// A picture of the bytes and the time around it: half its size below and above, half its life before and after.
std::string DrawNeighbourhood(const Layout& layout, size_t entry, size_t width);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_NEIGHBOURS_H_
