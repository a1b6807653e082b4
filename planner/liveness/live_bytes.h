// The life of each byte of one storage while its values are visited in the order they are written.
//
// Step functions over the bytes, apart as they change at different places: since when the content is alive, and until
// when it is needed. The latter is the later of two: uses that meet many steps are kept by themselves, so that many
// uses of much of a storage do not visit all of its parts each time.
//
// What "until when" is depends on the streams: a time in one list (ListClock), or the last units on each stream
// (StreamClock). Times are those of units.
//
// COST: O(log steps) per boundary, O(1) per step that a range meets; a use meets a limited number of steps.
#ifndef BUFPLAN_PLANNER_LIVENESS_LIVE_BYTES_H_
#define BUFPLAN_PLANNER_LIVENESS_LIVE_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "planner/liveness/byte_steps.h"
#include "planner/order/frontier.h"
#include "planner/order/schedule.h"

namespace bufplan {

// All ops run one after the other.
class ListClock {
 public:
  static constexpr bool kPartial = false;
  using Until = int32_t;  // the last unit; kNever: none

  explicit ListClock(const Schedule&) {}

  Until Never() const { return Schedule::kStart - 1; }
  void Add(Until& until, int32_t unit) const { until = std::max(until, unit); }
  void AddAll(Until& until, Until other) const { until = std::max(until, other); }
  // Whether a life that ends there may be told from one that the unit at `time` begins. What goes on without a pause
  // need not be told apart.
  bool Over(Until until, int32_t time) const { return until < time - 1; }
};

// Ops run on several streams.
class StreamClock {
 public:
  static constexpr bool kPartial = true;
  using Until = std::optional<Frontier>;

  explicit StreamClock(const Schedule& schedule) : schedule_(schedule) {}

  Until Never() const { return std::nullopt; }
  void Add(Until& until, int32_t unit) const {
    if (until.has_value()) {
      until->Add(unit, schedule_);
    } else {
      until.emplace(unit);
    }
  }
  void AddAll(Until& until, const Until& other) const {
    if (!other.has_value()) return;
    if (until.has_value()) {
      until->AddAll(*other, schedule_);
    } else {
      until = other;
    }
  }
  bool Over(const Until& until, int32_t time) const {
    return !until.has_value() || !until->NotBefore(time, schedule_).has_value();
  }
  // A unit that happens before both, or one of them that happens before the other one.
  int32_t Earlier(int32_t born, int32_t time) const {
    return born == time || schedule_.Before(born, time) ? born : schedule_.LastBeforeBoth(born, time);
  }

 private:
  const Schedule& schedule_;
};

template <class Clock>
class LiveBytes {
 public:
  using Until = typename Clock::Until;
  // Bytes that are needed until then.
  struct Need {
    ByteRange bytes;
    Until until;
  };

  // Dead until something is written. `scratch` is anybody's.
  LiveBytes(int64_t size, int32_t time, Clock clock, std::vector<Need>& scratch)
      : clock_(clock), size_(size), born_({0, size}, time), needed_({0, size}, clock.Never()), needs_(scratch) {}

  // The unit at `time` needs the bytes.
  void Use(ByteRange bytes, int32_t time) {
    if (!needed_.MeetsMoreThan(kFewSteps, bytes)) {
      Raise(needed_, bytes, time);
      return;
    }
    if (!needed_by_many_.has_value()) needed_by_many_.emplace(ByteRange{0, size_}, clock_.Never());
    Raise(*needed_by_many_, bytes, time);
  }

  // New content in all of `bytes`. A life that lasts until now goes on; another one is over: f(bytes, born, until).
  template <class F>
  void Write(ByteRange bytes, int32_t time, F f) {
    FindNeeds(bytes);
    for (const Need& need : needs_) {
      if (!clock_.Over(need.until, time)) {
        BeginBy(need.bytes, time);
        continue;
      }
      if (!(need.until == clock_.Never())) {
        born_.ForEach(need.bytes, [&](ByteRange part, int32_t born) { f(part, born, need.until); });
      }
      born_.Change(need.bytes, [&](int32_t& born) { born = time; });
    }
    NeedAll(bytes, time);
  }

  // New content somewhere in `bytes`: the old, if there is any, lives on beside it.
  void WriteSome(ByteRange bytes, int32_t time) {
    FindNeeds(bytes);
    for (const Need& need : needs_) {
      if (need.until == clock_.Never()) {
        born_.Change(need.bytes, [&](int32_t& born) { born = time; });
      } else {
        BeginBy(need.bytes, time);
      }
    }
    NeedAll(bytes, time);
  }

  // f(bytes, born, until) for every life that is not over; neighbours that are alike are one.
  template <class F>
  void Finish(F f) {
    FindNeeds({0, size_});
    ByteRange run;
    int32_t run_born = 0;
    const Until* run_until = nullptr;
    for (const Need& need : needs_) {
      if (need.until == clock_.Never()) continue;
      born_.ForEach(need.bytes, [&](ByteRange part, int32_t born) {
        if (run_until != nullptr && run.end == part.begin && run_born == born && *run_until == need.until) {
          run.end = part.end;
          return;
        }
        if (run_until != nullptr) f(run, run_born, *run_until);
        run = part;
        run_born = born;
        run_until = &need.until;
      });
    }
    if (run_until != nullptr) f(run, run_born, *run_until);
  }

 private:
  // Uses that meet more steps than this are kept by themselves.
  static constexpr size_t kFewSteps = 16;

  // A life that goes on was there when the unit at `time` began.
  void BeginBy(ByteRange bytes, int32_t time) {
    if constexpr (Clock::kPartial) born_.Change(bytes, [&](int32_t& born) { born = clock_.Earlier(born, time); });
  }

  void Raise(ByteSteps<Until>& steps, ByteRange bytes, int32_t time) {
    steps.Change(bytes, [&](Until& until) { clock_.Add(until, time); });
  }

  // Visits every step, unlike Use(): these are visited anyhow, and there are fewer of them afterwards.
  void NeedAll(ByteRange bytes, int32_t time) {
    Raise(needed_, bytes, time);
    if (needed_by_many_.has_value()) Raise(*needed_by_many_, bytes, time);
  }

  // Until when the parts of `bytes` are needed, into needs_.
  void FindNeeds(ByteRange bytes) {
    needs_.clear();
    needed_.ForEach(bytes, [&](ByteRange part, const Until& until) {
      if (!needed_by_many_.has_value()) {
        needs_.push_back({part, until});
        return;
      }
      needed_by_many_->ForEach(part, [&](ByteRange run, const Until& many) {
        Until both = until;
        clock_.AddAll(both, many);
        const bool joins = !needs_.empty() && needs_.back().until == both;
        if (joins) {
          needs_.back().bytes.end = run.end;
        } else {
          needs_.push_back({run, std::move(both)});
        }
      });
    });
  }

  Clock clock_;
  int64_t size_;
  ByteSteps<int32_t> born_;
  ByteSteps<Until> needed_;
  std::optional<ByteSteps<Until>> needed_by_many_;
  std::vector<Need>& needs_;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_LIVENESS_LIVE_BYTES_H_
