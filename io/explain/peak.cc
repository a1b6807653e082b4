#include "io/explain/peak.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "io/explain/occupancy.h"
#include "io/explain/text_table.h"

namespace bufplan {
namespace {

// Disjoint byte ranges, each with the entry that brought it in.
class TakenBytes {
 public:
  // Adds what is not there yet; how many bytes that was.
  int64_t Add(ByteRange bytes, size_t owner) {
    int64_t added = 0;
    int64_t at = bytes.begin;
    auto piece = pieces_.upper_bound(at);
    if (piece != pieces_.begin()) {
      const auto before = std::prev(piece);
      at = std::max(at, before->second.first);
    }
    while (at < bytes.end) {
      const int64_t end = piece == pieces_.end() ? bytes.end : std::min(piece->first, bytes.end);
      if (end > at) {
        pieces_.emplace_hint(piece, at, std::pair(end, owner));
        added += end - at;
      }
      if (piece == pieces_.end()) break;
      at = std::max(end, piece->second.first);
      ++piece;
    }
    return added;
  }
  // Requires that the byte was added.
  size_t OwnerOf(int64_t byte) const { return std::prev(pieces_.upper_bound(byte))->second.second; }

 private:
  std::map<int64_t, std::pair<int64_t, size_t>> pieces_;  // begin -> end, owner
};

}  // namespace

std::optional<PeakTable> PeakTableOf(const Layout& layout, int32_t memory, std::optional<int64_t> preferred) {
  const std::optional<OccupancyStep> step = PeakOf(OccupancyOf(layout, memory), preferred);
  if (!step.has_value()) return std::nullopt;
  PeakTable peak;
  peak.time = step->time;
  const std::vector<PlacedBytes>& placed = layout.placed();
  std::vector<size_t> live;
  for (size_t i = 0; i < placed.size(); ++i) {
    const PlacedBytes& p = placed[i];
    if (p.memory == memory && p.begin <= peak.time && peak.time < p.end) live.push_back(i);
  }
  // Of equal ranges the one that was there first stands for all.
  std::stable_sort(live.begin(), live.end(), [&](size_t a, size_t b) {
    const PlacedBytes &p = placed[a], &q = placed[b];
    return std::pair(-p.bytes.size(), p.begin) < std::pair(-q.bytes.size(), q.begin);
  });
  TakenBytes taken;
  for (size_t i : live) {
    const int64_t added = taken.Add(placed[i].bytes, peak.entries.size());
    if (added == 0) {
      peak.entries[taken.OwnerOf(placed[i].bytes.begin)].same_bytes.push_back(i);
      continue;
    }
    peak.bytes += added;
    peak.entries.push_back({i, added, {}});
  }
  return peak;
}

std::string PeakText(const Layout& layout, const PeakTable& peak, size_t max_rows) {
  constexpr size_t kMaxSame = 3;
  TextTable table({TextAlign::kRight, TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft, TextAlign::kLeft}, 4);
  table.Row({"bytes", "value", "offset", "live", "in the same bytes"});
  // One line more is as short as the line that says it is left out.
  const size_t shown = peak.entries.size() <= max_rows + 1 ? peak.entries.size() : max_rows;
  for (size_t i = 0; i < shown; ++i) {
    const PeakEntry& e = peak.entries[i];
    const PlacedBytes& p = layout.placed()[e.entry];
    std::string same;
    for (size_t j = 0; j < std::min(e.same_bytes.size(), kMaxSame); ++j) {
      absl::StrAppend(&same, j == 0 ? "" : ", ", Printable(layout.Label(layout.placed()[e.same_bytes[j]]), 30));
    }
    if (e.same_bytes.size() > kMaxSame) absl::StrAppend(&same, " and ", e.same_bytes.size() - kMaxSame, " more");
    if (e.added_bytes != p.bytes.size()) {
      absl::StrAppend(&same, same.empty() ? "" : "; ", FormatCount(p.bytes.size()),
                      " in all, the others counted above");
    }
    table.Row(
        {FormatCount(e.added_bytes), Printable(layout.Label(p), 40), FormatCount(p.bytes.begin),
         absl::StrCat(Printable(layout.TimeLabel(p.begin), 30), " .. ", Printable(layout.TimeLabel(p.end - 1), 30)),
         same});
  }
  int64_t rest = 0;
  for (size_t i = shown; i < peak.entries.size(); ++i) rest += peak.entries[i].added_bytes;
  if (shown < peak.entries.size()) {
    table.Row({FormatCount(rest), absl::StrCat("(", peak.entries.size() - shown, " more)")});
  }
  table.Row({FormatCount(peak.bytes), "in all"});
  return table.Text();
}

}  // namespace bufplan
