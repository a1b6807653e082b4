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

// One group of storages that live apart from the others, with a search of its own.
class GroupSearch {
 public:
  explicit GroupSearch(const SectionProblem& problem)
      : problem_(problem),
        shortest_run_(std::max(kShortestRun, kStraightRuns * Cells(problem))),
        search_(problem, static_cast<size_t>(std::clamp(kEntriesPerCell * Cells(problem), kMinEntries, kMaxEntries))) {}

  // One run, at most up to `work_end` in work().
  SearchEnd Try(int64_t capacity_bytes, int64_t run, int64_t attempt, int64_t work_end) {
    const int64_t length = shortest_run_ * RunLength(run);
    const int64_t end = work_end - work() < length ? work_end : work() + length;
    return search_.Run(capacity_bytes, PreferenceOrder(problem_, attempt), end);
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
class Ladder {
 public:
  Ladder(const SectionProblem& problem, int64_t bytes, int64_t bound_bytes)
      : search_(problem), bytes_(bytes), bound_bytes_(bound_bytes), step_(bytes - bound_bytes) {}

  bool done() const { return bytes_ <= bound_bytes_; }
  int64_t bytes() const { return bytes_; }
  int64_t bound_bytes() const { return bound_bytes_; }
  int64_t work() const { return search_.work(); }

  // One run, at the bound or at a step below the best; turns about at first, later mostly the latter.
  void Try(int64_t work_end, std::vector<int64_t>& offset_bytes) {
    const int64_t turn = turn_++;
    const bool at_bound = turn < 2 * kBoundTurns ? turn % 2 == 0 : turn % kRareBoundTurn == 0;
    const int64_t capacity = at_bound ? bound_bytes_ : std::max(bound_bytes_, bytes_ - std::max<int64_t>(step_, 1));
    const int64_t attempt = at_bound ? bound_turn_++ : step_turn_++;
    switch (search_.Try(capacity, at_bound ? bound_run_++ : step_run_++, attempt, work_end)) {
      case SearchEnd::kFound:
        bytes_ = search_.Copy(offset_bytes);
        step_ = std::max<int64_t>(2 * step_, 1);
        step_run_ = 0;
        break;
      case SearchEnd::kNone:
        bound_bytes_ = capacity + 1;
        if (at_bound) bound_run_ = 0;
        break;
      case SearchEnd::kGaveUp:
        if (!at_bound && step_run_ % kRunsPerStep == 0) step_ /= 2;
        break;
    }
    step_ = std::min(step_, std::max<int64_t>((bytes_ - bound_bytes_) / 2, 1));
  }

 private:
  static constexpr int64_t kBoundTurns = 60;
  static constexpr int64_t kRareBoundTurn = 8;
  static constexpr int64_t kRunsPerStep = 7;

  GroupSearch search_;
  int64_t bytes_, bound_bytes_, step_;
  int64_t turn_ = 0, bound_turn_ = 0, step_turn_ = 0, bound_run_ = 0, step_run_ = 0;
};

// The problem of one group, for its bound.
PlacementProblem GroupProblem(const PlacementProblem& problem, const SectionProblem& group) {
  PlacementProblem part;
  for (int32_t s : group.storage) {
    StorageSpec storage = problem.storages[static_cast<size_t>(s)];
    part.pieces.push_back(problem.pieces[storage.first_piece]);
    storage.first_piece = static_cast<uint32_t>(part.storages.size());
    part.storages.push_back(storage);
  }
  return part;
}

}  // namespace

bool CanSearchExactly(const PlacementProblem& problem) { return HasSections(problem); }

ExactPlacement FindPlacement(const PlacementProblem& problem, int64_t capacity_bytes, int64_t work_limit) {
  ExactPlacement result;
  result.lower_bound_bytes = ComputeLowerBound(problem).bytes;
  if (result.lower_bound_bytes > capacity_bytes) return result;
  std::vector<int64_t> offset_bytes(problem.storages.size(), 0);
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    offset_bytes[s] = problem.storages[s].pinned_offset_bytes.value_or(0);
  }
  for (const SectionProblem& group : MakeSectionProblems(problem)) {
    GroupSearch search(group);
    SearchEnd end = SearchEnd::kGaveUp;
    for (int64_t run = 0; end == SearchEnd::kGaveUp && result.work + search.work() < work_limit; ++run) {
      end = search.Try(capacity_bytes, run, run, work_limit - result.work);
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
  result.lower_bound_bytes = ComputeLowerBound(problem).bytes;
  if (result.bytes <= result.lower_bound_bytes) return result;

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
      const int64_t bound = ComputeLowerBound(GroupProblem(problem, groups[g])).bytes;
      // What is below the bound of all is of no use.
      ladder.emplace(groups[g], bytes[g], std::max(bound, result.lower_bound_bytes));
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
