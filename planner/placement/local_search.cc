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
    candidate_ = current_.order;
    const std::optional<size_t> top = PickTop();
    if (!top.has_value()) return false;
    const std::optional<size_t> other = PickEarlier(*top);
    if (!other.has_value()) return false;
    switch (random_.Below(4)) {
      case 0:
      case 1: Move(*top, *other); break;
      case 2: std::swap(candidate_[*top], candidate_[*other]); break;
      default:
        if (const std::optional<size_t> third = PickEarlier(*other); third.has_value()) {
          std::swap(candidate_[*other], candidate_[*third]);
        } else {
          std::swap(candidate_[*top], candidate_[*other]);
        }
    }
    return true;
  }

  // First fit of the varied order, kept if no worse. True if it is better.
  bool Try(FirstFit& first_fit, int64_t work_end) {
    const std::optional<int64_t> bytes = first_fit.Run(candidate_, current_.bytes + 1, work_end, line_offset_);
    if (!bytes.has_value()) return false;
    const bool better = *bytes < current_.bytes;
    current_.bytes = *bytes;
    current_.order.swap(candidate_);
    current_.line_offset.swap(line_offset_);
    return better;
  }

  const OrderedPlacement& current() const { return current_; }

 private:
  bool IsPinned(size_t s) const { return problem_.storages[s].pinned_offset_bytes.has_value(); }

  // The place of a storage that ends highest.
  std::optional<size_t> PickTop() {
    int64_t highest = -1;
    choices_.clear();
    for (size_t i = 0; i < candidate_.size(); ++i) {
      const size_t s = static_cast<size_t>(candidate_[i]);
      if (IsPinned(s)) continue;
      const int64_t end = current_.line_offset[s] + problem_.storages[s].size_bytes;
      if (end < highest) continue;
      if (end > highest) choices_.clear();
      highest = end;
      choices_.push_back(i);
    }
    return Pick();
  }

  // The place of an earlier storage of which the life meets that of the one at `place`.
  std::optional<size_t> PickEarlier(size_t place) {
    const size_t s = static_cast<size_t>(candidate_[place]);
    choices_.clear();
    for (size_t i = 0; i < place; ++i) {
      const size_t other = static_cast<size_t>(candidate_[i]);
      if (traits_.begin[other] < traits_.end[s] && traits_.begin[s] < traits_.end[other] && !IsPinned(other)) {
        choices_.push_back(i);
      }
    }
    return Pick();
  }

  std::optional<size_t> Pick() {
    if (choices_.empty()) return std::nullopt;
    return choices_[random_.Below(choices_.size())];
  }

  void Move(size_t from, size_t to) {
    const auto begin = candidate_.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(to), begin + static_cast<std::ptrdiff_t>(from),
                begin + static_cast<std::ptrdiff_t>(from) + 1);
  }

  const PlacementProblem& problem_;
  const StorageTraits& traits_;
  OrderedPlacement current_;
  std::vector<int32_t> candidate_;
  std::vector<int64_t> line_offset_;
  std::vector<size_t> choices_;
  Random random_;
};

}  // namespace

void ImproveOrder(const PlacementProblem& problem, const StorageTraits& traits, int64_t target_bytes, int64_t work_end,
                  FirstFit& first_fit, OrderedPlacement& best) {
  // A start from which so many different tops in a row cannot be moved is given up.
  constexpr int kMaxDeadEnds = 16;
  Climb climb(problem, traits, best);
  int dead_ends = 0;
  while (best.bytes > target_bytes && first_fit.work() < work_end && dead_ends < kMaxDeadEnds) {
    if (!climb.Vary()) {
      ++dead_ends;
      continue;
    }
    dead_ends = 0;
    if (climb.Try(first_fit, work_end)) best = climb.current();
  }
}

}  // namespace bufplan
