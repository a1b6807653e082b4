#include "planner/placement/range_list.h"

#include <algorithm>
#include <iterator>

namespace bufplan {
namespace {

// The first of the ranges that ends above `at`.
std::vector<OccupiedRange>::const_iterator EndsAbove(const std::vector<OccupiedRange>& ranges, int64_t at) {
  if (ranges.size() <= 8) {
    auto range = ranges.begin();
    while (range != ranges.end() && range->high <= at) ++range;
    return range;
  }
  return std::partition_point(ranges.begin(), ranges.end(), [at](const OccupiedRange& r) { return r.high <= at; });
}

}  // namespace

void RangeList::Block::Update() {
  largest_gap = 0;
  for (size_t i = 1; i < ranges.size(); ++i) largest_gap = std::max(largest_gap, ranges[i].low - ranges[i - 1].high);
}

void RangeList::Clear() {
  few_.clear();
  many_.reset();
}

void RangeList::Add(OccupiedRange range, int64_t least_gap) {
  if (many_ != nullptr) {
    AddToBlocks(range, least_gap);
    return;
  }
  AddTo(range, least_gap, few_);
  if (few_.size() > kFew) MakeBlocks();
}

void RangeList::AddTo(OccupiedRange range, int64_t least_gap, std::vector<OccupiedRange>& ranges) {
  // The ranges [first, last) grow together with the new one.
  const auto ends_before = [&](const OccupiedRange& r) { return range.low - r.high >= least_gap; };
  auto first = ranges.end();
  if (!ranges.empty() && !ends_before(ranges.back())) {
    first = std::partition_point(ranges.begin(), ranges.end(), ends_before);
  }
  auto last = first;
  OccupiedRange grown = range;
  for (; last != ranges.end() && last->low - grown.high < least_gap; ++last) {
    grown.low = std::min(grown.low, last->low);
    grown.high = std::max(grown.high, last->high);
  }
  if (first == last) {
    ranges.insert(first, grown);
  } else {
    *first = grown;
    ranges.erase(first + 1, last);
  }
}

void RangeList::MakeBlocks() {
  many_ = std::make_unique<std::vector<Block>>();
  for (size_t i = 0; i < few_.size(); i += kBlock / 2) {
    const auto begin = few_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = few_.begin() + static_cast<std::ptrdiff_t>(std::min(i + kBlock / 2, few_.size()));
    many_->push_back({std::vector<OccupiedRange>(begin, end), 0});
    many_->back().Update();
  }
  few_.clear();
}

void RangeList::AddToBlocks(OccupiedRange range, int64_t least_gap) {
  std::vector<Block>& blocks = *many_;
  // Swallow whatever of later blocks grows together with the range, then enter it into the first block that it meets or comes before.
  auto block = std::partition_point(blocks.begin(), blocks.end(), [&](const Block& b) {
    return range.low - b.ranges.back().high >= least_gap;
  });
  if (block == blocks.end()) --block;
  auto next = block + 1;
  // The range grows within its own block first, as that may make it reach the next one.
  AddTo(range, least_gap, block->ranges);
  OccupiedRange& last = block->ranges.back();
  for (; next != blocks.end() && next->ranges.front().low - last.high < least_gap; ++next) {
    auto kept = next->ranges.begin();
    for (; kept != next->ranges.end() && kept->low - last.high < least_gap; ++kept) {
      last.high = std::max(last.high, kept->high);
    }
    next->ranges.erase(next->ranges.begin(), kept);
    if (!next->ranges.empty()) {
      next->Update();
      break;
    }
  }
  next = blocks.erase(block + 1, next);
  block = std::prev(next);
  if (block->ranges.size() > kBlock) {
    const auto middle = block->ranges.begin() + kBlock / 2;
    Block upper{std::vector<OccupiedRange>(middle, block->ranges.end()), 0};
    upper.Update();
    block->ranges.erase(middle, block->ranges.end());
    block->Update();
    blocks.insert(block + 1, std::move(upper));
  } else {
    block->Update();
  }
}

int64_t RangeList::NextFree(int64_t from, int64_t bytes, int64_t& work) const {
  if (many_ != nullptr) return NextFreeInBlocks(from, bytes, work);
  for (auto range = EndsAbove(few_, from); range != few_.end() && range->low - from < bytes; ++range) {
    from = range->high;
    ++work;
  }
  return from;
}

int64_t RangeList::NextFreeInBlocks(int64_t from, int64_t bytes, int64_t& work) const {
  auto block = std::partition_point(many_->begin(), many_->end(),
                                    [from](const Block& b) { return b.ranges.back().high <= from; });
  for (bool first = true; block != many_->end(); ++block, first = false) {
    ++work;
    if (!first) {
      if (block->ranges.front().low - from >= bytes) return from;
      if (block->largest_gap < bytes) {
        from = block->ranges.back().high;
        continue;
      }
    }
    for (auto range = EndsAbove(block->ranges, from); range != block->ranges.end(); ++range) {
      if (range->low - from >= bytes) return from;
      from = range->high;
      ++work;
    }
  }
  return from;
}

}  // namespace bufplan
