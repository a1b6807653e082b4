// Which bytes are taken when, in flat lists: first fit for millions of storages of which some thousands meet.
//
//   bytes ^   |      |      |
//         |   |  ####|##    |     time is cut into buckets of 2^k slots; each keeps what lies in it, for any part of
//         |   | ##   | #####|     its span, by ascending offset. A storage that spans several buckets is in each of
//         | ######## |  ### |     their lists.
//         +---+------+------+---> time
//
// The lists lie one behind the other in one array, each with room for all that will ever live in its bucket, so that
// nothing is allocated after the constructor. For a life within one bucket the lowest place takes one walk up the list;
// for a longer one the buckets are walked side by side until none objects.
//
// COST: with L storages in a bucket: LowestFree O(L) per bucket spanned, few in practice as it ends at the first place
// that is wide enough; Insert and Remove a shift of O(L) entries per bucket. Space O(sum of the buckets spanned).
// THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_PLACEMENT_TIME_BUCKETS_H_
#define BUFPLAN_PLANNER_PLACEMENT_TIME_BUCKETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/placement/slot_lives.h"

namespace bufplan {

class TimeBuckets {
 public:
  struct Entry {
    int64_t low, high;  // bytes
    SlotLife life;
    int32_t rank;
  };

  // Buckets as wide as suits the lives. Absent if too many of them are alive at a time for such lists (about 4,000 on
  // average), or the problem is empty. `lives` must outlive the object.
  static std::optional<TimeBuckets> Build(const SlotLives& lives);

  // The lowest multiple of the alignment at which `bytes` > 0 bytes are free throughout the life.
  int64_t LowestFree(SlotLife life, int64_t bytes, int64_t alignment);
  // The bytes of the storage from `low` on must be free throughout its life, and it must not be in the buckets.
  void Insert(size_t rank, int64_t low);
  // Inserts the storage at its lowest free place and returns that.
  int64_t InsertLowest(size_t rank);
  // It must lie there.
  void Remove(size_t rank, int64_t low);
  void Clear();
  // Appends all that meets the life, each once, in no order worth relying on.
  void Collect(SlotLife life, std::vector<Entry>& met);

  // Elementary steps so far: entries looked at, and lists changed.
  int64_t work() const { return work_; }

 private:
  struct Cursor {
    const Entry* entry;
    const Entry* end;
  };

  TimeBuckets(const SlotLives& lives, int shift);
  size_t First(SlotLife life) const { return static_cast<size_t>(life.first) >> shift_; }
  size_t Last(SlotLife life) const { return static_cast<size_t>(life.end - 1) >> shift_; }
  Entry* ListOf(size_t bucket) { return entries_.data() + start_[bucket]; }

  const SlotLives* lives_;
  int shift_;
  std::vector<uint32_t> start_;  // by bucket, and the end of all
  std::vector<uint32_t> count_;  // by bucket
  std::vector<Entry> entries_;
  std::vector<Cursor> cursors_;
  int64_t work_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_TIME_BUCKETS_H_
