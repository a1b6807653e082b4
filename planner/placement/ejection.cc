#include "planner/placement/ejection.h"

#include <algorithm>
#include <cmath>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

// What weighs less than this part of a storage is not looked at when a place for that is chosen; it has to leave all
// the same.
constexpr double kNegligible = 32;

// Storages put in place between looks at the clock.
constexpr size_t kLookEvery = 512;

}  // namespace

Ejection::Ejection(const SlotLives& lives, int64_t target_bytes, TimeBuckets& buckets,
                   std::vector<int64_t>& offset_bytes)
    : lives_(lives),
      buckets_(buckets),
      offset_bytes_(offset_bytes),
      base_(lives.size()),
      stuck_(lives.size(), 0),
      moved_in_(lives.size(), 0),
      is_out_(lives.size(), false) {
  // A slot counts by the eighth power of its load: where there is slack, a long life is no burden.
  std::vector<double> hot_slots(lives.size() + 1, 0);
  for (size_t slot = 0; slot < lives.size(); ++slot) {
    double share = static_cast<double>(lives.load[slot]) / static_cast<double>(target_bytes);
    for (int i = 0; i < 3; ++i) share *= share;
    hot_slots[slot + 1] = hot_slots[slot] + share;
  }
  for (size_t rank = 0; rank < lives.size(); ++rank) {
    const SlotLife life = lives.life[rank];
    const double hot = hot_slots[static_cast<size_t>(life.end)] - hot_slots[static_cast<size_t>(life.first)];
    base_[rank] = static_cast<float>(std::sqrt(static_cast<double>(lives.size_bytes[rank]) * hot));
  }
}

bool Ejection::Lower(int64_t limit_bytes, int64_t work_end, Deadline deadline) {
  ++call_;
  moved_.clear();
  for (size_t rank = 0; rank < lives_.size(); ++rank) {
    if (offset_bytes_[rank] + lives_.size_bytes[rank] > limit_bytes) TakeOut(rank);
  }
  for (size_t steps = 0; !pool_.empty(); ++steps) {
    if (buckets_.work() >= work_end || (steps % kLookEvery == 0 && deadline.Passed())) {
      Undo();
      return false;
    }
    const size_t rank = static_cast<size_t>(pool_.top().second);
    pool_.pop();
    const SlotLife life = lives_.life[rank];
    const int64_t bytes = lives_.size_bytes[rank];
    int64_t place = buckets_.LowestFree(life, bytes, int64_t{1} << lives_.log_alignment[rank]);
    if (place + bytes > limit_bytes) {
      ++stuck_[rank];
      met_.clear();
      buckets_.Collect(life, met_);
      place = CheapestPlace(rank, limit_bytes);
      for (const TimeBuckets::Entry& entry : met_) {
        if (entry.low < place + bytes && entry.high > place) TakeOut(static_cast<size_t>(entry.rank));
      }
    }
    offset_bytes_[rank] = place;
    is_out_[rank] = false;
    buckets_.Insert(rank, place);
  }
  return true;
}

void Ejection::TakeOut(size_t rank) {
  buckets_.Remove(rank, offset_bytes_[rank]);
  if (moved_in_[rank] != call_) {
    moved_in_[rank] = call_;
    moved_.emplace_back(static_cast<int32_t>(rank), offset_bytes_[rank]);
  }
  is_out_[rank] = true;
  pool_.emplace(WeightOf(rank), static_cast<int32_t>(rank));
}

int64_t Ejection::CheapestPlace(size_t rank, int64_t limit_bytes) {
  const int64_t bytes = lives_.size_bytes[rank], alignment = int64_t{1} << lives_.log_alignment[rank];
  const double least = WeightOf(rank) / kNegligible;
  lows_.clear();
  highs_.clear();
  for (const TimeBuckets::Entry& entry : met_) {
    const double weight = WeightOf(static_cast<size_t>(entry.rank));
    if (weight < least) continue;
    lows_.emplace_back(entry.low, weight);
    highs_.emplace_back(entry.high, weight);
  }
  std::sort(lows_.begin(), lows_.end());
  std::sort(highs_.begin(), highs_.end());
  // The weight in the way changes at ends and, seen from above, at begins: places next to those are all there are.
  int64_t best_place = 0;
  double best_weight = HUGE_VAL;
  const auto try_places = [&] {
    double begun = 0, ended = 0;
    size_t low = 0, high = 0;
    for (const int64_t place : places_) {
      if (place < 0 || place > limit_bytes - bytes) continue;
      for (; low < lows_.size() && lows_[low].first < place + bytes; ++low) begun += lows_[low].second;
      for (; high < highs_.size() && highs_[high].first <= place; ++high) ended += highs_[high].second;
      if (begun - ended < best_weight || (begun - ended == best_weight && place < best_place)) {
        best_weight = begun - ended;
        best_place = place;
      }
    }
  };
  places_.assign(1, 0);
  for (const auto& [high, weight] : highs_) places_.push_back(AlignUp(high, alignment));
  try_places();
  places_.clear();
  for (const auto& [low, weight] : lows_) places_.push_back(low < bytes ? -1 : AlignDown(low - bytes, alignment));
  places_.push_back(AlignDown(limit_bytes - bytes, alignment));
  try_places();
  return best_place;
}

void Ejection::Undo() {
  while (!pool_.empty()) pool_.pop();
  for (const auto& [rank, offset] : moved_) {
    const size_t r = static_cast<size_t>(rank);
    if (!is_out_[r]) buckets_.Remove(r, offset_bytes_[r]);
    is_out_[r] = false;
  }
  for (const auto& [rank, offset] : moved_) {
    offset_bytes_[static_cast<size_t>(rank)] = offset;
    buckets_.Insert(static_cast<size_t>(rank), offset);
  }
}

}  // namespace bufplan
