#include "planner/placement/time_buckets.h"

#include <algorithm>

#include "planner/placement/pieces.h"

namespace bufplan {
namespace {

constexpr int kLeastShift = 6;
constexpr int64_t kMostLive = 4096;  // on average

// The cost of a shift of a list, in entries looked at.
constexpr int64_t kChangeWork = 32;

// Walks up to the first place at or above `at` that is free for the life as far as this list knows; `entry` stays where
// the walk ended. Entries before `entry` have been walked with an `at` not higher than this one.
const TimeBuckets::Entry* Walk(const TimeBuckets::Entry* entry, const TimeBuckets::Entry* end, SlotLife life,
                               int64_t bytes, int64_t alignment, int64_t& at) {
  for (; entry != end && entry->low - at < bytes; ++entry) {
    if (entry->high > at && entry->life.Meets(life)) at = AlignUp(entry->high, alignment);
  }
  return entry;
}

bool LowerThan(const TimeBuckets::Entry& entry, int64_t low) { return entry.low < low; }

}  // namespace

std::optional<TimeBuckets> TimeBuckets::Build(const SlotLives& lives) {
  const int64_t n = static_cast<int64_t>(lives.size());
  if (n == 0 || lives.live_slots / n > kMostLive) return std::nullopt;
  int shift = kLeastShift;
  while ((int64_t{2} << shift) < lives.live_slots / n) ++shift;
  if ((lives.live_slots >> shift) + 2 * n > UINT32_MAX) return std::nullopt;
  return TimeBuckets(lives, shift);
}

TimeBuckets::TimeBuckets(const SlotLives& lives, int shift) : lives_(&lives), shift_(shift) {
  const size_t buckets = ((lives.size() - 1) >> shift) + 1;
  std::vector<int32_t> change(buckets + 1, 0);
  for (const SlotLife& life : lives.life) {
    ++change[First(life)];
    --change[Last(life) + 1];
  }
  start_.resize(buckets + 1);
  count_.assign(buckets, 0);
  uint32_t start = 0;
  int64_t in_bucket = 0;
  for (size_t b = 0; b < buckets; ++b) {
    in_bucket += change[b];
    start_[b] = start;
    start += static_cast<uint32_t>(in_bucket);
  }
  start_[buckets] = start;
  entries_.resize(start);
}

int64_t TimeBuckets::LowestFree(SlotLife life, int64_t bytes, int64_t alignment) {
  const size_t first = First(life), last = Last(life);
  int64_t at = 0;
  if (first == last) {
    const Entry* list = ListOf(first);
    work_ += Walk(list, list + count_[first], life, bytes, alignment, at) - list + 1;
    return at;
  }
  cursors_.clear();
  for (size_t b = first; b <= last; ++b) cursors_.push_back({ListOf(b), ListOf(b) + count_[b]});
  size_t agreed = 0;
  for (size_t c = 0; agreed < cursors_.size(); c = c + 1 < cursors_.size() ? c + 1 : 0) {
    Cursor& cursor = cursors_[c];
    const int64_t before = at;
    const Entry* entry = Walk(cursor.entry, cursor.end, life, bytes, alignment, at);
    work_ += entry - cursor.entry + 1;
    cursor.entry = entry;
    agreed = at == before ? agreed + 1 : 1;
  }
  return at;
}

void TimeBuckets::Insert(size_t rank, int64_t low) {
  const SlotLife life = lives_->life[rank];
  for (size_t b = First(life); b <= Last(life); ++b) {
    Entry* list = ListOf(b);
    Entry* end = list + count_[b]++;
    Entry* place = std::lower_bound(list, end, low, LowerThan);
    std::move_backward(place, end, end + 1);
    *place = {low, low + lives_->size_bytes[rank], life, static_cast<int32_t>(rank)};
    work_ += kChangeWork;
  }
}

int64_t TimeBuckets::InsertLowest(size_t rank) {
  const int64_t low =
      LowestFree(lives_->life[rank], lives_->size_bytes[rank], int64_t{1} << lives_->log_alignment[rank]);
  Insert(rank, low);
  return low;
}

void TimeBuckets::Remove(size_t rank, int64_t low) {
  const SlotLife life = lives_->life[rank];
  for (size_t b = First(life); b <= Last(life); ++b) {
    Entry* list = ListOf(b);
    Entry* end = list + count_[b]--;
    Entry* place = std::lower_bound(list, end, low, LowerThan);
    while (place->rank != static_cast<int32_t>(rank)) ++place;  // of those at this offset
    std::move(place + 1, end, place);
    work_ += kChangeWork;
  }
}

void TimeBuckets::Collect(SlotLife life, std::vector<Entry>& met) {
  for (size_t b = First(life); b <= Last(life); ++b) {
    const Entry* list = ListOf(b);
    for (const Entry* entry = list; entry != list + count_[b]; ++entry) {
      // In the first bucket that both are in.
      if (entry->life.Meets(life) && std::max(First(entry->life), First(life)) == b) met.push_back(*entry);
    }
    work_ += count_[b] + 1;
  }
}

void TimeBuckets::Clear() { std::fill(count_.begin(), count_.end(), 0); }

}  // namespace bufplan
