#include "planner/placement/conflict_search.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "planner/placement/difference_problem.h"
#include "planner/placement/difference_search.h"
#include "planner/placement/pieces.h"
#include "planner/placement/preference_order.h"

namespace bufplan {
namespace {

constexpr size_t kMostStorages = 500;
constexpr int64_t kMostPairs = 200'000;
// By turns.
constexpr Branching kBranchings[] = {Branching::kLowestItem, Branching::kTightestPair};
// Entries of the table of refuted states, for each storage, and in all.
constexpr int64_t kEntriesPerItem = 1'024;
constexpr int64_t kMinEntries = int64_t{1} << 10, kMaxEntries = int64_t{1} << 20;
// The shortest run, in steps: by branching, so many times the arcs, about what it takes to place all without a wrong
// turn; but not less than small problems need to be searched through.
constexpr int64_t kStepsPerArc[] = {20, 200};
constexpr int64_t kShortestRun = 20'000;

// One group of storages, with a search of its own.
class GroupSearch {
 public:
  explicit GroupSearch(const DifferenceProblem& problem)
      : problem_(problem),
        search_(problem, static_cast<size_t>(std::clamp(kEntriesPerItem * static_cast<int64_t>(problem.num_items()),
                                                        kMinEntries, kMaxEntries))) {
    for (size_t i = 0; i < problem.num_items(); ++i) {
      sizes_.push_back(std::max<int64_t>(problem.size_bytes[i], 1));
      lengths_.push_back(1 + static_cast<int64_t>(problem.ArcsOf(i).size()));
    }
  }

  // Preferences, another one for each attempt.
  std::vector<int32_t> Order(int64_t attempt) const { return PreferenceOrder(sizes_, lengths_, attempt); }

  // Run number `run` at a capacity, at most up to `work_end` in work().
  SearchEnd Try(int64_t capacity_bytes, size_t branching, int64_t run, absl::Span<const int32_t> by_rank,
                int64_t work_end, Deadline deadline) {
    const int64_t shortest =
        std::max(kShortestRun, kStepsPerArc[branching] * static_cast<int64_t>(problem_.arcs.size()));
    const int64_t length = shortest * RunLength(run);
    return search_.Run(capacity_bytes, kBranchings[branching], by_rank,
                       work_end - work() < length ? work_end : work() + length, deadline);
  }

  // After kFound.
  int64_t Copy(std::vector<int64_t>& offset_bytes) const {
    int64_t bytes = 0;
    for (size_t i = 0; i < problem_.num_items(); ++i) {
      const int64_t offset = search_.offset()[i] * problem_.unit_bytes;
      offset_bytes[static_cast<size_t>(problem_.storage[i])] = offset;
      bytes = std::max(bytes, offset + problem_.size_bytes[i]);
    }
    return bytes;
  }

  int64_t work() const { return search_.work(); }

 private:
  const DifferenceProblem& problem_;
  DifferenceSearch search_;
  std::vector<int64_t> sizes_, lengths_;
};

// Puts the easy items back in, around the others.
void PlaceEasy(const DifferenceProblem& problem, const std::vector<int32_t>& easy, std::vector<int64_t>& offset_bytes) {
  std::vector<int64_t> offset;
  for (int64_t bytes : offset_bytes) offset.push_back(bytes / problem.unit_bytes);
  for (int32_t item : easy) offset[static_cast<size_t>(item)] = -1;
  for (size_t k = easy.size(); k-- > 0;) {
    const size_t i = static_cast<size_t>(easy[k]);
    offset[i] = problem.LowestFree(i, offset);
    offset_bytes[i] = offset[i] * problem.unit_bytes;
  }
}

// The ladder of one group: from the best placement down to the bound. Proofs are made just below the best, so that is
// tried most; the bound and what lies between for the sake of good placements.
class Ladder {
 public:
  // `offset_bytes` by storage of the whole problem.
  Ladder(const DifferenceProblem& problem, absl::Span<const int64_t> offset_bytes, int64_t bytes, int64_t bound_bytes)
      : problem_(problem), search_(problem), bytes_(bytes), bound_bytes_(bound_bytes), near_(problem.num_items()) {
    Remember(offset_bytes);
  }

  bool done() const { return bytes_ <= bound_bytes_; }
  int64_t bytes() const { return bytes_; }
  int64_t bound_bytes() const { return bound_bytes_; }
  int64_t work() const { return search_.work(); }

  void Try(int64_t work_end, Deadline deadline, std::vector<int64_t>& offset_bytes) {
    const int64_t turn = turn_++;
    const Aim aim = kAims[turn / 2 % 4];
    const size_t branching = static_cast<size_t>(turn % 2);
    const int64_t capacity = Capacity(aim);
    int64_t& run = run_[aim][branching];
    const bool near = turn / 8 % 2 == 1;
    const std::vector<int32_t> by_rank =
        near ? OrderNear(near_, capacity / problem_.unit_bytes, turn) : search_.Order(plain_++);
    switch (search_.Try(capacity, branching, run++, by_rank, work_end, deadline)) {
      case SearchEnd::kFound:
        bytes_ = search_.Copy(offset_bytes);
        Remember(offset_bytes);
        for (const Aim other : {kJustBelow, kHalf}) run_[other][0] = run_[other][1] = 0;
        break;
      case SearchEnd::kNone:
        bound_bytes_ = std::min(problem_.NextTotal(capacity), bytes_);
        run_[kBound][0] = run_[kBound][1] = 0;
        break;
      case SearchEnd::kGaveUp: break;
    }
  }

 private:
  enum Aim : uint8_t { kBound, kJustBelow, kHalf };
  static constexpr Aim kAims[] = {kJustBelow, kHalf, kJustBelow, kBound};

  int64_t Capacity(Aim aim) const {
    if (aim == kBound) return bound_bytes_;
    return aim == kHalf ? bound_bytes_ + (bytes_ - bound_bytes_) / 2 : bytes_ - 1;
  }

  void Remember(absl::Span<const int64_t> offset_bytes) {
    for (size_t i = 0; i < near_.size(); ++i) {
      near_[i] = offset_bytes[static_cast<size_t>(problem_.storage[i])] / problem_.unit_bytes;
    }
  }

  const DifferenceProblem& problem_;
  GroupSearch search_;
  int64_t bytes_, bound_bytes_;
  std::vector<int64_t> near_;  // the best, in units, by item
  int64_t turn_ = 0, plain_ = 0;
  int64_t run_[3][2] = {};  // by aim and branching
};

}  // namespace

bool CanSearchConflicts(const PlacementProblem& problem) {
  return !problem.max_chunk_bytes.has_value() && problem.storages.size() <= kMostStorages;
}

ExactPlacement FindAmongConflicts(const PlacementProblem& problem, int64_t capacity_bytes, int64_t lower_bound_bytes,
                                  const SearchLimits& limits) {
  ExactPlacement result;
  result.lower_bound_bytes = lower_bound_bytes;
  if (lower_bound_bytes > capacity_bytes) return result;
  const std::optional<DifferenceProblem> whole = MakeDifferenceProblem(problem, kMostPairs);
  if (!whole.has_value()) {
    result.work = limits.work;  // more would not help
    return result;
  }
  const DifferenceParts parts = SplitDifferenceProblem(*whole, capacity_bytes);
  std::vector<int64_t> offset_bytes(problem.storages.size(), 0);
  for (const DifferenceProblem& group : parts.groups) {
    GroupSearch search(group);
    SearchEnd end = SearchEnd::kGaveUp;
    for (int64_t run = 0;
         end == SearchEnd::kGaveUp && result.work + search.work() < limits.work && !limits.deadline.Passed(); ++run) {
      end = search.Try(capacity_bytes, static_cast<size_t>(run % 2), run / 2, search.Order(run / 2),
                       limits.work - result.work, limits.deadline);
    }
    result.work += search.work();
    if (end == SearchEnd::kNone) result.lower_bound_bytes = capacity_bytes + 1;
    if (end != SearchEnd::kFound) return result;
    search.Copy(offset_bytes);
  }
  PlaceEasy(*whole, parts.easy, offset_bytes);
  result.offset_bytes = std::move(offset_bytes);
  result.bytes = LastEnd(problem, result.offset_bytes);
  return result;
}

ExactPlacement MinimizeAmongConflicts(const PlacementProblem& problem, absl::Span<const int64_t> placed_offset_bytes,
                                      int64_t lower_bound_bytes, const SearchLimits& limits) {
  ExactPlacement result;
  result.offset_bytes.assign(placed_offset_bytes.begin(), placed_offset_bytes.end());
  result.bytes = LastEnd(problem, result.offset_bytes);
  result.lower_bound_bytes = lower_bound_bytes;
  if (result.bytes <= lower_bound_bytes || limits.work <= 0) return result;
  const std::optional<DifferenceProblem> whole = MakeDifferenceProblem(problem, kMostPairs);
  if (!whole.has_value()) return result;
  const DifferenceParts parts = SplitDifferenceProblem(*whole, lower_bound_bytes);

  // What is easy fits below the bound; the highest group decides, and another one may be the highest after each run.
  std::vector<int64_t> bytes(parts.groups.size(), 0);
  for (size_t g = 0; g < parts.groups.size(); ++g) {
    for (int32_t s : parts.groups[g].storage) {
      const size_t storage = static_cast<size_t>(s);
      bytes[g] = std::max(bytes[g], result.offset_bytes[storage] + problem.storages[storage].size_bytes);
    }
  }
  std::vector<std::optional<Ladder>> ladders(parts.groups.size());
  while (result.work < limits.work && !bytes.empty() && !limits.deadline.Passed()) {
    const size_t g = static_cast<size_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
    std::optional<Ladder>& ladder = ladders[g];
    if (!ladder.has_value()) ladder.emplace(parts.groups[g], result.offset_bytes, bytes[g], lower_bound_bytes);
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, std::min(ladder->bound_bytes(), bytes[g]));
    if (ladder->done()) break;
    const int64_t before = ladder->work();
    ladder->Try(limits.work - result.work + before, limits.deadline, result.offset_bytes);
    result.work += ladder->work() - before;
    bytes[g] = ladder->bytes();
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, std::min(ladder->bound_bytes(), bytes[g]));
  }
  PlaceEasy(*whole, parts.easy, result.offset_bytes);
  result.bytes = LastEnd(problem, result.offset_bytes);
  result.lower_bound_bytes = std::min(result.lower_bound_bytes, result.bytes);
  return result;
}

}  // namespace bufplan
