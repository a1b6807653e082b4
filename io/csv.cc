#include "io/csv.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "io/json_text.h"
#include "ir/where.h"

namespace bufplan {
namespace {

enum Column : size_t { kId, kLower, kUpper, kSize, kAlignment, kGaps, kHint, kOffset, kNumColumns };
constexpr absl::string_view kColumns[kNumColumns] = {"id",        "lower", "upper", "size",
                                                     "alignment", "gaps",  "hint",  "offset"};
constexpr size_t kNumRequired = 4;

absl::Status LineError(size_t line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", message));
}
absl::Status CellError(size_t line, absl::string_view column, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ", column ", column, ": ", message));
}

// Takes rows off the front of a text.
class CsvRows {
 public:
  explicit CsvRows(absl::string_view text) : rest_(text) { absl::ConsumePrefix(&rest_, "\xEF\xBB\xBF"); }

  bool done() const { return rest_.empty(); }
  size_t line() const { return line_; }  // of the row that Next() gives

  absl::StatusOr<std::vector<std::string>> Next() {
    row_line_ = line_;
    std::vector<std::string> cells;
    do {
      cells.emplace_back();
      if (absl::ConsumePrefix(&rest_, "\"")) {
        if (!Quoted(cells.back())) {
          return LineError(row_line_, absl::StrCat("cell ", cells.size(), ": a quote is not closed"));
        }
      } else {
        const size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
        absl::string_view cell = rest_.substr(0, end);
        if (end == rest_.size() || rest_[end] == '\n') absl::ConsumeSuffix(&cell, "\r");
        cells.back() = std::string(cell);
        rest_.remove_prefix(end);
      }
    } while (absl::ConsumePrefix(&rest_, ","));
    absl::ConsumePrefix(&rest_, "\r");
    if (!rest_.empty() && !absl::ConsumePrefix(&rest_, "\n")) {
      return LineError(row_line_, absl::StrCat("cell ", cells.size(), ": text behind the closing quote"));
    }
    ++line_;
    return cells;
  }

 private:
  // Takes a quoted cell up to and including its closing quote; false if there is none.
  bool Quoted(std::string& cell) {
    while (true) {
      const size_t quote = rest_.find('"');
      if (quote == absl::string_view::npos) return false;
      const absl::string_view part = rest_.substr(0, quote);
      line_ += static_cast<size_t>(std::count(part.begin(), part.end(), '\n'));
      cell.append(part.data(), part.size());
      rest_.remove_prefix(quote + 1);
      if (!absl::ConsumePrefix(&rest_, "\"")) return true;
      cell += '"';
    }
  }

  absl::string_view rest_;
  size_t line_ = 1, row_line_ = 1;
};

// For each column of the format, its place in the rows.
using ColumnPlaces = std::array<std::optional<size_t>, kNumColumns>;

absl::StatusOr<ColumnPlaces> ReadHeader(const std::vector<std::string>& cells) {
  ColumnPlaces places;
  for (size_t i = 0; i < cells.size(); ++i) {
    const absl::string_view name = absl::StripAsciiWhitespace(cells[i]);
    const auto column = static_cast<size_t>(std::find(kColumns, kColumns + kNumColumns, name) - kColumns);
    if (column == kNumColumns) {
      return LineError(1, absl::StrCat("unknown column ", Quoted(name), "; known are ", absl::StrJoin(kColumns, ", ")));
    }
    if (places[column].has_value()) return LineError(1, absl::StrCat("column ", name, " is there twice"));
    places[column] = i;
  }
  for (size_t column = 0; column < kNumRequired; ++column) {
    if (!places[column].has_value()) return LineError(1, absl::StrCat("column ", kColumns[column], " is missing"));
  }
  return places;
}

absl::StatusOr<int64_t> Integer(absl::string_view cell, size_t line, Column column) {
  int64_t i = 0;
  const absl::string_view text = absl::StripAsciiWhitespace(cell);
  if (absl::SimpleAtoi(text, &i)) return i;
  absl::string_view digits = text;
  absl::ConsumePrefix(&digits, "-");
  const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
  return CellError(line, kColumns[column],
                   absl::StrCat(Quoted(text), number ? " exceeds 64 bits" : " must be an integer"));
}

absl::StatusOr<std::vector<TimeRange>> Gaps(absl::string_view cell, size_t line) {
  std::vector<TimeRange> gaps;
  for (absl::string_view gap : absl::StrSplit(cell, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    if (absl::StrContains(gap, ':')) {
      return CellError(line, "gaps", absl::StrCat(Quoted(gap), ": windows within gaps are not supported"));
    }
    // A minus sign may begin either number, so that the separator is a '-' after a digit.
    size_t dash = 1;
    while (dash < gap.size() && !(gap[dash] == '-' && absl::ascii_isdigit(gap[dash - 1]))) ++dash;
    TimeRange range;
    if (dash >= gap.size() || !absl::SimpleAtoi(gap.substr(0, dash), &range.begin) ||
        !absl::SimpleAtoi(gap.substr(dash + 1), &range.end)) {
      return CellError(line, "gaps",
                       absl::StrCat(Quoted(gap), " must be BEGIN-END, integers of 64 bits; a blank parts two gaps"));
    }
    gaps.push_back(range);
  }
  return gaps;
}

absl::StatusOr<Buffer> ReadRow(const std::vector<std::string>& cells, const ColumnPlaces& places, size_t line) {
  Buffer b;
  b.name = cells[*places[kId]];
  const std::pair<Column, int64_t*> required[] = {{kLower, &b.begin}, {kUpper, &b.end}, {kSize, &b.bytes}};
  for (const auto& [column, field] : required) {
    absl::StatusOr<int64_t> i = Integer(cells[*places[column]], line, column);
    if (!i.ok()) return i.status();
    *field = *i;
  }
  const std::pair<Column, std::optional<int64_t>*> optional[] = {
      {kAlignment, &b.alignment_bytes}, {kHint, &b.hint_bytes}, {kOffset, &b.offset_bytes}};
  for (const auto& [column, field] : optional) {
    if (!places[column].has_value() || absl::StripAsciiWhitespace(cells[*places[column]]).empty()) continue;
    absl::StatusOr<int64_t> i = Integer(cells[*places[column]], line, column);
    if (!i.ok()) return i.status();
    *field = *i;
  }
  if (places[kGaps].has_value()) {
    absl::StatusOr<std::vector<TimeRange>> gaps = Gaps(cells[*places[kGaps]], line);
    if (!gaps.ok()) return gaps.status();
    b.gaps = *std::move(gaps);
  }
  return b;
}

// The place of a fault of ValidateProblem, which is a JSON pointer such as "/buffers/3/bytes", as line and column.
absl::Status ErrorWithLine(const absl::Status& status, const std::vector<size_t>& lines) {
  const std::string pointer = FaultPlace(status);
  const std::vector<absl::string_view> parts = absl::StrSplit(pointer, '/');  // "", "buffers", "3", "bytes"
  size_t index = 0;
  if (parts.size() < 3 || !absl::SimpleAtoi(parts[2], &index) || index >= lines.size()) return status;
  if (parts.size() == 3) return LineError(lines[index], status.message());
  constexpr std::pair<absl::string_view, Column> kFields[] = {
      {"name", kId}, {"begin", kLower}, {"end", kUpper}, {"bytes", kSize}};
  absl::string_view column = parts[3];
  for (const auto& [field, c] : kFields) {
    if (field == column) column = kColumns[c];
  }
  return CellError(lines[index], column, status.message());
}

std::string Cell(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

std::string OrEmpty(const std::optional<int64_t>& i) { return i.has_value() ? absl::StrCat(*i) : ""; }

}  // namespace

absl::StatusOr<Problem> ReadProblemCsv(absl::string_view text) {
  const size_t valid_bytes = ValidUtf8Prefix(text);
  if (valid_bytes < text.size()) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(valid_bytes), '\n');
    return LineError(static_cast<size_t>(line), "is not UTF-8");
  }
  CsvRows rows(text);
  if (rows.done()) return LineError(1, "the file is empty, must begin with a header");
  absl::StatusOr<std::vector<std::string>> cells = rows.Next();
  if (!cells.ok()) return cells.status();
  const absl::StatusOr<ColumnPlaces> places = ReadHeader(*cells);
  if (!places.ok()) return places.status();
  const size_t width = cells->size();
  Problem problem;
  std::vector<size_t> lines;  // of each buffer
  size_t blank_line = 0;
  while (!rows.done()) {
    const size_t line = rows.line();
    cells = rows.Next();
    if (!cells.ok()) return cells.status();
    if (cells->size() == 1 && absl::StripAsciiWhitespace(cells->front()).empty()) {
      if (blank_line == 0) blank_line = line;
      continue;
    }
    if (blank_line != 0) return LineError(blank_line, "blank line before the end");
    if (cells->size() != width) {
      return LineError(line, absl::StrCat("has ", cells->size(), " cells, must have ", width, " as the header"));
    }
    absl::StatusOr<Buffer> buffer = ReadRow(*cells, *places, line);
    if (!buffer.ok()) return buffer.status();
    problem.buffers.push_back(*std::move(buffer));
    lines.push_back(line);
  }
  const absl::Status valid = ValidateProblem(problem);
  if (!valid.ok()) return ErrorWithLine(valid, lines);
  return problem;
}

std::string WriteProblemCsv(const Problem& problem, absl::Span<const int64_t> offsets) {
  std::array<bool, kNumColumns> has{};
  std::fill(has.begin(), has.begin() + kNumRequired, true);
  has[kAlignment] = problem.alignment_bytes != 1;
  has[kOffset] = !offsets.empty();
  for (const Buffer& b : problem.buffers) {
    has[kAlignment] = has[kAlignment] || b.alignment_bytes.has_value();
    has[kGaps] = has[kGaps] || !b.gaps.empty();
    has[kHint] = has[kHint] || b.hint_bytes.has_value();
    has[kOffset] = has[kOffset] || b.offset_bytes.has_value();
  }
  std::string out;
  const auto add_row = [&](const std::array<std::string, kNumColumns>& cells) {
    for (size_t c = 0; c < kNumColumns; ++c) {
      if (has[c]) absl::StrAppend(&out, c == 0 ? "" : ",", cells[c]);
    }
    out += '\n';
  };
  std::array<std::string, kNumColumns> cells;
  for (size_t c = 0; c < kNumColumns; ++c) cells[c] = std::string(kColumns[c]);
  add_row(cells);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& b = problem.buffers[i];
    const bool own_alignment = b.alignment_bytes.has_value() || problem.alignment_bytes != 1;
    add_row({Cell(b.name), absl::StrCat(b.begin), absl::StrCat(b.end), absl::StrCat(b.bytes),
             own_alignment ? absl::StrCat(problem.alignment(b)) : "",
             absl::StrJoin(b.gaps, " ",
                           [](std::string* s, const TimeRange& g) { absl::StrAppend(s, g.begin, "-", g.end); }),
             OrEmpty(b.hint_bytes), offsets.empty() ? OrEmpty(b.offset_bytes) : absl::StrCat(offsets[i])});
  }
  return out;
}

}  // namespace bufplan
