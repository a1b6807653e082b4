#include "planner/placement/large_scale.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "planner/placement/ejection.h"
#include "planner/placement/peak_first.h"
#include "planner/placement/slot_lives.h"
#include "planner/placement/sweep.h"
#include "planner/placement/time_buckets.h"

namespace bufplan {
namespace {

// Up to so many storages go by the one highest peak, more by the loads that they live through.
constexpr size_t kMostFromOnePeak = 65536;
constexpr int kPasses = 8;

// Storages that live through loads of at least so many hundredths of the target go first, and so on; those of a step by
// stretches of 2^10 slots.
constexpr int kLoadSteps[] = {97, 94, 90, 85, 80, 75, 70, 65, 60, 50, 40};
constexpr int kLogStretch = 10;

// Ejection is asked to take away half of what the top is above the target, then, where that fails, a fifth, then thirds
// until that fails. Where less than this part of the target is left it is asked for all of it.
constexpr int64_t kSmallPart = 2000;
// Steps for one such request; without a limit on all of them together, so many times more after one that failed.
constexpr int64_t kRequestWork = 20'000'000;
constexpr int64_t kNoLimit = INT64_MAX / 4;
constexpr int64_t kMoreSteps = 4;
// Storages of the first order that are placed between looks at the clock.
constexpr size_t kLookEvery = 2048;

class LargeScale {
 public:
  LargeScale(const SlotLives& lives, int64_t target_bytes, int64_t max_work, Deadline deadline, Deadline first_deadline,
             TimeBuckets& buckets)
      : lives_(lives),
        target_bytes_(target_bytes),
        max_work_(max_work),
        deadline_(deadline),
        first_deadline_(first_deadline),
        buckets_(buckets),
        offset_(lives.size(), 0) {}

  // Returns the highest end; absent if the time for the first order is over.
  std::optional<int64_t> Run() {
    const bool placed = lives_.size() <= kMostFromOnePeak ? PlaceFromPeak() : PlaceByLoad();
    if (!placed) return std::nullopt;
    if (Top() > target_bytes_ && !IsOver()) LowerTop();
    return Top();
  }

  const std::vector<int64_t>& offset_bytes() const { return offset_; }
  int64_t work() const { return buckets_.work() - first_work_; }

 private:
  bool IsOver() const { return work() >= max_work_ || deadline_.Passed(); }

  int64_t Top() const {
    int64_t top = 0;
    for (size_t rank = 0; rank < lives_.size(); ++rank) top = std::max(top, offset_[rank] + lives_.size_bytes[rank]);
    return top;
  }

  // One pass for each order, more for the best of them.
  bool PlaceFromPeak() {
    int64_t best_top = INT64_MAX;
    PeakOrder best_order = kPeakOrders[0];
    std::vector<int64_t> offset;
    const auto place = [&](PeakOrder order, int passes) {
      const Deadline deadline = best_top < INT64_MAX ? deadline_ : first_deadline_;
      const int64_t top = PlacePeakFirst(lives_, target_bytes_, order, passes, buckets_, offset, deadline);
      if (top >= best_top) return;
      best_top = top;
      best_order = order;
      offset_.swap(offset);
    };
    for (const PeakOrder order : kPeakOrders) {
      const bool first = order == kPeakOrders[0];
      if (!first && (best_top <= target_bytes_ || IsOver())) break;
      place(order, 1);
      if (best_top == INT64_MAX) return false;
      if (first) first_work_ = buckets_.work();
    }
    if (best_top <= target_bytes_ || IsOver()) return true;
    place(best_order, kPasses);
    if (IsOver()) return true;
    buckets_.Clear();
    for (size_t rank = 0; rank < lives_.size(); ++rank) buckets_.Insert(rank, offset_[rank]);
    return true;
  }

  bool PlaceByLoad() {
    struct Key {
      int64_t step_and_stretch;
      int64_t size;
      int32_t rank;
    };
    std::vector<Key> keys(lives_.size());
    const std::vector<int64_t> highest = HighestLoads(lives_);
    for (size_t rank = 0; rank < lives_.size(); ++rank) {
      int64_t step = 0;
      for (const int percent : kLoadSteps) {
        step += static_cast<double>(highest[rank]) * 100 < static_cast<double>(target_bytes_) * percent;
      }
      keys[rank] = {step << 32 | lives_.life[rank].first >> kLogStretch, -lives_.size_bytes[rank],
                    static_cast<int32_t>(rank)};
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return std::tie(a.step_and_stretch, a.size, a.rank) < std::tie(b.step_and_stretch, b.size, b.rank);
    });
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i % kLookEvery == 0 && first_deadline_.Passed()) return false;
      const size_t rank = static_cast<size_t>(keys[i].rank);
      offset_[rank] = buckets_.InsertLowest(rank);
    }
    first_work_ = buckets_.work();
    return true;
  }

  void LowerTop() {
    Ejection ejection(lives_, target_bytes_, buckets_, offset_);
    bool failed = false;
    int64_t keep_sixteenths = 8, request_work = kRequestWork;
    for (int64_t top = Top(); top > target_bytes_ && !IsOver(); top = Top()) {
      const int64_t above = top - target_bytes_;
      const bool all = above < target_bytes_ / kSmallPart;
      const int64_t limit = all ? target_bytes_ : top - (above / 16 * (16 - keep_sixteenths) + above % 16);
      const int64_t work_end = buckets_.work() + std::min(request_work, max_work_ - work());
      if (ejection.Lower(std::max(limit, target_bytes_), work_end, deadline_)) {
        if (failed) keep_sixteenths = 11;
      } else if (keep_sixteenths > 8) {
        if (deadline_.never() || max_work_ < kNoLimit || request_work > kNoLimit / kMoreSteps) return;
        request_work *= kMoreSteps;
      } else {
        failed = true;
        keep_sixteenths = 13;
      }
    }
  }

  const SlotLives& lives_;
  const int64_t target_bytes_, max_work_;
  const Deadline deadline_, first_deadline_;
  TimeBuckets& buckets_;
  std::vector<int64_t> offset_;  // by rank
  int64_t first_work_ = 0;       // what the first order took
};

}  // namespace

bool CanPlaceLargeScale(const PlacementProblem& problem) {
  if (problem.order.has_value() || !CanSweep(problem)) return false;
  return std::all_of(problem.storages.begin(), problem.storages.end(), [&](const StorageSpec& storage) {
    if (storage.num_pieces == 0) return true;
    const Piece& piece = problem.pieces[storage.first_piece];
    return storage.num_pieces == 1 && piece.low == 0 && piece.high == storage.size_bytes;
  });
}

std::optional<LargeScalePlacement> PlaceLargeScale(const PlacementProblem& problem, int64_t target_bytes,
                                                   int64_t max_work, Deadline deadline, Deadline first_deadline) {
  const SlotLives lives = MakeSlotLives(problem);
  std::optional<TimeBuckets> buckets = TimeBuckets::Build(lives);
  if (!buckets.has_value()) return std::nullopt;
  LargeScale method(lives, target_bytes, max_work, deadline, first_deadline, *buckets);
  LargeScalePlacement placement;
  const std::optional<int64_t> top = method.Run();
  if (!top.has_value()) return std::nullopt;
  placement.bytes = *top;
  placement.work = method.work();
  placement.offset_bytes.assign(problem.storages.size(), 0);
  for (const StorageSpec& storage : problem.storages) placement.bytes = std::max(placement.bytes, storage.size_bytes);
  for (size_t rank = 0; rank < lives.size(); ++rank) {
    placement.offset_bytes[static_cast<size_t>(lives.storage[rank])] = method.offset_bytes()[rank];
  }
  return placement;
}

}  // namespace bufplan
