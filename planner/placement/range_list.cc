#include "planner/placement/range_list.h"

#include <algorithm>
#include <iterator>

namespace bufplan {
namespace {

// The first at or after `start` that ends above `at`; usually near.
template <class Item, class High>
size_t EndsAbove(const std::vector<Item>& items, size_t start, int64_t at, High high) {
  const size_t near = std::min(start + 6, items.size());
  for (; start < near; ++start) {
    if (high(items[start]) > at) return start;
  }
  const auto found = std::partition_point(items.begin() + static_cast<std::ptrdiff_t>(start), items.end(),
                                          [&](const Item& item) { return high(item) <= at; });
  return static_cast<size_t>(found - items.begin());
}

int64_t HighOf(const OccupiedRange& range) { return range.high; }

}  // namespace

void RangeList::Block::Update() {
  low = ranges.front().low;
  high = ranges.back().high;
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
    many_->emplace_back(std::vector<OccupiedRange>(begin, end));
  }
  few_.clear();
}

void RangeList::AddToBlocks(OccupiedRange range, int64_t least_gap) {
  std::vector<Block>& blocks = *many_;
  // Swallow whatever of later blocks grows together with the range, then enter it into the first block that it meets or
  // comes before.
  auto block = std::partition_point(blocks.begin(), blocks.end(),
                                    [&](const Block& b) { return range.low - b.high >= least_gap; });
  if (block == blocks.end()) --block;
  auto next = block + 1;
  // The range grows within its own block first, as that may make it reach the next one.
  AddTo(range, least_gap, block->ranges);
  OccupiedRange& last = block->ranges.back();
  for (; next != blocks.end() && next->low - last.high < least_gap; ++next) {
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
    Block upper(std::vector<OccupiedRange>(middle, block->ranges.end()));
    block->ranges.erase(middle, block->ranges.end());
    block->Update();
    blocks.insert(block + 1, std::move(upper));
  } else {
    block->Update();
  }
}

int64_t RangeList::NextFree(int64_t from, int64_t bytes, Position& position, int64_t& work) const {
  if (many_ != nullptr) return NextFreeInBlocks(from, bytes, position, work);
  size_t i = EndsAbove(few_, position.range, from, HighOf);
  for (; i < few_.size() && few_[i].low - from < bytes; ++i) {
    from = few_[i].high;
    ++work;
  }
  position.range = i;
  return from;
}

int64_t RangeList::NextFreeInBlocks(int64_t from, int64_t bytes, Position& position, int64_t& work) const {
  const size_t start = EndsAbove(*many_, position.block, from, [](const Block& block) { return block.high; });
  for (size_t b = start; b < many_->size(); ++b) {
    const Block& block = (*many_)[b];
    ++work;
    if (b != start && block.low - from < bytes && block.largest_gap < bytes) {
      from = block.high;
      continue;
    }
    size_t i = EndsAbove(block.ranges, b == position.block ? position.range : 0, from, HighOf);
    for (; i < block.ranges.size(); ++i) {
      if (block.ranges[i].low - from >= bytes) {
        position = {b, i};
        return from;
      }
      from = block.ranges[i].high;
      ++work;
    }
  }
  position = {many_->size(), 0};
  return from;
}

}  // namespace bufplan
