// A plan drawn as text: rows are bands of addresses, columns are times, letters are values.
//
//     offset
//        200 |  bbb
//        100 |aaabbb
//          0 |aaa...ccc
//            +----------> time
//             0     3
//            a x (200)  b y (100)  c z (100)
//
// Few distinct offsets give one row for each range between two of them, many give bands of equal size; times likewise.
// A character stands for the value that covers most of its cell; of equal ones for that which begins last, then for the
// smaller one. '.' is free. The values that are seen most have letters, all others are '*'.
//
// COST: O(n x cells that each covers). THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_PICTURE_H_
#define BUFPLAN_IO_EXPLAIN_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "io/explain/layout.h"

namespace bufplan {

// A part of a memory, during a part of the time. Both not empty.
struct PictureWindow {
  int32_t memory = 0;
  ByteRange bytes;
  int64_t begin = 0, end = 0;
};

struct PictureOptions {
  size_t width = 100;  // of the longest line; at least 40
  size_t rows = 16;
  std::optional<size_t> highlight;   // in layout.placed(): drawn as '#'
  std::optional<int64_t> mark_time;  // an arrow below it
  std::string mark_text;             // what the arrow means
};

std::string DrawWindow(const Layout& layout, const PictureWindow& window, const PictureOptions& options = {});

// The whole memory, all the time. Empty if nothing lies there.
std::string DrawMemory(const Layout& layout, int32_t memory, const PictureOptions& options = {});

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_PICTURE_H_
