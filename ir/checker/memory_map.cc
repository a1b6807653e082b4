#include "ir/checker/memory_map.h"

#include <algorithm>
#include <iterator>

namespace bufplan::checker {

MemoryMap::MemoryMap(size_t num_memories, size_t num_values, const Order* order)
    : order_(order),
      total_(!order->partial.has_value()),
      maps_(num_memories),
      write_times_(num_memories),
      hint_(num_values, -1) {
  if (!total_) seen_stream_.assign(static_cast<size_t>(order->num_streams), 0);
}

int32_t MemoryMap::NewSegment(int32_t memory, ByteRange range, Origin origin, int64_t offset, int32_t writer,
                              int32_t readers) {
  const Segment s{range.begin, range.end, offset, origin, memory, writer, readers};
  if (free_.empty()) {
    segments_.push_back(s);
    return static_cast<int32_t>(segments_.size()) - 1;
  }
  const int32_t slot = free_.back();
  free_.pop_back();
  At(slot) = s;
  return slot;
}

MemoryMap::Map::iterator MemoryMap::Find(Map& map, int64_t address) {
  auto it = map.upper_bound(address);
  if (it != map.begin()) {
    auto before = std::prev(it);
    if (At(before->second).end > address) return before;
  }
  return it;
}

void MemoryMap::SplitAt(Map& map, int64_t address) {
  const auto it = Find(map, address);
  if (it == map.end() || it->first >= address) return;
  const Segment s = At(it->second);
  At(it->second).end = address;
  map.emplace(address,
              NewSegment(s.memory, {address, s.end}, s.origin, s.offset + (address - s.begin), s.writer, s.readers));
}

std::optional<Finding> MemoryMap::Put(int32_t memory, ByteRange range, Origin origin, int64_t offset) {
  if (range.empty()) return std::nullopt;
  Map& map = maps_[static_cast<size_t>(memory)];
  std::optional<Finding> finding;
  const auto it = Find(map, range.begin);
  if (it != map.end() && it->first < range.end) {
    const Segment& s = At(it->second);
    const int64_t from = std::max(range.begin, s.begin);
    finding = Finding{Finding::What::kUnorderedWriter,
                      {from, std::min(range.end, s.end)},
                      s.origin,
                      s.offset + (from - s.begin),
                      kStart,
                      false,
                      0};
  }
  Write(memory, range, origin, offset, kStart);
  return finding;
}

std::optional<Finding> MemoryMap::CheckRead(const Segment& s, ByteRange part, Origin origin, int64_t offset,
                                            const Reader& by) const {
  const int64_t there = s.offset + (part.begin - s.begin);
  Finding finding{Finding::What::kContent, part, s.origin, there, s.writer, false, 0};
  if (s.origin != origin || there != offset) return finding;
  if (!OrderedBefore(s.writer, by.node)) {
    finding.what = Finding::What::kUnorderedWriter;
    return finding;
  }
  if (by.keep_alive && s.writer != kStart && (by.producer == kStart || !OrderedBefore(s.writer, by.producer))) {
    finding.what = Finding::What::kTouched;
    return finding;
  }
  return std::nullopt;
}

std::optional<Finding> MemoryMap::ReadSlow(int32_t memory, ByteRange range, Origin origin, int64_t offset,
                                           const Reader& by) {
  if (range.empty()) return std::nullopt;
  Map& map = maps_[static_cast<size_t>(memory)];
  const auto nothing = [&](int64_t from, int64_t to) {
    return Finding{Finding::What::kContent, {from, to}, kNothing, 0, kStart, false, 0};
  };
  if (!total_) {
    SplitAt(map, range.begin);
    SplitAt(map, range.end);
  }
  std::optional<Finding> first;
  int64_t at = range.begin;
  for (auto it = Find(map, range.begin); it != map.end() && it->first < range.end; ++it) {
    Segment& s = At(it->second);
    const ByteRange part{std::max(range.begin, s.begin), std::min(range.end, s.end)};
    if (!first.has_value() && at < part.begin) first = nothing(at, part.begin);
    at = part.end;
    if (!first.has_value()) first = CheckRead(s, part, origin, offset + (part.begin - range.begin), by);
    if (origin >= 0) hint_[static_cast<size_t>(origin)] = it->second;
    if (!total_ && by.node != kEnd) {
      s.readers = AddReader(s.readers, by);
    } else if (first.has_value()) {
      break;
    }
  }
  if (!first.has_value() && at < range.end) first = nothing(at, range.end);
  return first;
}

std::optional<Finding> MemoryMap::CheckOverwrite(const Segment& s, ByteRange part, int32_t node) {
  Finding finding{
      Finding::What::kUnorderedWriter, part, s.origin, s.offset + (part.begin - s.begin), s.writer, false, 0};
  if (!OrderedBefore(s.writer, node)) return finding;
  if (s.readers < 0) return std::nullopt;
  ReadEntry& list = reads_[static_cast<size_t>(s.readers)];
  if (list.checked != kStart && OrderedBefore(list.checked, node)) return std::nullopt;
  for (int32_t r = s.readers; r >= 0; r = reads_[static_cast<size_t>(r)].next) {
    const ReadEntry& entry = reads_[static_cast<size_t>(r)];
    if (OrderedBefore(entry.node, node)) continue;
    finding.what = Finding::What::kUnorderedReader;
    finding.node = entry.node;
    finding.keep_alive = entry.keep_alive;
    return finding;
  }
  list.checked = node;
  return std::nullopt;
}

int64_t MemoryMap::LastWrite(int32_t memory, ByteRange range) {
  std::unique_ptr<WriteTimes>& times = write_times_[static_cast<size_t>(memory)];
  if (times == nullptr) {
    const Map& map = maps_[static_cast<size_t>(memory)];
    times = std::make_unique<WriteTimes>(map.empty() ? 1 : At(std::prev(map.end())->second).end);
  }
  return times->LastWrite(range);
}

std::optional<Finding> MemoryMap::Write(int32_t memory, ByteRange range, Origin origin, int64_t offset, int32_t node) {
  if (range.empty()) return std::nullopt;
  ++writes_;
  if (write_times_[static_cast<size_t>(memory)] != nullptr) {
    write_times_[static_cast<size_t>(memory)]->Write(range, writes_);
  }
  Map& map = maps_[static_cast<size_t>(memory)];
  std::optional<Finding> first;
  int32_t slot = -1;  // of a segment that begins where the write does; it is used again
  for (auto it = Find(map, range.begin); it != map.end() && it->first < range.end;) {
    const int32_t at = it->second;
    const Segment s = At(at);
    if (!total_ && !first.has_value()) {
      first = CheckOverwrite(s, {std::max(range.begin, s.begin), std::min(range.end, s.end)}, node);
    }
    if (s.end > range.end) {  // its end survives
      const int64_t skip = range.end - s.begin;
      if (s.begin < range.begin) {
        At(at).end = range.begin;
        map.emplace(range.end, NewSegment(memory, {range.end, s.end}, s.origin, s.offset + skip, s.writer, s.readers));
        break;
      }
      At(at).begin = range.end;
      At(at).offset = s.offset + skip;
      if (s.begin == range.begin) {
        it->second = slot = NewSegment(memory, range, origin, offset, node, -1);
      } else {
        map.erase(it);
      }
      map.emplace(range.end, at);
      break;
    }
    if (s.begin < range.begin) {
      At(at).end = range.begin;
      ++it;
    } else if (s.begin == range.begin) {
      slot = at;
      ++it;
    } else {
      At(at).memory = -1;
      free_.push_back(at);
      it = map.erase(it);
    }
  }
  if (slot >= 0) {
    At(slot) = {range.begin, range.end, offset, origin, memory, node, -1};
  } else {
    slot = NewSegment(memory, range, origin, offset, node, -1);
    map.emplace(range.begin, slot);
  }
  if (origin >= 0 && static_cast<size_t>(origin) < hint_.size()) hint_[static_cast<size_t>(origin)] = slot;
  return first;
}

int32_t MemoryMap::AddReader(int32_t list, const Reader& by) {
  if (list == last_list_ && by.node == last_reader_.node && by.keep_alive == last_reader_.keep_alive) {
    return last_result_;
  }
  last_list_ = list;
  last_reader_ = by;
  int32_t rest = list;
  // Who is ordered before the new reader will be ordered before whoever is behind it.
  while (rest >= 0 && reads_[static_cast<size_t>(rest)].node != by.node &&
         order_->Before(reads_[static_cast<size_t>(rest)].node, by.node)) {
    rest = reads_[static_cast<size_t>(rest)].next;
  }
  int32_t length = rest < 0 ? 0 : reads_[static_cast<size_t>(rest)].length;
  if (length > 2 * order_->num_streams + 8) {
    rest = Compact(rest);
    length = rest < 0 ? 0 : reads_[static_cast<size_t>(rest)].length;
  }
  reads_.push_back({by.node, by.keep_alive, rest, length + 1, kStart});
  return last_result_ = static_cast<int32_t>(reads_.size()) - 1;
}

// The newest reader of each stream speaks for the older ones.
int32_t MemoryMap::Compact(int32_t list) {
  ++compactions_;
  std::vector<ReadEntry> newest;
  for (; list >= 0; list = reads_[static_cast<size_t>(list)].next) {
    const ReadEntry& entry = reads_[static_cast<size_t>(list)];
    int32_t& seen = seen_stream_[static_cast<size_t>(order_->stream[static_cast<size_t>(entry.node)])];
    if (seen == compactions_) continue;
    seen = compactions_;
    newest.push_back(entry);
  }
  int32_t rest = -1;
  for (size_t i = newest.size(); i-- > 0;) {
    reads_.push_back({newest[i].node, newest[i].keep_alive, rest, static_cast<int32_t>(newest.size() - i), kStart});
    rest = static_cast<int32_t>(reads_.size()) - 1;
  }
  return rest;
}

}  // namespace bufplan::checker
