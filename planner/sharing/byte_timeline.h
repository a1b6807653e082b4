// What a storage holds at each of its bytes, and who still needs it.
//
// Ops are visited in list order. A segment is a range of bytes with the value that wrote it last and the uses that its
// content still has, one (the latest) per stream. Writing needs that all of them happen before the writer.
//
//   bytes  [0, 64)         [64, 128)       [128, 256)
//          a, used by 7    r, used by 9    a, used by 12       + whole: used by 8
//
// Uses of the whole storage are kept once, so that a chain of updates costs nothing for the segments it does not touch.
// Those of many segments are kept apart from these too, by ranges of their own.
//
// COST: O(log segments) per boundary, O(1) per segment that a range meets; a use meets a limited number of segments. A
// storage with one segment allocates nothing.
#ifndef BUFPLAN_PLANNER_SHARING_BYTE_TIMELINE_H_
#define BUFPLAN_PLANNER_SHARING_BYTE_TIMELINE_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "ir/graph.h"
#include "planner/liveness/byte_steps.h"
#include "planner/order/frontier.h"
#include "planner/order/schedule.h"

namespace bufplan {

struct Segment {
  int64_t end = 0;
  ValueId writer;                      // of any of its bytes, the last one
  int32_t written = Schedule::kStart;  // when
  Frontier uses;                       // includes that time
};

class ByteTimeline {
 public:
  // No bytes.
  ByteTimeline() = default;
  // [0, size), of which nothing is written.
  explicit ByteTimeline(int64_t size) : only_{size, ValueId(-1), Schedule::kStart, Frontier()} {}
  // All of [0, size) is written by `writer` at `time`.
  ByteTimeline(int64_t size, ValueId writer, int32_t time) : only_{size, writer, time, Frontier(time)} {}

  // Calls f(range, segment) for each segment that meets `bytes`, in order.
  template <class F>
  void ForEach(ByteRange bytes, F f) {
    if (many_ == nullptr) {
      if (bytes.begin < only_.end && bytes.end > begin_) f(ByteRange{begin_, only_.end}, only_);
      return;
    }
    for (auto it = Find(bytes.begin); it != many_->end() && it->first < bytes.end; ++it) {
      f(ByteRange{it->first, it->second.end}, it->second);
    }
  }
  // A use of these bytes as they are now.
  void Use(ByteRange bytes, int32_t time, const Schedule& schedule) {
    if (bytes.empty()) return;
    if (bytes.begin <= begin() && bytes.end >= end()) {
      whole_.Add(time, schedule);
      return;
    }
    if (MeetsMany(bytes)) {
      if (wide_ == nullptr) wide_ = std::make_unique<ByteSteps<Frontier>>(ByteRange{INT64_MIN, INT64_MAX}, Frontier());
      wide_->Change(bytes, [&](Frontier& uses) { uses.Add(time, schedule); });
      return;
    }
    Split(bytes);
    if (many_ == nullptr) {
      only_.uses.Add(time, schedule);
      return;
    }
    // Segments that are needed alike become one, so that a run of uses does not visit them again and again.
    auto previous = many_->end();
    for (auto it = many_->lower_bound(bytes.begin); it != many_->end() && it->first < bytes.end;) {
      Segment& s = it->second;
      s.uses.Add(time, schedule);
      if (previous != many_->end() && previous->second.uses == s.uses) {
        previous->second.end = s.end;
        if (s.written > previous->second.written) {
          previous->second.writer = s.writer;
          previous->second.written = s.written;
        }
        it = many_->erase(it);
        previous = std::prev(it);
      } else {
        previous = it++;
      }
    }
  }
  // A use of all bytes but those of `hole`, by a unit that has not been visited yet; for one stream, where it is over
  // as soon as that unit is.
  void UseAround(ByteRange hole, int32_t time) { around_.push_back({hole, time}); }
  // Such a use of some of `bytes` that is not over when the unit at `now` runs; kStart: none.
  int32_t UsedAround(ByteRange bytes, int32_t now) {
    std::erase_if(around_, [&](const Around& a) { return a.time < now; });
    int32_t latest = Schedule::kStart;
    for (const Around& a : around_) {
      if (a.time > now && !a.hole.Contains(bytes)) latest = std::max(latest, a.time);
    }
    return latest;
  }
  // Calls f(range, uses) for uses of many segments at once: those of the bytes there as they are now.
  template <class F>
  void ForEachWide(ByteRange bytes, F f) const {
    if (wide_ != nullptr) wide_->ForEach(bytes, f);
  }
  // New content; what was there is needed no more. The storage grows if the bytes lie beyond its ends.
  void Write(ByteRange bytes, ValueId writer, int32_t time, const Schedule& schedule) {
    if (bytes.empty()) return;
    if (bytes.begin <= begin() && bytes.end >= end()) {
      many_.reset();
      wide_.reset();
      begin_ = bytes.begin;
      only_ = Segment{bytes.end, writer, time, Frontier(time)};
      return;
    }
    Grow(bytes, writer, schedule);
    Split(bytes);
    many_->erase(many_->lower_bound(bytes.begin), many_->lower_bound(bytes.end));
    (*many_)[bytes.begin] = Segment{bytes.end, writer, time, Frontier(time)};
    if (wide_ != nullptr) wide_->Change(bytes, [](Frontier& uses) { uses = Frontier(); });
  }
  // New content in some of these bytes; what was there may still be needed.
  void WriteSome(ByteRange bytes, ValueId writer, int32_t time, const Schedule& schedule) {
    if (bytes.empty()) return;
    Grow(bytes, writer, schedule);
    Split(bytes);
    ForEach(bytes, [&](ByteRange, Segment& s) {
      s.writer = writer;
      s.written = time;
      s.uses.Add(time, schedule);
    });
  }
  // Uses of all bytes, whoever wrote them.
  const Frontier& whole() const { return whole_; }
  int64_t begin() const { return begin_; }
  int64_t end() const { return many_ == nullptr ? only_.end : std::prev(many_->end())->second.end; }

 private:
  // A use that meets more segments than this is kept apart.
  static constexpr size_t kFewSegments = 16;

  using Map = absl::btree_map<int64_t, Segment>;
  struct Around {
    ByteRange hole;
    int32_t time = 0;
  };

  Map::iterator Find(int64_t byte) {
    auto it = many_->upper_bound(byte);
    return it == many_->begin() ? it : std::prev(it);
  }
  bool MeetsMany(ByteRange bytes) {
    if (many_ == nullptr || many_->size() <= kFewSegments) return false;
    size_t met = 0;
    for (auto it = Find(bytes.begin); it != many_->end() && it->first < bytes.end; ++it) {
      if (++met > kFewSegments) return true;
    }
    return false;
  }
  Map& Many() {
    if (many_ == nullptr) {
      many_ = std::make_unique<Map>();
      (*many_)[begin_] = only_;
    }
    return *many_;
  }
  void Grow(ByteRange bytes, ValueId writer, const Schedule& schedule) {
    const ByteRange old = {begin(), end()};
    if (old.Contains(bytes)) return;
    // What used the whole of it did not use what comes now.
    if (!(whole_ == Frontier())) {
      for (auto& [begin, s] : Many()) s.uses.AddAll(whole_, schedule);
      whole_ = Frontier();
    }
    for (const Around& a : around_) {
      for (auto& [begin, s] : Many()) s.uses.Add(a.time, schedule);
    }
    around_.clear();
    const auto add = [&](ByteRange part) {
      if (!part.empty()) Many()[part.begin] = Segment{part.end, writer, Schedule::kStart, Frontier()};
    };
    add({old.end, bytes.end});
    add({bytes.begin, old.begin});
    begin_ = std::min(begin_, bytes.begin);
  }
  void Split(ByteRange bytes) {
    if (many_ == nullptr && bytes.begin <= begin_ && bytes.end >= only_.end) return;
    Many();
    SplitAt(bytes.begin);
    SplitAt(bytes.end);
  }
  void SplitAt(int64_t byte) {
    auto it = Find(byte);
    if (it->first >= byte || it->second.end <= byte) return;
    Segment upper = it->second;
    it->second.end = byte;
    (*many_)[byte] = std::move(upper);
  }

  Segment only_;               // the one segment, if many_ is null
  std::unique_ptr<Map> many_;  // by first byte; they cover [begin_, end()) without holes
  int64_t begin_ = 0;
  Frontier whole_;
  std::vector<Around> around_;
  std::unique_ptr<ByteSteps<Frontier>> wide_;  // uses that meet many segments; null: none
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_BYTE_TIMELINE_H_
