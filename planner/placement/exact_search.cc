#include "planner/placement/exact_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "planner/placement/lower_bound.h"
#include "planner/placement/pieces.h"
#include "planner/placement/preference_order.h"
#include "planner/placement/section_problem.h"

namespace bufplan {
namespace {

// Beyond this a single run takes most of the time that the methods for many storages need.
constexpr size_t kMostStorages = 8'000;
// Of the work limit, for what is live at the peak, and how many may be.
constexpr int64_t kPartForPeak = 8;
constexpr size_t kMostAtPeak = 24;

// Writes the offsets of a group's bars; returns the last end.
int64_t CopyOffsets(const SectionProblem& group, absl::Span<const int64_t> offset, std::vector<int64_t>& offset_bytes) {
  int64_t bytes = 0;
  for (size_t i = 0; i < group.num_bars(); ++i) {
    const int64_t at = offset[i] * group.granule_bytes;
    offset_bytes[static_cast<size_t>(group.storage[i])] = at;
    bytes = std::max(bytes, at + group.size[i] * group.granule_bytes - group.unused_bytes[i]);
  }
  return bytes;
}

SearchLimits LeftOf(const SearchLimits& limits, int64_t work) {
  SearchLimits left = limits;
  left.work -= work;
  return left;
}

// A number for each run of each lane. PreferenceOrder() has six kinds in turn: each lane is to see all. OrderNear() has
// five sizes of noise: each lane is to keep its own. The very first run takes the largest areas first.
int64_t AttemptOf(const SearchLimits& limits, int64_t run, size_t lane) {
  return limits.first_attempt + 2 + 5 * run + static_cast<int64_t>(lane);
}
static_assert(SearchLanes::kLanes <= 5);

SearchLimits ForPeak(const SearchLimits& limits) {
  SearchLimits part = limits;
  part.work /= kPartForPeak;
  return part;
}

// The ladder of one group: from the best placement down to the bound.
//
// Where the bound can be met, a search for just that is often the shortest: the fuller a section, the fewer its
// choices. So the first lane always aims there, in the first rounds all but one. That one halves what is between the
// best and what was tried in vain; what was tried so is tried again, for longer, when halving has come to an end. Later
// the others help with both, or aim just below the best.
class Ladder {
 public:
  // `offset_bytes` by storage of the whole problem.
  Ladder(const SectionProblem& problem, absl::Span<const int64_t> offset_bytes, int64_t bytes, int64_t bound_bytes)
      : problem_(problem),
        lanes_(problem),
        bytes_(bytes),
        bound_bytes_(bound_bytes),
        failed_bytes_(bound_bytes),
        near_(problem.num_bars()),
        first_rounds_(std::clamp<int64_t>(kFirstWork / lanes_.shortest_run(), 1, kMostFirstRounds)),
        most_half_tries_(first_rounds_) {
    Remember(offset_bytes);
  }

  bool done() const { return bytes_ <= bound_bytes_; }
  int64_t bytes() const { return bytes_; }
  int64_t bound_bytes() const { return bound_bytes_; }
  int64_t work() const { return lanes_.work(); }

  void RunRound(const SearchLimits& limits, std::vector<int64_t>& offset_bytes) {
    const int64_t round = round_++;
    std::array<bool, SearchLanes::kLanes> near;
    std::array<int64_t, SearchLanes::kLanes> attempt;
    for (size_t lane = 0; lane < SearchLanes::kLanes; ++lane) {
      // The first runs at the bound owe nothing to the best.
      near[lane] = AimOf(lane, round) == kBound ? round >= first_rounds_ && round % 2 == 1 : round % 2 == 0;
      attempt[lane] = AttemptOf(limits, near[lane] ? round : plain_runs_[lane]++, lane);
    }
    const auto run_of = [&](size_t lane) -> SearchLanes::Run {
      const int64_t capacity = Capacity(AimOf(lane, round));
      const bool weighed = lane > 0;
      if (near[lane]) return {capacity, OrderNear(near_, capacity / problem_.granule_bytes, attempt[lane]), weighed};
      return {capacity, PreferenceOrder(problem_, attempt[lane]), weighed};
    };
    const SearchLanes::Answer answer = lanes_.RunRound(run_of, RunLength(run_++), limits);
    const Aim aim = AimOf(answer.lane, round);
    switch (answer.end) {
      case SearchEnd::kFound:
        bytes_ = CopyOffsets(problem_, lanes_.offset(answer.lane), offset_bytes);
        Remember(offset_bytes);
        if (aim == kHalf) half_tries_ = 0;
        run_ = 0;
        step_bytes_ = 0;
        return;
      case SearchEnd::kNone:
        bound_bytes_ = Capacity(aim) + 1;
        failed_bytes_ = std::max(failed_bytes_, bound_bytes_);
        step_bytes_ = std::min(std::max(2 * step_bytes_, problem_.granule_bytes), bytes_);
        return;
      case SearchEnd::kGaveUp: break;
    }
    step_bytes_ = 0;
    if (++half_tries_ < most_half_tries_) return;
    half_tries_ = 0;
    failed_bytes_ = Capacity(kHalf);
    if (bytes_ - failed_bytes_ >= bytes_ / kSmallestStep) return;
    failed_bytes_ = bound_bytes_;
    most_half_tries_ *= 2;
  }

 private:
  enum Aim : uint8_t { kBound, kHalf, kJustBelow, kQuarter };
  // The first rounds: so many, or so many steps in each lane. As many rounds without success, and a capacity counts as
  // tried in vain, at first.
  static constexpr int64_t kMostFirstRounds = 12, kFirstWork = 12'000'000;
  // The smallest step of halving, as a part.
  static constexpr int64_t kSmallestStep = 500;

  Aim AimOf(size_t lane, int64_t round) const {
    const bool even = round % 2 == 0;
    if (lane == 1) return kHalf;
    if (round < first_rounds_) return kBound;
    if (lane == 2) return even ? kHalf : kBound;
    if (lane == 3) return even ? kJustBelow : kQuarter;
    return kBound;
  }

  int64_t Capacity(Aim aim) const {
    switch (aim) {
      case kBound: return std::min(bound_bytes_ + step_bytes_, bytes_ - 1);
      case kHalf: return failed_bytes_ + (bytes_ - failed_bytes_) / 2;
      case kJustBelow: return bytes_ - 1;
      case kQuarter: break;
    }
    return bytes_ - std::max<int64_t>((bytes_ - bound_bytes_) / 4, 1);
  }

  void Remember(absl::Span<const int64_t> offset_bytes) {
    for (size_t i = 0; i < near_.size(); ++i) {
      near_[i] = offset_bytes[static_cast<size_t>(problem_.storage[i])] / problem_.granule_bytes;
    }
  }

  const SectionProblem& problem_;
  SearchLanes lanes_;
  int64_t bytes_, bound_bytes_;
  // What is tried above the bound: twice as much after each proof, so that a bound far too low is soon left behind.
  int64_t step_bytes_ = 0;
  int64_t failed_bytes_;       // up to there halving was in vain, or is proven to be
  std::vector<int64_t> near_;  // the best, in granules, by bar
  int64_t round_ = 0;
  std::array<int64_t, SearchLanes::kLanes> plain_runs_ = {};  // in an order that owes nothing to the best
  int64_t run_ = 0;                                           // since the last success
  const int64_t first_rounds_;
  int64_t half_tries_ = 0, most_half_tries_;
};

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

bool CanSearchExactly(const PlacementProblem& problem) {
  return problem.storages.size() <= kMostStorages && HasSections(problem);
}

ExactPlacement FindPlacement(const PlacementProblem& problem, int64_t capacity_bytes, const SearchLimits& limits) {
  ExactPlacement result;
  const LowerBound bound = ComputeLowerBound(problem);
  result.lower_bound_bytes = bound.bytes;
  if (result.lower_bound_bytes > capacity_bytes) return result;
  if (const std::vector<int32_t> peak = PeakToSearch(problem, bound.peak_time); !peak.empty()) {
    const ExactPlacement found = FindPlacement(PartOf(problem, peak), capacity_bytes, ForPeak(limits));
    result.work = found.work;
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, found.lower_bound_bytes);
    if (result.lower_bound_bytes > capacity_bytes) return result;
  }
  std::vector<int64_t> offset_bytes(problem.storages.size(), 0);
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    offset_bytes[s] = problem.storages[s].pinned_offset_bytes.value_or(0);
  }
  for (const SectionProblem& group : MakeSectionProblems(problem)) {
    SearchLanes lanes(group);
    SearchLanes::Answer answer;
    for (int64_t round = 0; answer.end == SearchEnd::kGaveUp; ++round) {
      const SearchLimits left = LeftOf(limits, result.work + lanes.work());
      if (left.work <= 0 || left.deadline.Passed()) break;
      const auto run_of = [&](size_t lane) -> SearchLanes::Run {
        const int64_t attempt = AttemptOf(limits, round, lane);
        return {capacity_bytes, PreferenceOrder(group, attempt), /*weighed=*/lane > 0};
      };
      answer = lanes.RunRound(run_of, RunLength(round), left);
    }
    result.work += lanes.work();
    if (answer.end == SearchEnd::kNone) result.lower_bound_bytes = capacity_bytes + 1;
    if (answer.end != SearchEnd::kFound) return result;
    CopyOffsets(group, lanes.offset(answer.lane), offset_bytes);
  }
  result.offset_bytes = std::move(offset_bytes);
  result.bytes = LastEnd(problem, result.offset_bytes);
  return result;
}

ExactPlacement MinimizePlacement(const PlacementProblem& problem, absl::Span<const int64_t> placed_offset_bytes,
                                 const SearchLimits& limits) {
  ExactPlacement result;
  result.offset_bytes.assign(placed_offset_bytes.begin(), placed_offset_bytes.end());
  result.bytes = LastEnd(problem, result.offset_bytes);
  const LowerBound bound = ComputeLowerBound(problem);
  result.lower_bound_bytes = bound.bytes;
  if (result.bytes <= result.lower_bound_bytes) return result;
  if (const std::vector<int32_t> peak = PeakToSearch(problem, bound.peak_time); !peak.empty()) {
    std::vector<int64_t> peak_offset_bytes;
    for (int32_t s : peak) peak_offset_bytes.push_back(placed_offset_bytes[static_cast<size_t>(s)]);
    const ExactPlacement least = MinimizePlacement(PartOf(problem, peak), peak_offset_bytes, ForPeak(limits));
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
  while (result.work < limits.work && !groups.empty() && !limits.deadline.Passed()) {
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
    ladder->RunRound(LeftOf(limits, result.work), result.offset_bytes);
    result.work += ladder->work() - before;
    bytes[g] = ladder->bytes();
  }
  result.bytes = LastEnd(problem, result.offset_bytes);
  result.lower_bound_bytes = std::min(result.lower_bound_bytes, result.bytes);
  return result;
}

}  // namespace bufplan
