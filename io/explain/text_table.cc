#include "io/explain/text_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace bufplan {
namespace {

bool ContinuesCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The first `width` code points.
absl::string_view Front(absl::string_view text, size_t width) {
  size_t end = 0;
  while (end < text.size()) {
    if (!ContinuesCodePoint(text[end]) && width-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

// The last `width` code points.
absl::string_view Back(absl::string_view text, size_t width) {
  size_t begin = text.size();
  while (begin > 0 && width > 0) {
    if (!ContinuesCodePoint(text[--begin])) --width;
  }
  return text.substr(begin);
}

}  // namespace

TextTable::TextTable(std::vector<TextAlign> columns, size_t indent) : columns_(std::move(columns)), indent_(indent) {}

void TextTable::Row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::Text() const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size() && c < widths.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(row[c]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent_, ' ');
    for (size_t c = 0; c < row.size() && c < widths.size(); ++c) {
      if (c > 0) line += "  ";
      const std::string blanks(widths[c] - DisplayWidth(row[c]), ' ');
      line += columns_[c] == TextAlign::kRight ? blanks + row[c] : row[c] + blanks;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

size_t DisplayWidth(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCodePoint(c); }));
}

std::string Printable(absl::string_view name, size_t max_width) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool c1 = c == 0xC2 && i + 1 < name.size() && static_cast<unsigned char>(name[i + 1]) < 0xA0;
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      absl::StrAppend(&text, absl::StrFormat("\\x%02X", c));
    } else if (c1) {
      // Controls that begin with 0x80 in Latin-1, two bytes each.
      absl::StrAppend(&text, absl::StrFormat("\\u%04X", static_cast<unsigned char>(name[++i])));
    } else {
      text += name[i];
    }
  }
  const size_t width = DisplayWidth(text);
  if (width <= max_width || max_width < 5) return text;
  const size_t front = (max_width - 2 + 1) / 2;
  return absl::StrCat(Front(text, front), "..", Back(text, max_width - 2 - front));
}

std::string InQuotes(absl::string_view name) { return absl::StrCat("\"", Printable(name), "\""); }

std::string FormatCount(int64_t n) {
  const std::string digits = absl::StrCat(n);
  const size_t first = digits[0] == '-' ? 1 : 0;
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string FormatSize(int64_t bytes) {
  constexpr double kKiB = 1024, kMiB = kKiB * 1024, kGiB = kMiB * 1024;
  const double size = static_cast<double>(bytes);
  if (size < kKiB) return absl::StrCat(bytes, " B");
  if (size < kMiB / 10) return absl::StrFormat("%.2f KiB", size / kKiB);
  if (size < 10 * kGiB) return absl::StrFormat("%.2f MiB", size / kMiB);
  return absl::StrFormat("%.2f GiB", size / kGiB);
}

std::string FormatTime(absl::Duration time) {
  const double seconds = absl::ToDoubleSeconds(time);
  if (seconds < 1e-3) return absl::StrFormat("%.0f us", seconds * 1e6);
  if (seconds < 1) return absl::StrFormat("%.2f ms", seconds * 1e3);
  return absl::StrFormat("%.2f s", seconds);
}

std::string Plural(int64_t n, absl::string_view one, absl::string_view more) {
  return absl::StrCat(FormatCount(n), " ", n == 1 ? one : more);
}

}  // namespace bufplan
