#include "planner/placement/infeasible_subset.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "planner/placement/antichain.h"
#include "planner/placement/conflict_lists.h"
#include "planner/placement/exact_search.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/pieces.h"
#include "planner/placement/section_problem.h"

namespace bufplan {
namespace {

// More storages than that, live at once, are not tested one by one.
constexpr size_t kMostTested = 200;
// Steps of one search: several times what the last proof took, and no fewer than this.
constexpr int64_t kLeastSearch = 500'000, kTimesLastProof = 4;
// What a search costs beside its steps.
constexpr int64_t kCallWork = 50'000;
// Steps of a search for an antichain, or for a placement by the portfolio.
constexpr int64_t kAntichainWork = 1'000'000, kPlacementWork = 200'000;
// Of the work limit, for what is live at the peak.
constexpr int64_t kPartForPeak = 8;
// Parts down to one 16th of all are taken away by time.
constexpr size_t kTimeParts = 16;

enum class Answer : uint8_t { kFits, kDoesNotFit, kUnknown };

class SubsetSearch {
 public:
  SubsetSearch(const PlacementProblem& problem, int64_t capacity_bytes, const SearchLimits& limits)
      : problem_(problem), capacity_bytes_(capacity_bytes), limits_(limits) {}

  InfeasibleSubset Run() {
    InfeasibleSubset subset = FindByBound();
    if (subset.storages.empty()) subset = FindBySearch();
    if (subset.storages.empty()) subset = {};
    subset.work = work_;
    return subset;
  }

 private:
  bool out_of_work() const { return work_ >= limits_.work || limits_.deadline.Passed(); }

  // A bound of some storages.
  int64_t BoundOf(const PlacementProblem& part) {
    int64_t bytes = ComputeLowerBound(part).bytes;
    if (part.order.has_value()) {
      const Antichain heaviest = HeaviestAntichain(part, kAntichainWork);
      work_ += heaviest.work;
      bytes = std::max(bytes, heaviest.bytes);
    }
    return bytes;
  }
  bool Exceeds(absl::Span<const int32_t> storages) { return BoundOf(PartOf(problem_, storages)) > capacity_bytes_; }

  // Whether some storages fit, by a search of its usual length.
  Answer Ask(absl::Span<const int32_t> storages) {
    return Ask(storages, std::max(kLeastSearch, kTimesLastProof * last_proof_));
  }
  Answer Ask(absl::Span<const int32_t> storages, int64_t most_work) {
    if (out_of_work()) return Answer::kUnknown;
    PlacementProblem part = PartOf(problem_, storages);
    if (CanSearchExactly(part)) {
      const ExactPlacement found = FindPlacement(
          part, capacity_bytes_, {std::min(limits_.work - work_, most_work), limits_.threads, limits_.deadline});
      work_ += found.work + kCallWork;
      if (!found.offset_bytes.empty() || storages.empty()) return Answer::kFits;
      if (found.lower_bound_bytes <= capacity_bytes_) return Answer::kUnknown;
      last_proof_ = found.work;
      return Answer::kDoesNotFit;
    }
    part.capacity_bytes = capacity_bytes_;
    const absl::StatusOr<Placement> placement = Place(part, {PlacementEffort::kDefault, kPlacementWork});
    work_ += kPlacementWork;
    if (placement.ok()) return Answer::kFits;
    return absl::IsResourceExhausted(placement.status()) ? Answer::kDoesNotFit : Answer::kUnknown;
  }

  InfeasibleSubset FindByBound() {
    InfeasibleSubset subset;
    for (size_t s = 0; s < problem_.storages.size(); ++s) {
      const StorageSpec& storage = problem_.storages[s];
      if (storage.pinned_offset_bytes.value_or(0) + storage.size_bytes <= capacity_bytes_) continue;
      // The largest says most.
      if (!subset.storages.empty() &&
          storage.size_bytes <= problem_.storages[static_cast<size_t>(subset.storages[0])].size_bytes) {
        continue;
      }
      subset = {{static_cast<int32_t>(s)}, capacity_bytes_ >= 0, InfeasibilityProof::kEnd};
    }
    if (!subset.storages.empty()) return subset;
    for (const DisjointStorages& pair : problem_.disjoint) {
      if ((pair.a_high - pair.a_low) + (pair.b_high - pair.b_low) <= capacity_bytes_) continue;
      return {{std::min(pair.a, pair.b), std::max(pair.a, pair.b)}, true, InfeasibilityProof::kDisjoint};
    }
    const LowerBound bound = ComputeLowerBound(problem_);
    if (bound.bytes > capacity_bytes_) {
      subset.storages = LiveAt(bound.peak_time);
      subset.proof = InfeasibilityProof::kLoad;
    } else if (problem_.order.has_value()) {
      const Antichain heaviest = HeaviestAntichain(problem_, kAntichainWork);
      work_ += heaviest.work;
      if (heaviest.bytes <= capacity_bytes_) return subset;
      const std::vector<int32_t> owners = OwnersOfPieces(problem_);
      for (int32_t p : heaviest.pieces) subset.storages.push_back(owners[static_cast<size_t>(p)]);
      subset.storages.erase(std::unique(subset.storages.begin(), subset.storages.end()), subset.storages.end());
      subset.proof = InfeasibilityProof::kAntichain;
    } else {
      return subset;
    }
    KeepLargest(subset.storages);
    subset.minimal = !subset.storages.empty() && DropByBound(subset.storages);
    return subset;
  }

  std::vector<int32_t> LiveAt(int64_t time) const {
    std::vector<int32_t> live;
    for (size_t s = 0; s < problem_.storages.size(); ++s) {
      const absl::Span<const Piece> pieces = problem_.PiecesOf(s);
      if (std::any_of(pieces.begin(), pieces.end(),
                      [time](const Piece& piece) { return piece.begin <= time && time < piece.end; })) {
        live.push_back(static_cast<int32_t>(s));
      }
    }
    return live;
  }

  // As many of the largest as it takes to exceed the capacity; none if all of them do not.
  void KeepLargest(std::vector<int32_t>& storages) {
    std::stable_sort(storages.begin(), storages.end(), [this](int32_t a, int32_t b) {
      return problem_.storages[static_cast<size_t>(a)].size_bytes >
             problem_.storages[static_cast<size_t>(b)].size_bytes;
    });
    const auto exceeds = [&](size_t count) {
      std::vector<int32_t> first(storages.begin(), storages.begin() + static_cast<std::ptrdiff_t>(count));
      std::sort(first.begin(), first.end());
      return Exceeds(first);
    };
    // Where all of them are live whole, so many do, perhaps fewer. Bounds grow with the set.
    size_t fits = 0, count = 0;
    for (int64_t bytes = 0; count < storages.size() && bytes <= capacity_bytes_; ++count) {
      bytes += problem_.storages[static_cast<size_t>(storages[count])].size_bytes;
    }
    if (!exceeds(count)) {
      fits = count;
      count = storages.size();
      if (fits == count || !exceeds(count)) {
        storages.clear();
        return;
      }
    }
    while (fits + 1 < count) {
      const size_t middle = fits + (count - fits) / 2;
      (exceeds(middle) ? count : fits) = middle;
    }
    storages.resize(count);
    std::sort(storages.begin(), storages.end());
  }

  // Those without which the bound still exceeds the capacity go. True if it is shown that the rest are needed.
  bool DropByBound(std::vector<int32_t>& storages) {
    if (storages.size() > kMostTested) return false;
    bool minimal = true;
    for (size_t i = storages.size(); i-- > 0;) {
      std::vector<int32_t> rest = storages;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (out_of_work()) return false;
      const Answer answer = Exceeds(rest) ? Answer::kDoesNotFit : Ask(rest);
      if (answer == Answer::kDoesNotFit) storages = std::move(rest);
      minimal = minimal && answer != Answer::kUnknown;
    }
    return minimal;
  }

  InfeasibleSubset FindBySearch() {
    InfeasibleSubset subset;
    if (!CanSearchExactly(problem_)) return subset;
    // What is live at the peak is soon searched; where that alone does not fit, the rest need not be looked at.
    const std::vector<int32_t> live = LiveAt(ComputeLowerBound(problem_).peak_time);
    if (Ask(live, limits_.work / kPartForPeak) == Answer::kDoesNotFit) {
      subset.storages = live;
    } else {
      for (const SectionProblem& group : MakeSectionProblems(problem_)) {
        if (Ask(group.storage, limits_.work) != Answer::kDoesNotFit) continue;
        subset.storages = group.storage;
        Thin(FarFirst(subset.storages), std::max<size_t>(subset.storages.size() / kTimeParts, 2), subset.storages);
        break;
      }
    }
    if (subset.storages.empty()) return subset;
    subset.proof = InfeasibilityProof::kSearch;
    subset.minimal = Thin(SmallFirst(subset.storages), 1, subset.storages);
    return subset;
  }

  const Piece& PieceOf(int32_t s) const { return problem_.PiecesOf(static_cast<size_t>(s))[0]; }

  // By how far in time they are from the peak.
  std::vector<int32_t> FarFirst(const std::vector<int32_t>& storages) const {
    const int64_t peak = ComputeLowerBound(PartOf(problem_, storages)).peak_time;
    const auto distance = [&](int32_t s) {
      const Piece& piece = PieceOf(s);
      if (piece.begin > peak) return static_cast<uint64_t>(piece.begin) - static_cast<uint64_t>(peak);
      return piece.end <= peak ? static_cast<uint64_t>(peak) - static_cast<uint64_t>(piece.end) + 1 : uint64_t{0};
    };
    std::vector<int32_t> order = storages;
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return distance(a) > distance(b); });
    return order;
  }

  // By bytes x time.
  std::vector<int32_t> SmallFirst(const std::vector<int32_t>& storages) const {
    const auto area = [this](int32_t s) {
      const Piece& piece = PieceOf(s);
      return (static_cast<double>(piece.end) - static_cast<double>(piece.begin)) *
             static_cast<double>(piece.high - piece.low);
    };
    std::vector<int32_t> order = storages;
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return area(a) < area(b); });
    return order;
  }

  // Takes parts of the order away, by halves down to `smallest` at once, as long as the rest does not fit. True if all
  // answers to the last parts were known.
  bool Thin(std::vector<int32_t> order, size_t smallest, std::vector<int32_t>& storages) {
    bool known = true;
    for (size_t size = std::max<size_t>(order.size() / 2, 1);; size = std::max<size_t>(size / 2, 1)) {
      known = true;
      for (size_t first = 0; first < order.size();) {
        const size_t end = std::min(first + size, order.size());
        std::vector<int32_t> without = order;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(first),
                      without.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<int32_t> rest = without;
        std::sort(rest.begin(), rest.end());
        const Answer answer = Ask(rest);
        known = known && answer != Answer::kUnknown;
        if (answer == Answer::kDoesNotFit) {
          order = std::move(without);
          storages = std::move(rest);
        } else {
          first = end;
        }
      }
      if (size <= smallest || out_of_work()) return known && size == 1;
    }
  }

  const PlacementProblem& problem_;
  const int64_t capacity_bytes_;
  const SearchLimits limits_;
  int64_t work_ = 0, last_proof_ = 0;
};

}  // namespace

InfeasibleSubset FindInfeasibleSubset(const PlacementProblem& problem, int64_t capacity_bytes,
                                      const SearchLimits& limits) {
  return SubsetSearch(problem, capacity_bytes, limits).Run();
}

}  // namespace bufplan
