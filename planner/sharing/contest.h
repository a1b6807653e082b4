// Wishes that are in each other's way: what the rounds of sharing have seen of them, and which of them win.
//
// A wish that is refused because of values that came to lie there by wishes of their own contests those. When a
// round is over in which nothing else had to be reconsidered, all wishes that are connected by such contests are
// decided together, so that the most bytes are saved (see rivals.h); losers that were granted are struck out, and
// the next round goes without them. What it then refuses is a contest as well: B and C may win against A together
// and turn out to be in each other's way. So what was seen in one round is remembered in all that follow, and a wish
// that was struck out for a hope that failed comes back. Refused wishes count as compatible until a round shows that
// they are not.
//
// TIES: what was granted stays; then in the order in which wishes were first seen. COST: O(1) per wish named; see
// rivals.h for what a group costs. THREADS: one at a time.
#ifndef BUFPLAN_PLANNER_SHARING_CONTEST_H_
#define BUFPLAN_PLANNER_SHARING_CONTEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "planner/sharing/decisions.h"
#include "planner/sharing/storage.h"

namespace bufplan {

class Contest {
 public:
  struct Rival {
    ValueId value;
    WishKind kind = WishKind::kNone;
    bool in_part = false;  // a movement would still execute some of its parts there
    int64_t gain = 0;      // the bytes that are not moved if it is granted
  };
  // A value in the way. It goes if any of these is struck out: its own wish, or one that this depends on.
  struct Obstacle {
    absl::InlinedVector<Rival, 4> any_of;
    std::string missing;  // the fact that would have sufficed
  };

  explicit Contest(size_t num_values) : num_values_(num_values) {}

  // `wish` was refused at `time` because of all of `obstacles`; none: it cannot be had there anyway. One that is tried
  // at several places is refused once for each, one after the other.
  void Refuse(const Rival& wish, int32_t time, absl::Span<const Obstacle> obstacles);

  // At the end of a round that is not to count.
  void Forget();
  // At the end of a round: strikes out the losers, and takes back what was struck out in vain. `granted`: the wish by
  // which a value lies where it does.
  void Decide(absl::FunctionRef<Rival(ValueId)> granted, Decisions& decisions);

 private:
  static constexpr int32_t kNone = -1;
  static constexpr int32_t kSeveral = -2;

  struct Entry {
    Rival rival;
    int32_t next_of_value = kNone;
    int32_t last_record = kNone;
    int32_t refused_in = kNone;  // the last round in which it was
    bool hopeless : 1 = false;   // refused in a round in which nothing that can be struck out was in its way
    bool granted : 1 = false;    // in this round
    bool struck : 1 = false;     // by Decide()
    bool expected : 1 = false;   // it won, but others had to be struck out first
    bool changed : 1 = false;    // this round has taught something about it
    bool contends : 1 = false;   // it saves bytes, and is had or can be had
    bool wins : 1 = false;
    int32_t in_way_of = kNone;  // whose way it is in: an entry, or kSeveral
    int32_t leader = kNone;     // towards that of its group
    int32_t place = kNone;      // in its group
  };
  // [first, end): of a record its alternatives, of those their obstacles, of those their members.
  struct Range {
    int32_t first = 0, end = 0;
  };
  // The refusals of a wish in one round. For every one of its records it needs one of the alternatives.
  struct Record {
    int32_t entry = kNone;
    int32_t time = 0;
    int32_t previous = kNone;  // of the same wish
    Range alternatives;
    bool valid = true;
  };

  int32_t Find(const Rival& rival) const;
  int32_t EntryOf(const Rival& rival);
  Range AddObstacles(absl::Span<const Obstacle> obstacles);
  bool Learn(absl::FunctionRef<Rival(ValueId)> granted);
  void GiveUp(Entry& entry);
  bool SeenBefore(const Record& record) const;
  bool Equal(const Range& a, const Range& b) const;
  bool Disproven(const Record& record) const;
  void FindContenders(const Decisions& decisions);
  bool IsGone(const Entry& e) const { return e.struck || !e.granted; }
  bool IsFree(const Range& obstacle) const;
  bool Matters(int32_t member, const Range& obstacle) const;
  void Connect();
  int32_t LeaderOf(int32_t entry);
  void Unite(int32_t a, int32_t b);
  void DecideGroup(absl::Span<const int32_t> group, Decisions& decisions);
  std::vector<char> Choose(absl::Span<const int32_t> group);
  void Readmit(Entry& entry, Decisions& decisions);
  void ClearTheWay(const Entry& winner, Decisions& decisions);
  std::optional<int64_t> CostOf(const Range& alternative) const;
  int32_t LoserOf(const Range& obstacle) const;
  template <class F>
  void ForEachRecord(const Entry& entry, F f) const;
  template <class F>
  void ForEachObstacle(const Record& record, F f) const;

  Entry& entry(int32_t i) { return entries_[static_cast<size_t>(i)]; }
  const Entry& entry(int32_t i) const { return entries_[static_cast<size_t>(i)]; }

  size_t num_values_;
  std::vector<int32_t> first_of_;  // by value, into entries_; empty until there are any
  std::vector<Entry> entries_;
  std::vector<Record> records_;
  std::vector<Range> alternatives_;
  std::vector<Range> obstacles_;
  std::vector<std::string> missing_;  // by obstacle
  std::vector<int32_t> members_;      // into entries_
  int32_t new_records_ = 0;           // those of this round begin there
  int32_t round_ = 0;
};

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_SHARING_CONTEST_H_
