#include "io/explain/nearest_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

constexpr size_t kMaxLength = 64;
// Containment ranks behind all names that are a few edits away.
constexpr int kContained = 1000;

// Optimal string alignment distance in half edits: another case of the same letter is one half.
int Distance(absl::string_view a, absl::string_view b) {
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  std::array<std::array<int, kMaxLength + 1>, 3> rows;
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = static_cast<int>(2 * j);
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = static_cast<int>(2 * i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = a[i - 1], y = b[j - 1];
      const int replace = x == y ? 0 : absl::ascii_tolower(x) == absl::ascii_tolower(y) ? 1 : 2;
      row[j] = std::min({above[j] + 2, row[j - 1] + 2, above[j - 1] + replace});
      if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y) row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 2);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::vector<absl::string_view> NearestNames(absl::string_view name, absl::Span<const absl::string_view> known,
                                            size_t limit) {
  const int allowed = 2 * std::max<int>(1, static_cast<int>(std::min(name.size(), kMaxLength)) / 3);
  std::vector<std::pair<int, absl::string_view>> close;
  for (absl::string_view k : known) {
    const int distance = Distance(name, k);
    if (distance <= allowed) {
      close.emplace_back(distance, k);
    } else if (name.size() >= 3 && k.size() >= 3 && (absl::StrContains(k, name) || absl::StrContains(name, k))) {
      close.emplace_back(kContained + distance, k);
    }
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<absl::string_view> names;
  for (const auto& [distance, k] : close) {
    if (names.size() == limit) break;
    if (std::find(names.begin(), names.end(), k) == names.end()) names.push_back(k);
  }
  return names;
}

std::string DidYouMean(absl::string_view name, absl::Span<const absl::string_view> known, size_t limit) {
  const std::vector<absl::string_view> names = NearestNames(name, known, limit);
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) absl::StrAppend(&text, i + 1 == names.size() ? " or " : ", ");
    absl::StrAppend(&text, InQuotes(names[i]));
  }
  return text + "?";
}

}  // namespace bufplan
