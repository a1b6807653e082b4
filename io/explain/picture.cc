#include "io/explain/picture.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

constexpr absl::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr size_t kMaxLegendName = 28;
constexpr size_t kMaxCellWidth = 8;

// An axis cut into cells: cell i is [edges[i], edges[i + 1]).
struct Axis {
  std::vector<double> edges;
  size_t size() const { return edges.size() - 1; }
  // The cells that meet [begin, end): [first, last).
  std::pair<size_t, size_t> Cells(double begin, double end) const {
    const auto first = std::upper_bound(edges.begin(), edges.end(), begin);
    const auto last = std::lower_bound(edges.begin(), edges.end(), end);
    const size_t low = first == edges.begin() ? 0 : static_cast<size_t>(first - edges.begin()) - 1;
    return {low, std::min(static_cast<size_t>(last - edges.begin()), size())};
  }
  double Covered(size_t cell, double begin, double end) const {
    return std::min(end, edges[cell + 1]) - std::max(begin, edges[cell]);
  }
};

Axis EqualCells(int64_t begin, int64_t end, size_t count) {
  Axis axis;
  const double low = static_cast<double>(begin), length = static_cast<double>(end) - low;
  for (size_t i = 0; i <= count; ++i) {
    axis.edges.push_back(low + length * static_cast<double>(i) / static_cast<double>(count));
  }
  return axis;
}

class Picture {
 public:
  Picture(const Layout& layout, const PictureWindow& window, const PictureOptions& options)
      : layout_(layout), window_(window), options_(options) {}
  std::string Draw();

 private:
  static constexpr int32_t kFree = -1;
  struct Cell {
    int32_t entry = kFree;
    double area = 0;
  };

  void MakeAxes();
  void Paint();
  void GiveLetters();
  // A thing with gaps is several entries, one behind the other.
  bool SameThing(size_t a, size_t b) const {
    const PlacedBytes &p = layout_.placed()[a], &q = layout_.placed()[b];
    return p.what == q.what && p.id == q.id;
  }
  bool Highlighted(size_t entry) const {
    return options_.highlight.has_value() && SameThing(entry, *options_.highlight);
  }
  bool Covers(const PlacedBytes& p, double area, const Cell& cell) const;
  std::string RowLabel(size_t row) const;
  std::string TimeAxis(size_t indent) const;
  std::string Legend() const;

  const Layout& layout_;
  const PictureWindow& window_;
  const PictureOptions& options_;
  std::vector<size_t> entries_;  // of layout_.placed(), those in the window
  std::vector<size_t> first_;    // by position in entries_: the first one of the same thing, which bears its letter
  Axis rows_, columns_;          // rows from the lowest address up
  size_t column_width_ = 1;      // characters per column
  std::vector<Cell> cells_;      // row by row
  std::vector<char> letter_;     // by position in entries_; 0: not seen
};

void Picture::MakeAxes() {
  std::vector<int64_t> offsets = {window_.bytes.begin, window_.bytes.end};
  for (size_t i = 0; i < layout_.placed().size(); ++i) {
    const PlacedBytes& p = layout_.placed()[i];
    if (p.memory != window_.memory || !p.bytes.Meets(window_.bytes)) continue;
    if (p.begin >= window_.end || p.end <= window_.begin) continue;
    const bool goes_on = !entries_.empty() && SameThing(entries_.back(), i);
    first_.push_back(goes_on ? first_.back() : entries_.size());
    entries_.push_back(i);
    offsets.push_back(std::max(p.bytes.begin, window_.bytes.begin));
    offsets.push_back(std::min(p.bytes.end, window_.bytes.end));
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  if (offsets.size() - 1 <= options_.rows) {
    for (int64_t o : offsets) rows_.edges.push_back(static_cast<double>(o));
  } else {
    rows_ = EqualCells(window_.bytes.begin, window_.bytes.end, options_.rows);
  }
  size_t label = 0;
  for (size_t r = 0; r < rows_.size(); ++r) label = std::max(label, RowLabel(r).size());
  const size_t room = std::max<size_t>(options_.width, 40) - std::min<size_t>(label + 5, 30);
  // A window of over 2^63 times is none.
  const auto times = static_cast<uint64_t>(window_.end) - static_cast<uint64_t>(window_.begin);
  const size_t columns = times < room ? static_cast<size_t>(times) : room;
  columns_ = EqualCells(window_.begin, window_.end, columns);
  column_width_ = std::clamp<size_t>(room / columns, 1, kMaxCellWidth);
}

bool Picture::Covers(const PlacedBytes& p, double area, const Cell& cell) const {
  if (cell.entry == kFree || area != cell.area) return area > cell.area;
  const PlacedBytes& q = layout_.placed()[entries_[static_cast<size_t>(cell.entry)]];
  if (p.begin != q.begin) return p.begin > q.begin;
  return p.bytes.size() < q.bytes.size();
}

void Picture::Paint() {
  cells_.resize(rows_.size() * columns_.size());
  for (size_t e = 0; e < entries_.size(); ++e) {
    const PlacedBytes& p = layout_.placed()[entries_[e]];
    const double low = static_cast<double>(p.bytes.begin), high = static_cast<double>(p.bytes.end);
    const double begin = static_cast<double>(p.begin), end = static_cast<double>(p.end);
    const auto [first_row, last_row] = rows_.Cells(low, high);
    const auto [first_column, last_column] = columns_.Cells(begin, end);
    const bool highlighted = Highlighted(entries_[e]);
    for (size_t r = first_row; r < last_row; ++r) {
      for (size_t c = first_column; c < last_column; ++c) {
        Cell& cell = cells_[r * columns_.size() + c];
        const double area = rows_.Covered(r, low, high) * columns_.Covered(c, begin, end);
        if (!highlighted && !Covers(p, area, cell)) continue;
        // What is highlighted cannot be painted over.
        cell = {static_cast<int32_t>(e), highlighted ? 1e300 : area};
      }
    }
  }
}

void Picture::GiveLetters() {
  letter_.assign(entries_.size(), 0);
  std::vector<int64_t> seen(entries_.size(), 0);
  for (const Cell& cell : cells_) {
    if (cell.entry != kFree) ++seen[first_[static_cast<size_t>(cell.entry)]];
  }
  std::vector<size_t> shown;
  for (size_t e = 0; e < entries_.size(); ++e) {
    if (seen[e] == 0) continue;
    if (Highlighted(entries_[e])) {
      letter_[e] = '#';
    } else {
      shown.push_back(e);
      letter_[e] = '*';
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) { return seen[a] > seen[b]; });
  if (shown.size() > kLetters.size()) shown.resize(kLetters.size());
  std::sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
    const PlacedBytes &p = layout_.placed()[entries_[a]], &q = layout_.placed()[entries_[b]];
    return std::pair(p.begin, p.bytes.begin) < std::pair(q.begin, q.bytes.begin) ||
           (std::pair(p.begin, p.bytes.begin) == std::pair(q.begin, q.bytes.begin) && a < b);
  });
  for (size_t i = 0; i < shown.size(); ++i) letter_[shown[i]] = kLetters[i];
}

std::string Picture::RowLabel(size_t row) const {
  // The largest integers round up to one that is none.
  constexpr double kEnd = 9223372036854775807.0;
  return FormatCount(rows_.edges[row] < kEnd ? static_cast<int64_t>(rows_.edges[row]) : INT64_MAX);
}

// The line below the picture, what is at its ends, and the arrow.
std::string Picture::TimeAxis(size_t indent) const {
  const size_t length = columns_.size() * column_width_;
  const std::string blanks(indent + 1, ' ');
  std::string text = absl::StrCat(std::string(indent, ' '), "+", std::string(length, '-'), "> time\n");
  const std::string first = Printable(layout_.TimeLabel(window_.begin), 20);
  const std::string last = Printable(layout_.TimeLabel(window_.end - 1), 20);
  const size_t used = DisplayWidth(first) + DisplayWidth(last);
  const std::string between(used + 2 <= length ? length - used : 2, ' ');
  absl::StrAppend(&text, blanks, first, first == last ? "" : between + last, "\n");
  if (options_.mark_time.has_value() && *options_.mark_time >= window_.begin && *options_.mark_time < window_.end) {
    const double time = static_cast<double>(*options_.mark_time);
    const size_t at = columns_.Cells(time, time + 1).first * column_width_;
    const std::string arrow = absl::StrCat("^ ", options_.mark_text);
    const size_t width = DisplayWidth(arrow);
    // Left of the arrow if there is no room on its right.
    if (at + width <= length + 6 || at + 1 < width) {
      absl::StrAppend(&text, blanks, std::string(at, ' '), arrow, "\n");
    } else {
      absl::StrAppend(&text, blanks, std::string(at + 1 - width, ' '), options_.mark_text, " ^\n");
    }
  }
  return text;
}

std::string Picture::Legend() const {
  std::vector<std::pair<char, size_t>> shown;
  size_t others = 0;
  for (size_t e = 0; e < entries_.size(); ++e) {
    if (letter_[e] == '*') ++others;
    if (letter_[e] != 0 && letter_[e] != '*') shown.emplace_back(letter_[e], entries_[e]);
  }
  // '#', then small letters, then capitals.
  const auto rank = [](char c) { return c == '#' ? 0 : 1 + kLetters.find(c); };
  std::sort(shown.begin(), shown.end(), [&](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  std::vector<std::string> items;
  for (const auto& [letter, entry] : shown) {
    const PlacedBytes& p = layout_.placed()[entry];
    items.push_back(absl::StrCat(std::string(1, letter), " ", Printable(layout_.Label(p), kMaxLegendName), " (",
                                 FormatCount(p.bytes.size()), ")"));
  }
  if (others > 0) items.push_back(absl::StrCat("* ", Plural(static_cast<int64_t>(others), "other", "others")));
  size_t width = 1;
  for (const std::string& item : items) width = std::max(width, DisplayWidth(item));
  const size_t per_line = std::max<size_t>(1, (std::max<size_t>(options_.width, 40) - 2) / (width + 2));
  TextTable table(std::vector<TextAlign>(per_line, TextAlign::kLeft));
  for (size_t i = 0; i < items.size(); i += per_line) {
    table.Row({items.begin() + static_cast<ptrdiff_t>(i),
               items.begin() + static_cast<ptrdiff_t>(std::min(i + per_line, items.size()))});
  }
  return table.Text();
}

std::string Picture::Draw() {
  MakeAxes();
  Paint();
  GiveLetters();
  size_t label_width = 6;
  for (size_t r = 0; r < rows_.size(); ++r) label_width = std::max(label_width, RowLabel(r).size());
  std::string text = absl::StrCat("  ", std::string(label_width - 6, ' '), "offset\n");
  for (size_t r = rows_.size(); r-- > 0;) {
    const std::string label = RowLabel(r);
    absl::StrAppend(&text, "  ", std::string(label_width - label.size(), ' '), label, " |");
    for (size_t c = 0; c < columns_.size(); ++c) {
      const int32_t entry = cells_[r * columns_.size() + c].entry;
      text.append(column_width_, entry == kFree ? '.' : letter_[first_[static_cast<size_t>(entry)]]);
    }
    text += '\n';
  }
  return absl::StrCat(text, TimeAxis(label_width + 3), Legend());
}

}  // namespace

std::string DrawWindow(const Layout& layout, const PictureWindow& window, const PictureOptions& options) {
  if (window.bytes.empty() || window.begin >= window.end) return "";
  return Picture(layout, window, options).Draw();
}

std::string DrawMemory(const Layout& layout, int32_t memory, const PictureOptions& options) {
  PictureWindow window;
  window.memory = memory;
  window.bytes = {0, layout.memories()[static_cast<size_t>(memory)].bytes};
  window.begin = layout.begin();
  window.end = layout.end();
  return DrawWindow(layout, window, options);
}

}  // namespace bufplan
