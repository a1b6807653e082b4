// What makes the peak of a memory: who is live there, and what each adds to the bytes in use.
//
// COST: O(n log n). THREADS: no shared state.
#ifndef BUFPLAN_IO_EXPLAIN_PEAK_H_
#define BUFPLAN_IO_EXPLAIN_PEAK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/explain/layout.h"

namespace bufplan {

struct PeakEntry {
  size_t entry = 0;                // in layout.placed()
  int64_t added_bytes = 0;         // of its bytes, those that no entry before it has
  std::vector<size_t> same_bytes;  // entries that begin in these bytes and add nothing
};

struct PeakTable {
  int64_t time = 0;
  int64_t bytes = 0;               // sum of added_bytes
  std::vector<PeakEntry> entries;  // largest first
};

// At the time when most is in use; of several such times `preferred`, else the first. Absent: nothing lies there.
std::optional<PeakTable> PeakTableOf(const Layout& layout, int32_t memory, std::optional<int64_t> preferred = {});

// As lines of a table, at most `max_rows` of them, then what the rest adds, then the sum.
std::string PeakText(const Layout& layout, const PeakTable& peak, size_t max_rows);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_PEAK_H_
