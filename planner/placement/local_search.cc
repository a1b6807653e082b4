#include "planner/placement/local_search.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace bufplan {
namespace {

// Marsaglia's xorshift.
class Random {
 public:
  size_t Below(size_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<size_t>(state_ % n);
  }

 private:
  uint64_t state_ = 0x2545F4914F6CDD1D;
};

class Climb {
 public:
  Climb(const PlacementProblem& problem, const StorageTraits& traits, const OrderedPlacement& start)
      : problem_(problem), traits_(traits), current_(start) {}

  // Changes the order a little; false if there is nothing to change.
  bool Vary() {
    if (!tops_known_) FindTops();
    const std::optional<size_t> top = Pick(tops_);
    if (!top.has_value()) return false;
    if (earlier_than_ != *top) FindEarlier(*top, earlier_);
    earlier_than_ = *top;
    const std::optional<size_t> other = Pick(earlier_);
    if (!other.has_value()) return false;
    change_ = {*top, *other, false};
    switch (random_.Below(4)) {
      case 0:
      case 1: change_.moves = true; break;
      case 2: break;
      default:
        FindEarlier(*other, earlier_still_);
        if (const std::optional<size_t> third = Pick(earlier_still_); third.has_value()) {
          change_ = {*other, *third, false};
        }
    }
    Apply();
    return true;
  }

  // First fit of the varied order, kept if no worse. True if it is better.
  bool Try(FirstFit& first_fit, int64_t work_end) {
    const std::optional<int64_t> bytes = first_fit.Run(current_.order, current_.bytes + 1, work_end, line_offset_);
    if (!bytes.has_value()) {
      Undo();
      return false;
    }
    const bool better = *bytes < current_.bytes;
    current_.bytes = *bytes;
    current_.line_offset.swap(line_offset_);
    tops_known_ = false;
    earlier_than_ = kNoPlace;
    return better;
  }

  const OrderedPlacement& current() const { return current_; }
  // Places of the order looked at or moved so far.
  int64_t visited() const { return visited_; }

 private:
  static constexpr size_t kNoPlace = SIZE_MAX;

  // What is at `from` moves before what is at `to`, or they change places; to < from.
  struct Change {
    size_t from = 0, to = 0;
    bool moves = false;
  };

  bool IsPinned(size_t s) const { return problem_.storages[s].pinned_offset_bytes.has_value(); }

  // The places of the storages that end highest.
  void FindTops() {
    int64_t highest = -1;
    tops_.clear();
    for (size_t i = 0; i < current_.order.size(); ++i) {
      const size_t s = static_cast<size_t>(current_.order[i]);
      if (IsPinned(s)) continue;
      const int64_t end = current_.line_offset[s] + problem_.storages[s].size_bytes;
      if (end < highest) continue;
      if (end > highest) tops_.clear();
      highest = end;
      tops_.push_back(i);
    }
    visited_ += static_cast<int64_t>(current_.order.size());
    tops_known_ = true;
  }

  // Whether some of the two is alive at once, as far as is cheap to tell.
  bool MayMeet(size_t a, size_t b) const {
    if (!problem_.order.has_value()) return traits_.begin[a] < traits_.end[b] && traits_.begin[b] < traits_.end[a];
    const StorageSpec& of_a = problem_.storages[a];
    const StorageSpec& of_b = problem_.storages[b];
    if (of_a.num_pieces != 1 || of_b.num_pieces != 1) return of_a.num_pieces > 0 && of_b.num_pieces > 0;
    return problem_.Meet(of_a.first_piece, of_b.first_piece);
  }

  // The places of earlier storages of which the lives meet that of the one at `place`.
  void FindEarlier(size_t place, std::vector<size_t>& earlier) {
    const size_t s = static_cast<size_t>(current_.order[place]);
    earlier.clear();
    for (size_t i = 0; i < place; ++i) {
      const size_t other = static_cast<size_t>(current_.order[i]);
      if (MayMeet(other, s) && !IsPinned(other)) earlier.push_back(i);
    }
    visited_ += static_cast<int64_t>(place);
  }

  std::optional<size_t> Pick(const std::vector<size_t>& choices) {
    if (choices.empty()) return std::nullopt;
    return choices[random_.Below(choices.size())];
  }

  void Apply() {
    if (!change_.moves) {
      std::swap(current_.order[change_.from], current_.order[change_.to]);
      return;
    }
    const auto begin = current_.order.begin();
    const auto from = begin + static_cast<std::ptrdiff_t>(change_.from);
    std::rotate(begin + static_cast<std::ptrdiff_t>(change_.to), from, from + 1);
    visited_ += static_cast<int64_t>(change_.from - change_.to);
  }

  void Undo() {
    if (!change_.moves) {
      std::swap(current_.order[change_.from], current_.order[change_.to]);
      return;
    }
    const auto begin = current_.order.begin();
    const auto to = begin + static_cast<std::ptrdiff_t>(change_.to);
    std::rotate(to, to + 1, begin + static_cast<std::ptrdiff_t>(change_.from) + 1);
    visited_ += static_cast<int64_t>(change_.from - change_.to);
  }

  const PlacementProblem& problem_;
  const StorageTraits& traits_;
  OrderedPlacement current_;  // the order is the varied one between Vary() and Try()
  Change change_;
  std::vector<int64_t> line_offset_;
  std::vector<size_t> tops_;           // of current_
  std::vector<size_t> earlier_;        // than the place earlier_than_
  std::vector<size_t> earlier_still_;  // than one of those
  size_t earlier_than_ = kNoPlace;
  bool tops_known_ = false;
  int64_t visited_ = 0;
  Random random_;
};

}  // namespace

int64_t ImproveOrder(const PlacementProblem& problem, const StorageTraits& traits, int64_t target_bytes,
                     int64_t work_end, FirstFit& first_fit, OrderedPlacement& best) {
  // A start from which so many different tops in a row cannot be moved is given up.
  constexpr int kMaxDeadEnds = 16;
  // First fit may give up after a few storages, so the steps it takes do not bound what it costs to vary a long order.
  constexpr int64_t kVisitsPerStep = 4;
  const int64_t steps = std::max<int64_t>(work_end - first_fit.work(), 0);
  const int64_t max_visits = steps > INT64_MAX / kVisitsPerStep ? INT64_MAX : steps * kVisitsPerStep;
  Climb climb(problem, traits, best);
  int dead_ends = 0;
  while (best.bytes > target_bytes && first_fit.work() < work_end && climb.visited() <= max_visits &&
         dead_ends < kMaxDeadEnds && !first_fit.TooLate()) {
    if (!climb.Vary()) {
      ++dead_ends;
      continue;
    }
    dead_ends = 0;
    if (climb.Try(first_fit, work_end)) best = climb.current();
  }
  return climb.visited();
}

}  // namespace bufplan
