#include "io/explain/neighbours.h"

#include <algorithm>
#include <utility>

#include "io/explain/picture.h"

namespace bufplan {

Neighbours NeighboursOf(const Layout& layout, size_t entry) {
  const std::vector<PlacedBytes>& placed = layout.placed();
  const PlacedBytes& self = placed[entry];
  // Gaps: what lies in one is neither before nor after.
  int64_t begin = self.begin, end = self.end;
  for (const PlacedBytes& p : placed) {
    if (p.what != self.what || p.id != self.id) continue;
    begin = std::min(begin, p.begin);
    end = std::max(end, p.end);
  }
  Neighbours found;
  for (size_t i = 0; i < placed.size(); ++i) {
    const PlacedBytes& p = placed[i];
    if ((p.what == self.what && p.id == self.id) || p.memory != self.memory || !p.bytes.Meets(self.bytes)) continue;
    (p.end <= begin ? found.before : p.begin >= end ? found.after : found.together).push_back(i);
  }
  std::stable_sort(found.before.begin(), found.before.end(),
                   [&](size_t a, size_t b) { return placed[a].end < placed[b].end; });
  for (std::vector<size_t>* list : {&found.together, &found.after}) {
    std::stable_sort(list->begin(), list->end(), [&](size_t a, size_t b) { return placed[a].begin < placed[b].begin; });
  }
  return found;
}

std::string DrawNeighbourhood(const Layout& layout, size_t entry, size_t width) {
  constexpr int64_t kLeastTimes = 8;
  const PlacedBytes& self = layout.placed()[entry];
  const int64_t size = layout.memories()[static_cast<size_t>(self.memory)].bytes;
  PictureWindow window;
  window.memory = self.memory;
  const int64_t margin = self.bytes.size() / 2;
  window.bytes.begin = std::max<int64_t>(0, self.bytes.begin - margin);
  window.bytes.end = size - self.bytes.end < margin ? size : self.bytes.end + margin;
  // Times of a problem may be anywhere in 64 bits.
  const int64_t lead = std::max(self.end / 2 - self.begin / 2, kLeastTimes);
  if (__builtin_sub_overflow(self.begin, lead, &window.begin)) window.begin = layout.begin();
  if (__builtin_add_overflow(self.end, lead, &window.end)) window.end = layout.end();
  window.begin = std::max(window.begin, layout.begin());
  window.end = std::min(window.end, layout.end());
  PictureOptions options;
  options.width = width;
  options.rows = 12;
  options.highlight = entry;
  return DrawWindow(layout, window, options);
}

}  // namespace bufplan
