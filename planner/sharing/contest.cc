#include "planner/sharing/contest.h"

#include <algorithm>
#include <utility>

#include "ir/plan.h"
#include "planner/sharing/granter.h"
#include "planner/sharing/rivals.h"

namespace bufplan {
namespace {

int32_t Size(const auto& things) { return static_cast<int32_t>(things.size()); }
size_t At(int32_t i) { return static_cast<size_t>(i); }

}  // namespace

template <class F>
void Contest::ForEachRecord(const Entry& entry, F f) const {
  for (int32_t r = entry.last_record; r != kNone; r = records_[At(r)].previous) {
    if (records_[At(r)].valid) f(records_[At(r)]);
  }
}

template <class F>
void Contest::ForEachObstacle(const Record& record, F f) const {
  for (int32_t a = record.alternatives.first; a < record.alternatives.end; ++a) {
    for (int32_t o = alternatives_[At(a)].first; o < alternatives_[At(a)].end; ++o) f(obstacles_[At(o)]);
  }
}

int32_t Contest::Find(const Rival& rival) const {
  if (first_of_.empty()) return kNone;
  int32_t i = first_of_[rival.value.index()];
  while (i != kNone && (entry(i).rival.kind != rival.kind || entry(i).rival.in_part != rival.in_part)) {
    i = entry(i).next_of_value;
  }
  return i;
}

int32_t Contest::EntryOf(const Rival& rival) {
  if (first_of_.empty()) first_of_.assign(num_values_, kNone);
  int32_t i = Find(rival);
  if (i == kNone) {
    i = Size(entries_);
    entries_.emplace_back();
    entries_.back().next_of_value = std::exchange(first_of_[rival.value.index()], i);
  }
  entry(i).rival = rival;
  return i;
}

void Contest::Refuse(const Rival& wish, int32_t time, absl::Span<const Obstacle> obstacles) {
  const int32_t i = obstacles.empty() ? Find(wish) : EntryOf(wish);
  if (i == kNone) return;
  entry(i).refused_in = round_;
  if (obstacles.empty()) return;
  if (Size(records_) == new_records_ || records_.back().entry != i) {
    const int32_t next = Size(alternatives_);
    records_.push_back({i, time, std::exchange(entry(i).last_record, Size(records_)), {next, next}, true});
  }
  alternatives_.push_back(AddObstacles(obstacles));
  records_.back().alternatives.end = Size(alternatives_);
}

Contest::Range Contest::AddObstacles(absl::Span<const Obstacle> obstacles) {
  const int32_t first = Size(obstacles_);
  for (const Obstacle& obstacle : obstacles) {
    const int32_t begin = Size(members_);
    for (const Rival& rival : obstacle.any_of) members_.push_back(EntryOf(rival));
    const Range added{begin, Size(members_)};
    const auto same = [&](const Range& other) { return Equal(other, added); };
    if (std::any_of(obstacles_.begin() + first, obstacles_.end(), same)) {
      members_.resize(At(begin));
      continue;
    }
    obstacles_.push_back(added);
    missing_.push_back(obstacle.missing);
  }
  return {first, Size(obstacles_)};
}

// Of obstacles.
bool Contest::Equal(const Range& a, const Range& b) const {
  return std::equal(members_.begin() + a.first, members_.begin() + a.end, members_.begin() + b.first,
                    members_.begin() + b.end);
}

bool Contest::SeenBefore(const Record& record) const {
  const auto same = [&](const Range& a, const Range& b) {
    return std::equal(obstacles_.begin() + a.first, obstacles_.begin() + a.end, obstacles_.begin() + b.first,
                      obstacles_.begin() + b.end, [&](const Range& x, const Range& y) { return Equal(x, y); });
  };
  const auto alternatives = [&](const Record& r) {
    return absl::MakeConstSpan(alternatives_)
        .subspan(At(r.alternatives.first), At(r.alternatives.end - r.alternatives.first));
  };
  for (int32_t r = record.previous; r != kNone; r = records_[At(r)].previous) {
    const absl::Span<const Range> a = alternatives(record), b = alternatives(records_[At(r)]);
    if (records_[At(r)].valid && std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) return true;
  }
  return false;
}

// The wish was granted although all of its alternatives were blocked.
bool Contest::Disproven(const Record& record) const {
  const auto stands = [&](const Range& obstacle) {
    return std::all_of(members_.begin() + obstacle.first, members_.begin() + obstacle.end,
                       [&](int32_t m) { return entry(m).granted; });
  };
  return std::all_of(alternatives_.begin() + record.alternatives.first, alternatives_.begin() + record.alternatives.end,
                     [&](const Range& alternative) {
                       return std::any_of(obstacles_.begin() + alternative.first, obstacles_.begin() + alternative.end,
                                          stands);
                     });
}

// Whoever had to go for it may come back.
void Contest::GiveUp(Entry& e) {
  e.hopeless = true;
  ForEachRecord(e, [&](const Record& record) {
    ForEachObstacle(record, [&](const Range& obstacle) {
      for (int32_t m = obstacle.first; m < obstacle.end; ++m) entry(members_[At(m)]).changed = true;
    });
  });
}

// Whether there is anything to decide.
bool Contest::Learn(absl::FunctionRef<Rival(ValueId)> granted) {
  bool changed = false;
  // A movement that would give up what it has in part to have all.
  for (int32_t r = new_records_; r < Size(records_); ++r) {
    const Rival& wish = entry(records_[At(r)].entry).rival;
    const Rival has = granted(wish.value);
    if (has.kind == wish.kind && has.in_part != wish.in_part) EntryOf(has);
  }
  for (Entry& e : entries_) {
    const Rival has = granted(e.rival.value);
    e.changed = false;
    e.granted = has.kind == e.rival.kind && has.in_part == e.rival.in_part;
    if (e.granted) e.hopeless = false;
  }
  for (Entry& e : entries_) {
    const bool recorded = e.last_record >= new_records_;
    if (e.granted || e.refused_in != round_ || recorded || e.hopeless) continue;
    changed = changed || e.expected;
    GiveUp(e);
  }
  for (int32_t r = 0; r < Size(records_); ++r) {
    Record& record = records_[At(r)];
    Entry& e = entry(record.entry);
    if (!record.valid) continue;
    if (r < new_records_) {
      record.valid = !e.granted || !Disproven(record);
      continue;
    }
    record.valid = !e.granted && !SeenBefore(record);
    if (e.granted || (!record.valid && !e.expected)) continue;
    e.changed = changed = true;
  }
  new_records_ = Size(records_);
  return changed;
}

void Contest::FindContenders(const Decisions& decisions) {
  for (Entry& e : entries_) {
    const bool may_come = e.last_record != kNone && !e.hopeless && decisions.Wanted(e.rival.value, e.rival.kind);
    e.contends = e.rival.gain > 0 && (e.granted || e.struck || may_come);
    e.wins = e.contends && e.granted;
    e.in_way_of = kNone;
  }
  for (const Record& record : records_) {
    if (!record.valid || !entry(record.entry).contends) continue;
    ForEachObstacle(record, [&](const Range& obstacle) {
      for (int32_t m = obstacle.first; m < obstacle.end; ++m) {
        int32_t& whose = entry(members_[At(m)]).in_way_of;
        whose = whose == kNone || whose == record.entry ? record.entry : kSeveral;
      }
    });
  }
}

// It goes at no cost, or is gone already.
bool Contest::IsFree(const Range& obstacle) const {
  return std::any_of(members_.begin() + obstacle.first, members_.begin() + obstacle.end,
                     [&](int32_t m) { return !entry(m).contends; });
}

// Nobody would strike out a wish that is in nobody else's way if a cheaper one does as well.
bool Contest::Matters(int32_t member, const Range& obstacle) const {
  const Entry& e = entry(member);
  if (e.struck || e.last_record != kNone || e.in_way_of == kSeveral) return true;
  const auto cheaper = [&](int32_t a, int32_t b) { return entry(a).rival.gain < entry(b).rival.gain; };
  return *std::min_element(members_.begin() + obstacle.first, members_.begin() + obstacle.end, cheaper) == member;
}

int32_t Contest::LeaderOf(int32_t i) {
  while (entry(i).leader != i) i = entry(i).leader = entry(entry(i).leader).leader;
  return i;
}

void Contest::Unite(int32_t a, int32_t b) {
  a = LeaderOf(a);
  b = LeaderOf(b);
  entry(std::max(a, b)).leader = std::min(a, b);
}

void Contest::Connect() {
  for (int32_t i = 0; i < Size(entries_); ++i) entry(i).leader = i;
  for (const Record& record : records_) {
    if (!record.valid || !entry(record.entry).contends) continue;
    ForEachObstacle(record, [&](const Range& obstacle) {
      if (IsFree(obstacle)) return;
      for (int32_t m = obstacle.first; m < obstacle.end; ++m) {
        if (Matters(members_[At(m)], obstacle)) Unite(record.entry, members_[At(m)]);
      }
    });
  }
  for (int32_t i = 0; i < Size(entries_); ++i) {
    for (int32_t s = entry(i).next_of_value; s != kNone; s = entry(s).next_of_value) {
      if (entry(s).rival.kind == entry(i).rival.kind) Unite(i, s);
    }
  }
}

std::vector<char> Contest::Choose(absl::Span<const int32_t> group) {
  Rivals rivals;
  for (int32_t i = 0; i < Size(group); ++i) {
    Entry& e = entry(group[At(i)]);
    e.place = i;
    const bool comes = e.expected && !e.struck && e.refused_in != round_;
    rivals.AddWish(e.rival.gain, e.granted || comes);
  }
  absl::InlinedVector<int32_t, 4> places;
  for (int32_t i : group) {
    ForEachRecord(entry(i), [&](const Record& record) {
      rivals.AddCondition(entry(i).place);
      for (int32_t a = record.alternatives.first; a < record.alternatives.end; ++a) {
        rivals.AddAlternative();
        for (int32_t o = alternatives_[At(a)].first; o < alternatives_[At(a)].end; ++o) {
          const Range& obstacle = obstacles_[At(o)];
          if (IsFree(obstacle)) continue;
          places.clear();
          for (int32_t m = obstacle.first; m < obstacle.end; ++m) {
            if (Matters(members_[At(m)], obstacle)) places.push_back(entry(members_[At(m)]).place);
          }
          rivals.AddObstacle(places);
        }
      }
    });
    // All of a movement at its source, or only parts of it. Wishes of other kinds are no substitutes: what lies at its
    // source may be where it is going to be copied to as well.
    for (int32_t s = entry(i).next_of_value; s != kNone; s = entry(s).next_of_value) {
      if (!entry(s).contends || entry(s).rival.kind != entry(i).rival.kind) continue;
      rivals.AddCondition(entry(i).place);
      rivals.AddAlternative();
      rivals.AddObstacle({entry(s).place});
    }
  }
  return std::move(rivals).Choose();
}

void Contest::DecideGroup(absl::Span<const int32_t> group, Decisions& decisions) {
  const std::vector<char> chosen = Choose(group);
  for (int32_t i : group) {
    Entry& e = entry(i);
    e.wins = chosen[At(e.place)] != 0;
    e.expected = e.wins && !e.granted;
  }
  for (int32_t i : group) {
    if (entry(i).wins && entry(i).struck) Readmit(entry(i), decisions);
  }
  for (int32_t i : group) {
    if (entry(i).wins) ClearTheWay(entry(i), decisions);
  }
}

void Contest::Readmit(Entry& e, Decisions& decisions) {
  e.struck = false;
  for (int32_t s = first_of_[e.rival.value.index()]; s != kNone; s = entry(s).next_of_value) {
    if (entry(s).struck && entry(s).rival.kind == e.rival.kind) return;
  }
  decisions.Readmit(e.rival.value, e.rival.kind);
}

// Of what may go for an obstacle: what is gone already, else the cheapest; kNone: all of it stays.
int32_t Contest::LoserOf(const Range& obstacle) const {
  int32_t loser = kNone;
  for (int32_t m = obstacle.first; m < obstacle.end; ++m) {
    const int32_t i = members_[At(m)];
    if (entry(i).wins) continue;
    if (IsGone(entry(i))) return i;
    if (loser == kNone || entry(i).rival.gain < entry(loser).rival.gain) loser = i;
  }
  return loser;
}

// Of clearing the way for it; nullopt: something stays.
std::optional<int64_t> Contest::CostOf(const Range& alternative) const {
  int64_t cost = 0;
  for (int32_t o = alternative.first; o < alternative.end; ++o) {
    const int32_t loser = LoserOf(obstacles_[At(o)]);
    if (loser == kNone) return std::nullopt;
    if (!IsGone(entry(loser))) cost += entry(loser).rival.gain + 1;
  }
  return cost;
}

void Contest::ClearTheWay(const Entry& winner, Decisions& decisions) {
  ForEachRecord(winner, [&](const Record& record) {
    std::optional<int64_t> least;
    Range best;
    for (int32_t a = record.alternatives.first; a < record.alternatives.end; ++a) {
      const std::optional<int64_t> cost = CostOf(alternatives_[At(a)]);
      if (!cost.has_value() || (least.has_value() && *cost >= *least)) continue;
      least = cost;
      best = alternatives_[At(a)];
    }
    for (int32_t o = best.first; o < best.end; ++o) {
      Entry& loser = entry(LoserOf(obstacles_[At(o)]));
      // It may still win by another wish of the same kind.
      bool wins = false;
      for (int32_t s = first_of_[loser.rival.value.index()]; s != kNone; s = entry(s).next_of_value) {
        wins = wins || (entry(s).wins && entry(s).rival.kind == loser.rival.kind);
      }
      if (wins || IsGone(loser)) continue;
      const Refusal reason{Why::kCostsLess, winner.rival.value, record.time, missing_[At(o)]};
      loser.struck = decisions.StrikeOut(loser.rival.value, loser.rival.kind, reason);
    }
  });
}

void Contest::Forget() {
  if (Size(records_) > new_records_) {
    const Range alternatives = {records_[At(new_records_)].alternatives.first, Size(alternatives_)};
    const int32_t obstacles = alternatives_[At(alternatives.first)].first;
    const int32_t members = obstacles_[At(obstacles)].first;
    for (int32_t r = Size(records_); r-- > new_records_;)
      entry(records_[At(r)].entry).last_record = records_[At(r)].previous;
    records_.resize(At(new_records_));
    alternatives_.resize(At(alternatives.first));
    obstacles_.resize(At(obstacles));
    missing_.resize(At(obstacles));
    members_.resize(At(members));
  }
  ++round_;
}

void Contest::Decide(absl::FunctionRef<Rival(ValueId)> granted, Decisions& decisions) {
  const bool changed = decisions.contest() && Learn(granted);
  if (changed) {
    FindContenders(decisions);
    Connect();
    std::vector<std::pair<int32_t, int32_t>> by_leader;
    for (int32_t i = 0; i < Size(entries_); ++i) {
      if (entry(i).contends) by_leader.emplace_back(LeaderOf(i), i);
    }
    std::sort(by_leader.begin(), by_leader.end());
    std::vector<int32_t> group;
    for (size_t i = 0; i < by_leader.size();) {
      group.clear();
      bool open = false;
      for (const int32_t leader = by_leader[i].first; i < by_leader.size() && by_leader[i].first == leader; ++i) {
        group.push_back(by_leader[i].second);
        open = open || entry(group.back()).changed;
      }
      if (open) DecideGroup(group, decisions);
    }
  }
  ++round_;
}

}  // namespace bufplan
