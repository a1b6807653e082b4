#include "planner/placement/section_problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

// Sections by storage; those of different groups share no number.
struct Sections {
  std::vector<int32_t> begin, end;   // by storage; -1 without pieces
  std::vector<int32_t> group_begin;  // the first section of each group, and one past the last section
};

Sections FindSections(const PlacementProblem& problem) {
  struct Event {
    int64_t time;
    bool starts;  // ends come before starts
    int32_t storage;
  };
  std::vector<Event> events;
  events.reserve(2 * problem.storages.size());
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    if (problem.storages[s].num_pieces == 0) continue;
    const Piece& piece = problem.PiecesOf(s)[0];
    events.push_back({piece.begin, true, static_cast<int32_t>(s)});
    events.push_back({piece.end, false, static_cast<int32_t>(s)});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.starts != b.starts ? !a.starts : a.storage < b.storage;
  });

  Sections sections;
  sections.begin.assign(problem.storages.size(), -1);
  sections.end.assign(problem.storages.size(), -1);
  int32_t section = 0;  // the one being filled
  int64_t live = 0;
  bool filled = false;  // something starts in it
  for (const Event& event : events) {
    const size_t s = static_cast<size_t>(event.storage);
    if (event.starts) {
      if (live == 0) sections.group_begin.push_back(section);
      sections.begin[s] = section;
      filled = true;
      ++live;
      continue;
    }
    // The first end after a start closes the section.
    if (filled) ++section;
    filled = false;
    sections.end[s] = section;
    --live;
  }
  sections.group_begin.push_back(section);
  return sections;
}

int64_t FindGranule(const PlacementProblem& problem, absl::Span<const int32_t> group) {
  const auto spec = [&problem](int32_t s) -> const StorageSpec& { return problem.storages[static_cast<size_t>(s)]; };
  // What is not a multiple of the smallest alignment is as good as rounded up, except at the top.
  int64_t common_alignment = spec(group[0]).alignment_bytes;
  for (int32_t s : group) common_alignment = std::min(common_alignment, spec(s).alignment_bytes);
  int64_t granule = 0;
  for (int32_t s : group) {
    granule = std::gcd(granule, AlignUp(spec(s).size_bytes, common_alignment));
    granule = std::gcd(granule, spec(s).pinned_offset_bytes.value_or(0));
  }
  for (int32_t s : group) {
    // Alignments are powers of two: one that does not divide the granule is a multiple of what is left of it.
    if (spec(s).pinned_offset_bytes.has_value() || granule % spec(s).alignment_bytes == 0) continue;
    granule = std::gcd(granule, spec(s).alignment_bytes);
  }
  return granule;
}

}  // namespace

bool HasSections(const PlacementProblem& problem) {
  if (problem.order.has_value() || problem.max_chunk_bytes.has_value() || !problem.disjoint.empty()) return false;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const absl::Span<const Piece> pieces = problem.PiecesOf(s);
    if (pieces.empty()) continue;
    if (pieces.size() > 1 || pieces[0].low != 0 || pieces[0].high != problem.storages[s].size_bytes) return false;
  }
  return true;
}

std::vector<SectionProblem> MakeSectionProblems(const PlacementProblem& problem) {
  const Sections sections = FindSections(problem);
  std::vector<SectionProblem> groups(sections.group_begin.size() - 1);
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    if (problem.storages[s].num_pieces == 0) continue;
    const auto after = std::upper_bound(sections.group_begin.begin(), sections.group_begin.end(), sections.begin[s]);
    groups[static_cast<size_t>(after - sections.group_begin.begin()) - 1].storage.push_back(static_cast<int32_t>(s));
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    SectionProblem& group = groups[g];
    const int64_t granule = FindGranule(problem, group.storage);
    group.granule_bytes = granule;
    group.num_sections = sections.group_begin[g + 1] - sections.group_begin[g];
    for (int32_t s : group.storage) {
      const StorageSpec& storage = problem.storages[static_cast<size_t>(s)];
      const int64_t size = (storage.size_bytes + granule - 1) / granule;
      const bool pinned = storage.pinned_offset_bytes.has_value();
      group.begin.push_back(sections.begin[static_cast<size_t>(s)] - sections.group_begin[g]);
      group.end.push_back(sections.end[static_cast<size_t>(s)] - sections.group_begin[g]);
      group.size.push_back(size);
      group.unused_bytes.push_back(size * granule - storage.size_bytes);
      group.multiple.push_back(pinned ? 1 : std::max<int64_t>(storage.alignment_bytes / granule, 1));
      group.pin.push_back(pinned ? *storage.pinned_offset_bytes / granule : SectionProblem::kNoPin);
    }
  }
  return groups;
}

}  // namespace bufplan
