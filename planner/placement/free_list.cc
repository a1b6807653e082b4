#include "planner/placement/free_list.h"

#include <algorithm>
#include <iterator>

#include "planner/placement/pieces.h"

namespace bufplan {

int64_t FreeList::Take(int64_t bytes, int64_t alignment) {
  return many_ ? TakeMany(bytes, alignment) : TakeFew(bytes, alignment);
}

void FreeList::Give(int64_t low, int64_t high) {
  if (many_) {
    GiveMany(low, high);
    return;
  }
  size_t i = count_;  // first range above
  while (i > 0 && lows_[i - 1] >= high) --i;
  if (i > 0 && highs_[i - 1] == low) {
    --i;
    low = lows_[i];
    std::copy(lows_ + i + 1, lows_ + count_, lows_ + i);
    std::copy(highs_ + i + 1, highs_ + count_, highs_ + i);
    --count_;
  }
  if (high == top_) {
    top_ = low;
  } else if (i < count_ && lows_[i] == high) {
    lows_[i] = low;
  } else {
    InsertFew(i, low, high);
  }
}

int64_t FreeList::TakeFew(int64_t bytes, int64_t alignment) {
  size_t best = count_;
  int64_t best_bytes = INT64_MAX, best_offset = 0;
  for (size_t i = 0; i < count_; ++i) {
    const int64_t offset = AlignUp(lows_[i], alignment), size = highs_[i] - lows_[i];
    if (highs_[i] - offset >= bytes && size < best_bytes) {
      best = i;
      best_bytes = size;
      best_offset = offset;
    }
  }
  if (best == count_) return TakeTop(bytes, alignment);
  CutFew(best, best_offset, bytes);
  return best_offset;
}

int64_t FreeList::TakeTop(int64_t bytes, int64_t alignment) {
  const int64_t old_top = top_, offset = AlignUp(top_, alignment);
  top_ = offset + bytes;
  if (offset > old_top) Give(old_top, offset);
  return offset;
}

void FreeList::CutFew(size_t i, int64_t offset, int64_t bytes) {
  const int64_t low = lows_[i], high = highs_[i], end = offset + bytes;
  if (low < offset && end < high) {
    highs_[i] = offset;
    InsertFew(i + 1, end, high);
  } else if (low < offset) {
    highs_[i] = offset;
  } else if (end < high) {
    lows_[i] = end;
  } else {
    std::copy(lows_ + i + 1, lows_ + count_, lows_ + i);
    std::copy(highs_ + i + 1, highs_ + count_, highs_ + i);
    --count_;
  }
}

void FreeList::InsertFew(size_t i, int64_t low, int64_t high) {
  std::copy_backward(lows_ + i, lows_ + count_, lows_ + count_ + 1);
  std::copy_backward(highs_ + i, highs_ + count_, highs_ + count_ + 1);
  lows_[i] = low;
  highs_[i] = high;
  ++count_;
  if (count_ > kFew) MoveToTrees();
}

void FreeList::MoveToTrees() {
  many_ = true;
  for (size_t i = 0; i < count_; ++i) AddMany(lows_[i], highs_[i]);
  count_ = 0;
}

void FreeList::AddMany(int64_t low, int64_t high) {
  high_of_low_.insert(high_of_low_.end(), {low, high});
  by_size_.insert({high - low, low});
}

void FreeList::RemoveMany(absl::btree_map<int64_t, int64_t>::iterator range) {
  by_size_.erase({range->second - range->first, range->first});
  high_of_low_.erase(range);
}

int64_t FreeList::TakeMany(int64_t bytes, int64_t alignment) {
  // Ranges just large enough may lie badly for the alignment; after a few of them, take one that has room wherever it
  // lies.
  constexpr int kTries = 16;
  auto range = by_size_.lower_bound({bytes, INT64_MIN});
  for (int tries = 0; tries < kTries && range != by_size_.end(); ++tries, ++range) {
    const int64_t low = range->second, offset = AlignUp(low, alignment);
    if (low + range->first - offset >= bytes) {
      CutMany(low, offset, bytes);
      return offset;
    }
  }
  if (range != by_size_.end() && alignment - 1 <= INT64_MAX - bytes) {
    range = by_size_.lower_bound({bytes + alignment - 1, INT64_MIN});
  }
  if (range == by_size_.end()) return TakeTop(bytes, alignment);
  const int64_t low = range->second, offset = AlignUp(low, alignment);
  CutMany(low, offset, bytes);
  return offset;
}

void FreeList::CutMany(int64_t low, int64_t offset, int64_t bytes) {
  const auto range = high_of_low_.find(low);
  const int64_t high = range->second, end = offset + bytes;
  RemoveMany(range);
  if (low < offset) AddMany(low, offset);
  if (end < high) AddMany(end, high);
}

void FreeList::GiveMany(int64_t low, int64_t high) {
  auto above = high_of_low_.lower_bound(high);
  if (above != high_of_low_.end() && above->first == high) {
    high = above->second;
    RemoveMany(above);
    above = high_of_low_.lower_bound(high);
  }
  if (above != high_of_low_.begin()) {
    const auto below = std::prev(above);
    if (below->second == low) {
      low = below->first;
      RemoveMany(below);
    }
  }
  if (high == top_) {
    top_ = low;
  } else {
    AddMany(low, high);
  }
}

}  // namespace bufplan
