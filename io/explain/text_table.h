// Text for people: aligned columns, byte counts, times, and names that cannot disturb a terminal.
//
// Widths are counted in code points, which is right for names without wide or combining characters.
// THREADS: no shared state.
//
// Example:
//   TextTable table({TextAlign::kLeft, TextAlign::kRight});
//   table.Row({"space", "bytes"});
//   table.Row({"device", FormatCount(1048576)});   // device  1,048,576
#ifndef BUFPLAN_IO_EXPLAIN_TEXT_TABLE_H_
#define BUFPLAN_IO_EXPLAIN_TEXT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace bufplan {

enum class TextAlign : uint8_t { kLeft, kRight };

class TextTable {
 public:
  explicit TextTable(std::vector<TextAlign> columns, size_t indent = 2);
  // Fewer cells than columns are fine.
  void Row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Columns two blanks apart, no blanks at the ends of lines, each line with its end.
  std::string Text() const;

 private:
  std::vector<TextAlign> columns_;
  size_t indent_;
  std::vector<std::vector<std::string>> rows_;
};

// Code points of valid UTF-8.
size_t DisplayWidth(absl::string_view text);

// The name with control characters as \n, \t or \xNN, and cut in the middle to max_width columns ("layers..norm").
std::string Printable(absl::string_view name, size_t max_width = 60);
// Printable in double quotes.
std::string InQuotes(absl::string_view name);

// "1,234,567".
std::string FormatCount(int64_t n);
// "1.18 MiB"; KiB below a tenth of a MiB, GiB from 10 GiB on, bytes below 1 KiB.
std::string FormatSize(int64_t bytes);
// "85 us", "1.20 ms", "3.04 s".
std::string FormatTime(absl::Duration time);
// "1 copy", "2 copies": the count, and the word for one or for more.
std::string Plural(int64_t n, absl::string_view one, absl::string_view more);

}  // namespace bufplan

#endif  // BUFPLAN_IO_EXPLAIN_TEXT_TABLE_H_
