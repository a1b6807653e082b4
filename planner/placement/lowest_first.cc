#include "planner/placement/lowest_first.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

// The top of what is placed, by time: a segment tree over the times at which pieces begin.
class Skyline {
 public:
  explicit Skyline(const PlacementProblem& problem) : pieces_(problem.pieces) {
    std::vector<int64_t> begins;
    begins.reserve(pieces_.size());
    for (const Piece& piece : pieces_) begins.push_back(piece.begin);
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    while (slots_ < begins.size()) slots_ *= 2;
    throughout_.assign(2 * slots_, 0);
    highest_.assign(2 * slots_, 0);
    const auto slot = [&](int64_t time) {
      return static_cast<int32_t>(std::lower_bound(begins.begin(), begins.end(), time) - begins.begin());
    };
    first_slot_.reserve(pieces_.size());
    end_slot_.reserve(pieces_.size());
    for (const Piece& piece : pieces_) {
      first_slot_.push_back(slot(piece.begin));
      end_slot_.push_back(slot(piece.end));
    }
  }

  int64_t Highest(size_t piece) const {
    const size_t first = slots_ + static_cast<size_t>(first_slot_[piece]);
    const size_t end = slots_ + static_cast<size_t>(end_slot_[piece]);
    int64_t top = 0;
    for (size_t left = first, right = end; left < right; left >>= 1, right >>= 1) {
      if (left & 1) top = std::max(top, highest_[left++]);
      if (right & 1) top = std::max(top, highest_[--right]);
    }
    // What covers a node above covers a part of the life at least.
    for (size_t node = first >> 1; node > 0; node >>= 1) top = std::max(top, throughout_[node]);
    for (size_t node = (end - 1) >> 1; node > 0; node >>= 1) top = std::max(top, throughout_[node]);
    return top;
  }

  void Raise(size_t piece, int64_t top) {
    const size_t first = slots_ + static_cast<size_t>(first_slot_[piece]);
    const size_t end = slots_ + static_cast<size_t>(end_slot_[piece]);
    const auto raise = [&](size_t node) {
      throughout_[node] = std::max(throughout_[node], top);
      highest_[node] = std::max(highest_[node], top);
    };
    for (size_t left = first, right = end; left < right; left >>= 1, right >>= 1) {
      if (left & 1) raise(left++);
      if (right & 1) raise(--right);
    }
    for (size_t node = first >> 1; node > 0; node >>= 1) highest_[node] = std::max(highest_[node], top);
    for (size_t node = (end - 1) >> 1; node > 0; node >>= 1) highest_[node] = std::max(highest_[node], top);
  }

 private:
  const std::vector<Piece>& pieces_;
  std::vector<int32_t> first_slot_, end_slot_;
  size_t slots_ = 1;
  std::vector<int64_t> throughout_, highest_;  // by node; see OccupancyTree for the same pair with ranges
};

// Where the storage would come to lie.
int64_t LowestOnSkyline(const PlacementProblem& problem, const Skyline& skyline, size_t s) {
  const StorageSpec& storage = problem.storages[s];
  int64_t lowest = 0;
  for (size_t p = storage.first_piece; p < storage.first_piece + storage.num_pieces; ++p) {
    lowest = std::max(lowest, skyline.Highest(p) - problem.pieces[p].low);
  }
  return AlignUp(lowest, storage.alignment_bytes);
}

}  // namespace

std::optional<LowestFirst> OrderLowestFirst(const PlacementProblem& problem, absl::Span<const int32_t> preference,
                                            int64_t max_work, Deadline deadline) {
  constexpr size_t kLookEvery = 4096;  // candidates between looks at the clock
  // A step of the tree costs about as much as so many of first fit's; more where the tree does not fit in the cache.
  const int64_t step_work = std::clamp<int64_t>(static_cast<int64_t>(problem.pieces.size()) / 1024, 8, 64);
  using Candidate = std::pair<int64_t, int32_t>;  // lowest place, rank in the preference
  std::vector<Candidate> start;
  start.reserve(preference.size());
  for (size_t rank = 0; rank < preference.size(); ++rank) start.emplace_back(0, static_cast<int32_t>(rank));
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<Candidate>> candidates(std::greater<Candidate>(),
                                                                                             std::move(start));
  LowestFirst result;
  result.order.reserve(preference.size());
  Skyline skyline(problem);
  for (size_t steps = 1; !candidates.empty(); ++steps) {
    if (steps % kLookEvery == 0 && deadline.Passed()) return std::nullopt;
    const auto [place, rank] = candidates.top();
    candidates.pop();
    const size_t s = static_cast<size_t>(preference[static_cast<size_t>(rank)]);
    const StorageSpec& storage = problem.storages[s];
    result.work += step_work * (1 + storage.num_pieces);
    if (result.work > max_work) return std::nullopt;
    const int64_t lowest = LowestOnSkyline(problem, skyline, s);
    if (lowest > place) {
      candidates.emplace(lowest, rank);
      continue;
    }
    result.order.push_back(static_cast<int32_t>(s));
    for (size_t p = storage.first_piece; p < storage.first_piece + storage.num_pieces; ++p) {
      skyline.Raise(p, lowest + problem.pieces[p].high);
    }
  }
  return result;
}

}  // namespace bufplan
