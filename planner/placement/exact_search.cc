#include "planner/placement/exact_search.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "planner/placement/lower_bound.h"
#include "planner/placement/preference_order.h"
#include "planner/placement/section_problem.h"

namespace bufplan {
namespace {

// Entries of the table of refuted states, for each bar in each section, and in all.
constexpr int64_t kEntriesPerCell = 64;
constexpr int64_t kMinEntries = int64_t{1} << 12, kMaxEntries = int64_t{1} << 20;
// The shortest run, in steps: so many times what it takes to place everything without a wrong turn, but not less than
// small problems need to be searched through.
constexpr int64_t kStraightRuns = 4;
constexpr int64_t kShortestRun = 50'000;
// Of the work limit, for what is live at the peak, and how many may be.
constexpr int64_t kPartForPeak = 8;
constexpr size_t kMostAtPeak = 24;

// One group of storages that live apart from the others, with a search of its own.
class GroupSearch {
 public:
  explicit GroupSearch(const SectionProblem& problem)
      : problem_(problem),
        shortest_run_(std::max(kShortestRun, kStraightRuns * Cells(problem))),
        search_(problem, static_cast<size_t>(std::clamp(kEntriesPerCell * Cells(problem), kMinEntries, kMaxEntries))) {}

  // Run number `run` at a capacity, at most up to `work_end` in work().
  SearchEnd Try(int64_t capacity_bytes, int64_t run, absl::Span<const int32_t> by_rank, int64_t work_end) {
    const int64_t length = shortest_run_ * RunLength(run);
    return search_.Run(capacity_bytes, by_rank, work_end - work() < length ? work_end : work() + length);
  }

  // After kFound.
  int64_t Copy(std::vector<int64_t>& offset_bytes) const {
    int64_t bytes = 0;
    for (size_t i = 0; i < problem_.num_bars(); ++i) {
      const int64_t offset = search_.offset()[i] * problem_.granule_bytes;
      offset_bytes[static_cast<size_t>(problem_.storage[i])] = offset;
      bytes = std::max(bytes, offset + problem_.size[i] * problem_.granule_bytes - problem_.unused_bytes[i]);
    }
    return bytes;
  }

  int64_t work() const { return search_.work(); }

 private:
  static int64_t Cells(const SectionProblem& problem) {
    return static_cast<int64_t>(problem.num_bars()) * problem.num_sections;
  }

  const SectionProblem& problem_;
  const int64_t shortest_run_;
  SkylineSearch search_;
};

int64_t LastEnd(const PlacementProblem& problem, absl::Span<const int64_t> offset_bytes) {
  int64_t bytes = 0;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    bytes = std::max(bytes, offset_bytes[s] + problem.storages[s].size_bytes);
  }
  return bytes;
}

// The ladder of one group: from the best placement down to the bound.
//
// Where the bound can be met, a search for just that is often the shortest: the fuller a section, the fewer its
// choices. So the first runs mostly aim there. The others, and later most, aim at one byte less than the best, or a
// part of the way down from it.
class Ladder {
 public:
  // `offset_bytes` by storage of the whole problem.
  Ladder(const SectionProblem& problem, absl::Span<const int64_t> offset_bytes, int64_t bytes, int64_t bound_bytes)
      : problem_(problem), search_(problem), bytes_(bytes), bound_bytes_(bound_bytes), near_(problem.num_bars()) {
    Remember(offset_bytes);
  }

  bool done() const { return bytes_ <= bound_bytes_; }
  int64_t bytes() const { return bytes_; }
  int64_t bound_bytes() const { return bound_bytes_; }
  int64_t work() const { return search_.work(); }

  void Try(int64_t work_end, std::vector<int64_t>& offset_bytes) {
    const int64_t turn = turn_++;
    const Aim aim = turn < kFirstTurns ? kFirstAims[turn % 4] : kAims[turn % 6];
    const int64_t capacity = Capacity(aim);
    int64_t& run = run_[aim];
    // Every other time near the best, but for the first runs at the bound, which owe it nothing.
    const bool near = turn < kFirstTurns ? aim != kBound : turn / 6 % 2 == 1;
    const std::vector<int32_t> by_rank =
        near ? OrderNear(near_, capacity / problem_.granule_bytes, turn) : PreferenceOrder(problem_, plain_++);
    switch (search_.Try(capacity, run++, by_rank, work_end)) {
      case SearchEnd::kFound:
        bytes_ = search_.Copy(offset_bytes);
        Remember(offset_bytes);
        for (const Aim other : {kJustBelow, kQuarter, kHalf}) run_[other] = 0;
        break;
      case SearchEnd::kNone:
        bound_bytes_ = capacity + 1;
        run_[kBound] = 0;
        break;
      case SearchEnd::kGaveUp: break;
    }
  }

 private:
  enum Aim : uint8_t { kBound, kJustBelow, kQuarter, kHalf };
  static constexpr Aim kAims[] = {kBound, kJustBelow, kBound, kQuarter, kBound, kHalf};
  static constexpr Aim kFirstAims[] = {kBound, kHalf, kBound, kBound};
  static constexpr int64_t kFirstTurns = 48;

  int64_t Capacity(Aim aim) const {
    const int64_t gap = bytes_ - bound_bytes_;
    switch (aim) {
      case kBound: return bound_bytes_;
      case kJustBelow: return bytes_ - 1;
      case kQuarter: return bytes_ - std::max<int64_t>(gap / 4, 1);
      case kHalf: break;
    }
    return bytes_ - std::max<int64_t>(gap / 2, 1);
  }

  void Remember(absl::Span<const int64_t> offset_bytes) {
    for (size_t i = 0; i < near_.size(); ++i) {
      near_[i] = offset_bytes[static_cast<size_t>(problem_.storage[i])] / problem_.granule_bytes;
    }
  }

  const SectionProblem& problem_;
  GroupSearch search_;
  int64_t bytes_, bound_bytes_;
  std::vector<int64_t> near_;  // the best, in granules, by bar
  int64_t turn_ = 0, plain_ = 0;
  int64_t run_[4] = {};  // by aim
};

// The problem of some storages.
PlacementProblem PartOf(const PlacementProblem& problem, absl::Span<const int32_t> storages) {
  PlacementProblem part;
  for (int32_t s : storages) {
    StorageSpec storage = problem.storages[static_cast<size_t>(s)];
    part.pieces.push_back(problem.pieces[storage.first_piece]);
    storage.first_piece = static_cast<uint32_t>(part.storages.size());
    part.storages.push_back(storage);
  }
  return part;
}

// What is live at the peak, if that may need more than the load and is not all: where alignments differ. So few are
// soon searched, and what they need all need.
std::vector<int32_t> PeakToSearch(const PlacementProblem& problem, int64_t peak_time) {
  std::vector<int32_t> live;
  int64_t alignments = 0;
  size_t with_pieces = 0;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const StorageSpec& storage = problem.storages[s];
    if (storage.num_pieces == 0) continue;
    ++with_pieces;
    const Piece& piece = problem.pieces[storage.first_piece];
    if (piece.begin > peak_time || piece.end <= peak_time) continue;
    live.push_back(static_cast<int32_t>(s));
    alignments |= storage.alignment_bytes;
  }
  const bool alike = (alignments & (alignments - 1)) == 0;
  if (alike || live.size() == with_pieces || live.size() > kMostAtPeak) live.clear();
  return live;
}

}  // namespace

bool CanSearchExactly(const PlacementProblem& problem) { return HasSections(problem); }

ExactPlacement FindPlacement(const PlacementProblem& problem, int64_t capacity_bytes, int64_t work_limit) {
  ExactPlacement result;
  const LowerBound bound = ComputeLowerBound(problem);
  result.lower_bound_bytes = bound.bytes;
  if (result.lower_bound_bytes > capacity_bytes) return result;
  if (const std::vector<int32_t> peak = PeakToSearch(problem, bound.peak_time); !peak.empty()) {
    const ExactPlacement found = FindPlacement(PartOf(problem, peak), capacity_bytes, work_limit / kPartForPeak);
    result.work = found.work;
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, found.lower_bound_bytes);
    if (result.lower_bound_bytes > capacity_bytes) return result;
  }
  std::vector<int64_t> offset_bytes(problem.storages.size(), 0);
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    offset_bytes[s] = problem.storages[s].pinned_offset_bytes.value_or(0);
  }
  for (const SectionProblem& group : MakeSectionProblems(problem)) {
    GroupSearch search(group);
    SearchEnd end = SearchEnd::kGaveUp;
    for (int64_t run = 0; end == SearchEnd::kGaveUp && result.work + search.work() < work_limit; ++run) {
      end = search.Try(capacity_bytes, run, PreferenceOrder(group, run), work_limit - result.work);
    }
    result.work += search.work();
    if (end == SearchEnd::kNone) result.lower_bound_bytes = capacity_bytes + 1;
    if (end != SearchEnd::kFound) return result;
    search.Copy(offset_bytes);
  }
  result.offset_bytes = std::move(offset_bytes);
  result.bytes = LastEnd(problem, result.offset_bytes);
  return result;
}

ExactPlacement MinimizePlacement(const PlacementProblem& problem, absl::Span<const int64_t> placed_offset_bytes,
                                 int64_t work_limit) {
  ExactPlacement result;
  result.offset_bytes.assign(placed_offset_bytes.begin(), placed_offset_bytes.end());
  result.bytes = LastEnd(problem, result.offset_bytes);
  const LowerBound bound = ComputeLowerBound(problem);
  result.lower_bound_bytes = bound.bytes;
  if (result.bytes <= result.lower_bound_bytes) return result;
  if (const std::vector<int32_t> peak = PeakToSearch(problem, bound.peak_time); !peak.empty()) {
    std::vector<int64_t> peak_offset_bytes;
    for (int32_t s : peak) peak_offset_bytes.push_back(placed_offset_bytes[static_cast<size_t>(s)]);
    const ExactPlacement least = MinimizePlacement(PartOf(problem, peak), peak_offset_bytes, work_limit / kPartForPeak);
    result.work = least.work;
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, least.lower_bound_bytes);
    if (result.bytes <= result.lower_bound_bytes) return result;
  }

  const std::vector<SectionProblem> groups = MakeSectionProblems(problem);
  std::vector<int64_t> bytes(groups.size(), 0);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (int32_t s : groups[g].storage) {
      const size_t storage = static_cast<size_t>(s);
      bytes[g] = std::max(bytes[g], result.offset_bytes[storage] + problem.storages[storage].size_bytes);
    }
  }
  // The highest group decides; another one may be the highest after each run.
  std::vector<std::optional<Ladder>> ladders(groups.size());
  while (result.work < work_limit && !groups.empty()) {
    const size_t g = static_cast<size_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
    std::optional<Ladder>& ladder = ladders[g];
    if (!ladder.has_value()) {
      const int64_t bound = ComputeLowerBound(PartOf(problem, groups[g].storage)).bytes;
      // What is below the bound of all is of no use.
      ladder.emplace(groups[g], result.offset_bytes, bytes[g], std::max(bound, result.lower_bound_bytes));
    }
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, std::min(ladder->bound_bytes(), bytes[g]));
    if (ladder->done()) break;
    const int64_t before = ladder->work();
    ladder->Try(before + work_limit - result.work, result.offset_bytes);
    result.work += ladder->work() - before;
    bytes[g] = ladder->bytes();
  }
  result.bytes = LastEnd(problem, result.offset_bytes);
  result.lower_bound_bytes = std::min(result.lower_bound_bytes, result.bytes);
  return result;
}

}  // namespace bufplan
