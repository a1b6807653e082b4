#include "planner/sharing/sharing.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "planner/sharing/byte_timeline.h"
#include "planner/sharing/granter.h"
#include "planner/sharing/ownership.h"
#include "planner/sharing/storage_table.h"

namespace bufplan {
namespace {

// Which wishes are tried, and in which order.
class Sharer {
 public:
  Sharer(const Graph& graph, const Schedule& schedule, const Uses& uses, InPlaceTaste taste, Ownership& ownership)
      : g_(graph),
        schedule_(schedule),
        uses_(uses),
        taste_(taste),
        ownership_(ownership),
        s_(graph, schedule, uses),
        granter_(graph, schedule, uses, ownership, s_) {}

  // True: done. False: a variable was locked, start again.
  absl::StatusOr<bool> Run();
  Sharing Take() { return std::move(s_).Finish(); }

 private:
  void ShareUnit(int32_t time);
  void ShareResult(int32_t time, const Write& w);
  std::optional<ValueId> BuiltOnInGroup(int32_t time, ValueId v) const;
  void ShareInPlace(int32_t time);
  void Refuse(int32_t time, const Wish& wish, const Refusal& refusal);
  absl::StatusOr<bool> Commit(int32_t time, const Op& op);

  const Graph& g_;
  const Schedule& schedule_;
  const Uses& uses_;
  const InPlaceTaste taste_;
  Ownership& ownership_;
  StorageTable s_;
  Granter granter_;
};

absl::StatusOr<bool> Sharer::Run() {
  for (int32_t t = 0; t < schedule_.End(); ++t) {
    ShareUnit(t);
    const Op& op = g_.op(OpId(t));
    if (op.kind != OpKind::kCommit) continue;
    const absl::StatusOr<bool> done = Commit(t, op);
    if (!done.ok() || !*done) return done;
  }
  return true;
}

// Results with a base first, then in-place wishes, then storages of their own.
void Sharer::ShareUnit(int32_t time) {
  const absl::Span<const OpId> unit = schedule_.UnitAt(time);
  bool wishes = schedule_.FusionAt(time).has_value();
  for (OpId o : unit) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      wishes = wishes || w.num_in_place > 0;
      if (w.base.has_value()) ShareResult(time, w);
    }
  }
  if (wishes) ShareInPlace(time);
  for (OpId o : unit) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      if (!s_.Placed(w.value)) s_.Create(w.value, std::nullopt);
    }
  }
}

void Sharer::ShareResult(int32_t time, const Write& w) {
  if (schedule_.FusionAt(time).has_value() && granter_.WrittenAt(*w.base, time)) return;  // written whole by the group
  if (g_.value(w.value).max_bytes == 0) return;                                           // nothing to carry
  const Wish wish{w.value, *w.base, true, InPlaceMode::kAny, &w};
  if (const std::optional<ValueId> next = BuiltOnInGroup(time, w.value)) {
    Refuse(time, wish, {Why::kOwnOperand, *next});  // the group may still want the base's old bytes for that one
    s_.Create(w.value, std::nullopt);
    return;
  }
  if (std::optional<Refusal> refusal = granter_.TryGrant(time, wish)) {
    Refuse(time, wish, *refusal);
    s_.Create(w.value, std::nullopt);
  }
}

// A result of the same fused group whose base is v.
std::optional<ValueId> Sharer::BuiltOnInGroup(int32_t time, ValueId v) const {
  if (!schedule_.FusionAt(time).has_value()) return std::nullopt;
  for (OpId o : schedule_.UnitAt(time)) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (w.base.has_value() && uses_.root(*w.base) == v) return w.value;
    }
  }
  return std::nullopt;
}

void Sharer::ShareInPlace(int32_t time) {
  absl::InlinedVector<Wish, 8> wishes;
  const auto add = [&](const Write& w, ValueId operand, InPlaceMode mode) {
    const bool bytes = g_.value(w.value).max_bytes > 0 && g_.value(operand).max_bytes > 0;
    if (!s_.Placed(w.value) && bytes && !schedule_.Swallowed(operand))
      wishes.push_back({w.value, operand, false, mode, &w});
  };
  const std::optional<FusionId> fusion = schedule_.FusionAt(time);
  for (OpId o : schedule_.UnitAt(time)) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      if (!fusion.has_value()) {
        for (const InPlace& p : g_.in_place(w)) add(w, p.value, p.mode);
      } else {
        for (const FusionInPlace& p : g_.fusions()[fusion->index()].in_place) {
          if (p.result == w.value && !granter_.WrittenAt(p.value, time)) add(w, p.value, p.mode);
        }
      }
    }
  }
  const auto saved = [&](const Wish& w) {
    return std::min(g_.value(w.result).max_bytes, g_.value(w.target).max_bytes);
  };
  const auto born = [&](ValueId v) {
    if (taste_ == InPlaceTaste::kFirstOperand) return 0;
    const std::optional<OpId> producer = g_.producer(uses_.root(v));
    return producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
  };
  std::stable_sort(wishes.begin(), wishes.end(), [&](const Wish& a, const Wish& b) {
    return std::make_tuple(-saved(a), g_.value(a.target).max_bytes, born(a.target)) <
           std::make_tuple(-saved(b), g_.value(b.target).max_bytes, born(b.target));
  });
  for (const Wish& wish : wishes) {
    if (s_.Placed(wish.result)) {
      if (s_.StorageOf(wish.target) != s_.StorageOf(wish.result)) Refuse(time, wish, {Why::kBetterOperand});
    } else if (std::optional<Refusal> refusal = granter_.TryGrant(time, wish)) {
      Refuse(time, wish, *refusal);
    }
  }
}

void Sharer::Refuse(int32_t time, const Wish& wish, const Refusal& refusal) {
  Note note;
  note.op = OpId(time);
  note.why = refusal.why;
  note.result = wish.result;
  note.value = wish.target;
  note.other = refusal.other;
  if (refusal.blocker.has_value() && *refusal.blocker != schedule_.End()) note.blocker = OpId(*refusal.blocker);
  s_.AddRefusal(std::move(note));
}

// A commit whose source lies elsewhere overwrites the target's storage when it runs.
absl::StatusOr<bool> Sharer::Commit(int32_t time, const Op& op) {
  const ValueId target = *op.commit_target, source = g_.reads(op)[0].value;
  const int32_t storage = s_.StorageOf(target);
  s_.Seal(storage);
  if (s_.StorageOf(source) == storage && s_.OffsetOf(source) == Expr(0)) return true;
  std::optional<int32_t> late;
  const auto look = [&](const Frontier& uses) {
    uses.ForEach([&](int32_t t) {
      if (t == time || schedule_.Before(t, time)) return;
      if (t < time) {
        s_.AddOrder({OpId(t), OpId(time)});
      } else if (!late.has_value()) {
        late = t;
      }
    });
  };
  ByteTimeline& timeline = s_.TimelineOf(storage);
  timeline.ForEach({0, timeline.size()}, [&](ByteRange, const Segment& s) { look(s.uses); });
  look(timeline.whole());
  if (granter_.KeptAliveBy(time, storage).has_value()) late = time;
  if (!late.has_value()) return true;
  if (!s_.OneRoot(storage)) {
    ownership_.Lock(target);
    return false;
  }
  const std::string reader = *late == schedule_.End() ? std::string("the end of the graph, where it is an output,")
                             : *late == time          ? std::string("a keep_alive until that commit")
                                                      : absl::StrCat("op \"", g_.name(OpId(*late)), "\"");
  return absl::InvalidArgumentError(
      absl::StrCat(ToString(g_.value(target).role), " \"", g_.name(target), "\": ", reader,
                   " needs its old content after op \"", g_.name(OpId(time)), "\" has committed \"", g_.name(source),
                   "\" to it; list the reader before the commit, or clone \"", g_.name(target), "\" first"));
}

}  // namespace

absl::StatusOr<Sharing> ShareStorages(const Graph& graph, const Schedule& schedule, const Uses& uses,
                                      InPlaceTaste taste) {
  Ownership ownership(graph);
  while (true) {  // each round but the last locks a variable
    Sharer sharer(graph, schedule, uses, taste, ownership);
    const absl::StatusOr<bool> done = sharer.Run();
    if (!done.ok()) return done.status();
    if (*done) return sharer.Take();
  }
}

}  // namespace bufplan
