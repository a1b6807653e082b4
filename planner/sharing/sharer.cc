#include "planner/sharing/sharer.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "planner/sharing/carried_bytes.h"

namespace bufplan {
namespace {

// Parts of one movement whose sources are tried as places of the whole.
constexpr uint32_t kMaxPartsTried = 4;
// What an op with elide "must" is worth, in bytes.
constexpr int64_t kMustNotMove = int64_t{1} << 50;

}  // namespace

Sharer::Sharer(const Graph& graph, const Schedule& schedule, const Uses& uses, const Destinations& destinations,
               InPlaceTaste taste, Decisions& decisions, Contest& contest)
    : g_(graph),
      schedule_(schedule),
      uses_(uses),
      destinations_(destinations),
      taste_(taste),
      decisions_(decisions),
      contest_(contest),
      ownership_(graph),
      s_(graph, schedule, uses),
      effects_(graph, schedule, uses, destinations, s_),
      finder_(graph, schedule, uses, destinations, decisions, s_),
      granter_(graph, schedule, uses, ownership_, effects_, s_),
      grants_(graph, s_) {}

// Some result takes over bytes of v.
bool Sharer::IsBase(ValueId v) {
  if (is_base_.empty()) {
    is_base_.assign(g_.values().size(), 0);
    for (size_t i = 0; i < g_.ops().size(); ++i) {
      const OpId op(static_cast<int32_t>(i));
      for (const Write& w : g_.writes(g_.ops()[i])) {
        if (!w.base.has_value() || (destinations_.Moves(op) && !effects_.KeepsBase(op, w))) continue;
        is_base_[uses_.root(*w.base).index()] = 1;
      }
    }
  }
  return is_base_[v.index()] != 0;
}

absl::Status Sharer::Run() {
  PlaceInputs();
  for (int32_t t = 0; t < schedule_.End(); ++t) {
    const OpId op = schedule_.OpAt(t);
    if (g_.op(op).kind == OpKind::kCommit && destinations_.Moves(op)) {
      if (absl::Status s = Commit(t, op); !s.ok()) return s;
    } else {
      ShareUnit(t);
    }
  }
  FindUnreadResults();
  FindVainReservations();
  return absl::OkStatus();
}

// Inputs can be filled where they are going to be copied to. By name, so that where they lie does not depend on the
// order in which they were declared.
void Sharer::PlaceInputs() {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < g_.values().size(); ++i) {
    const ValueId v(static_cast<int32_t>(i));
    if (g_.value(v).role == Role::kInput) inputs.push_back(v);
  }
  std::sort(inputs.begin(), inputs.end(), [&](ValueId a, ValueId b) { return g_.name(a) < g_.name(b); });
  for (ValueId v : inputs) {
    if (!PlaceInput(v)) s_.Create(v, std::nullopt);
  }
}

bool Sharer::PlaceInput(ValueId v) {
  if (!decisions_.Wanted(v, WishKind::kForward) || g_.value(v).pinned_offset_bytes.has_value()) return false;
  DestinationSpots found = finder_.Find(v, Schedule::kStart);
  const auto is_owned = [&](const Spot& spot) { return s_.storage(spot.storage).owner.has_value(); };
  const size_t spots = found.spots.size();
  found.spots.erase(std::remove_if(found.spots.begin(), found.spots.end(), is_owned), found.spots.end());
  // What goes on into storage of the caller had better be copied there at once.
  const auto goes_on = [&](ValueId to) {
    const Spots next = finder_.Find(to, Schedule::kStart).spots;
    return found.spots.size() < spots || std::any_of(next.begin(), next.end(), is_owned);
  };
  if (found.to_reserve.has_value()) {
    const ValueId to = found.to_reserve->to;
    if (decisions_.LiesApart(to) || !goes_on(to)) {
      found.spots.push_back(Reserved(v, *found.to_reserve));
    } else {
      not_reserved_.push_back(to);
    }
  }
  for (const Spot& spot : found.spots) {
    if (!granter_.TryInput(v, spot)) continue;
    grants_.Add(v, v, found.gain);
    return true;
  }
  return false;
}

Spot Sharer::Reserved(ValueId v, const FutureSpot& at) {
  const std::optional<int32_t> reserved = s_.ReservedFor(at.to);
  return {reserved.has_value() ? *reserved : s_.Reserve(at.to), Region{at.offset, g_.value(v).bytes, {}}};
}

void Sharer::ShareUnit(int32_t time) {
  const absl::Span<const OpId> unit = schedule_.UnitAt(time);
  if (unit.size() == 1 && destinations_.Moves(unit[0])) return ShareMovement(time, unit[0]);
  const bool fused = schedule_.FusionAt(time).has_value();
  bool wishes = fused;
  for (OpId o : unit) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      wishes = wishes || w.num_in_place > 0;
      std::optional<Refusal> refusal;
      if (w.base.has_value() && ShareOnBase(time, o, w, refusal)) continue;
      if (s_.Placed(w.value) || !w.movable) continue;
      if (destinations_.of(w.value).empty() && !s_.ReservedFor(w.value).has_value()) continue;
      ShareAtDestination(time, o, w, finder_.Find(w.value, time));
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

// True if the result is placed.
bool Sharer::ShareOnBase(int32_t time, OpId op, const Write& w, std::optional<Refusal>& refusal) {
  const bool fused = schedule_.FusionAt(time).has_value();
  if (fused && granter_.WrittenAt(*w.base, time)) return false;  // written whole by the group
  if (g_.value(w.value).max_bytes == 0) return false;            // nothing to carry
  Wish wish{w.value, op, &w, WishKind::kBase, *w.base, InPlaceMode::kAny, {}, false};
  const ValueId root = uses_.root(*w.base);
  if (const std::optional<ValueId> next = BuiltOnInGroup(time, w.value)) {
    refusal = Refusal{Why::kOwnOperand, *next};  // the group may still want the base's old bytes for that one
  } else if (s_.Placed(root) && !s_.Strided(root)) {
    wish.spot = {s_.StorageOf(root), Region{s_.OffsetOf(*w.base), g_.value(w.value).bytes, {}}};
    refusal = Try(time, wish, CarriedBytes(g_, op, w) + CommittedBytes(wish));
    if (!refusal.has_value()) return true;
  }
  if (!fused) Executes(op);
  if (refusal.has_value() && !destinations_.Moves(op)) NoteRefusal(wish, *refusal);
  if (!fused) return false;
  s_.Create(w.value, std::nullopt);
  return true;
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

void Sharer::ShareMovement(int32_t time, OpId op) {
  const Write& w = g_.writes(g_.op(op))[0];
  const ValueId v = w.value;
  const bool empty = g_.value(v).max_bytes == 0;
  const bool unread = uses_.of(v).empty() && !decisions_.UsesInFull(op);
  const bool vanishes = unread && !g_.value(v).pinned_offset_bytes.has_value() && !IsBase(v);
  if (!empty && (vanishes || decisions_.HasNoBytes(v))) {
    s_.ElideMovement(op);
    return NoteElided(op, Why::kUnread, v);
  }
  if (empty) {
    s_.ElideMovement(op);
    s_.Create(v, std::nullopt);
    return NoteElided(op, Why::kCoincides, v);
  }
  std::optional<Refusal> refusal;
  const bool keeps_base = effects_.KeepsBase(op, w);
  if (!unread && keeps_base) {
    refusal = Refusal{Why::kCarried};
    if (ShareOnBase(time, op, w, refusal)) return;
  }
  const DestinationSpots destinations = finder_.Find(v, time);
  // What is built on bytes that nobody reads need not lie where nobody may write.
  const bool apart = unread && IsCallers(op);
  if (!apart && !keeps_base && ShareAtSource(time, op, w, destinations.spots, refusal)) return;
  if (unread) {
    s_.ElideMovement(op);
    s_.Create(v, std::nullopt);
    return NoteElided(op, Why::kUnread, v);
  }
  if (w.base.has_value() && !keeps_base) {
    refusal = Refusal{Why::kCarried};
    if (ShareOnBase(time, op, w, refusal)) return;
  }
  Executes(op);
  const bool placed = ShareAtDestination(time, op, w, destinations) || ShareWithAPart(time, op, w);
  if (!placed) s_.Create(v, std::nullopt);
  if (!s_.Elided(op)) NoteKept(op, refusal);
}

// Some of what the movement reads lies in storage of the caller.
bool Sharer::IsCallers(OpId op) const {
  const absl::Span<const Read> reads = g_.reads(g_.op(op));
  return std::any_of(reads.begin(), reads.end(), [&](const Read& r) {
    const int32_t storage = s_.StorageOf(r.value);
    return storage != Sharing::kNoStorage && s_.storage(storage).owner.has_value();
  });
}

// Where all of its bytes are already.
bool Sharer::ShareAtSource(int32_t time, OpId op, const Write& w, const Spots& destinations,
                           std::optional<Refusal>& refusal) {
  const ValueId v = w.value;
  const std::optional<ValueId> barred_from = decisions_.BarredFrom(v);
  if (!decisions_.Wanted(v, WishKind::kSource)) {
    refusal = decisions_.StruckOut(v) != nullptr ? *decisions_.StruckOut(v) : Refusal{Why::kLessMemory};
    if (!barred_from.has_value()) return false;
  }
  const uint32_t parts = g_.op(op).num_reads;
  Spots spots;
  for (const bool unread : {false, true}) {  // parts that somebody reads say where the result had better lie
    for (uint32_t i = 0; i < std::min(parts, kMaxPartsTried); ++i) {
      if (uses_.Unread(op, i) != unread) continue;
      for (Spot& spot : effects_.PlacesForPart(op, i, v)) {
        if (spot.place.contiguous() || MayHaveStrides(v)) spots.push_back(std::move(spot));
      }
    }
  }
  const auto wanted_later = [&](const Spot& s) {
    return std::any_of(destinations.begin(), destinations.end(),
                       [&](const Spot& d) { return d.storage == s.storage && d.place == s.place; });
  };
  // A source that is a copy itself may need no bytes if nobody lies on it.
  const ValueId source = parts == 1 ? uses_.root(g_.reads(g_.op(op))[0].value) : v;
  const std::optional<OpId> copy = g_.producer(source);
  if (parts == 1 && spots.size() > 1 && copy.has_value() && destinations_.Moves(*copy) && !s_.Elided(*copy)) {
    std::reverse(spots.begin(), spots.end());
  }
  std::stable_partition(spots.begin(), spots.end(), wanted_later);
  for (const Spot& spot : spots) {
    if (barred_from.has_value() && s_.storage(spot.storage).owner == barred_from) continue;
    const Wish wish{v, op, &w, WishKind::kSource, source, InPlaceMode::kAny, spot, true};
    std::optional<Refusal> refused = Try(time, wish, g_.value(v).max_bytes);
    if (!refused.has_value()) return true;
    if (!refusal.has_value() || refusal->why == Why::kNotTried) refusal = std::move(refused);
  }
  return false;
}

bool Sharer::ShareAtDestination(int32_t time, OpId op, const Write& w, const DestinationSpots& found) {
  const ValueId v = w.value;
  if (!decisions_.Wanted(v, WishKind::kForward)) {
    if (decisions_.StruckOut(v) != nullptr) not_forwarded_.insert_or_assign(v.value, *decisions_.StruckOut(v));
    return false;
  }
  Wish wish{v, op, &w, WishKind::kForward, v, InPlaceMode::kAny, {}, false};
  for (const Spot& spot : found.spots) {
    wish.spot = spot;
    std::optional<Refusal> refusal = Try(time, wish, found.gain);
    if (!refusal.has_value()) return true;
    not_forwarded_.try_emplace(v.value, *std::move(refusal));
  }
  if (!found.to_reserve.has_value()) return false;
  wish.spot = Reserved(v, *found.to_reserve);
  std::optional<Refusal> refusal = Try(time, wish, found.gain);
  if (refusal.has_value()) not_forwarded_.try_emplace(v.value, *refusal);
  return !refusal.has_value();
}

// Some parts of a concat stay where they are, the others are copied beside them; or a base is carried around a part.
bool Sharer::ShareWithAPart(int32_t time, OpId op, const Write& w) {
  if (!decisions_.Wanted(w.value, WishKind::kSource)) return false;
  const uint32_t parts = g_.op(op).num_reads;
  const bool some = parts > 1 || w.base.has_value();
  for (uint32_t i = 0; some && i < std::min(parts, kMaxPartsTried); ++i) {
    for (const Spot& spot : effects_.PlacesForPart(op, i, w.value)) {
      if (!spot.place.contiguous() || s_.storage(spot.storage).owner.has_value()) continue;
      const Wish wish{w.value, op, &w, WishKind::kSource, g_.reads(g_.op(op))[i].value, InPlaceMode::kAny, spot, false};
      if (!Try(time, wish, g_.value(g_.reads(g_.op(op))[i].value).max_bytes).has_value()) return true;
    }
  }
  return false;
}

// Whoever names a value by its place takes it that its bytes lie one after another: results with it as their base,
// views, the author. All others must say that they do not mind.
bool Sharer::MayHaveStrides(ValueId v) {
  if (contiguous_.empty()) {
    contiguous_.assign(g_.values().size(), 0);
    const auto mark = [&](ValueId value) { contiguous_[uses_.root(value).index()] = 1; };
    for (const Op& op : g_.ops()) {
      for (const Write& w : g_.writes(op)) {
        if (w.base.has_value()) mark(*w.base), mark(w.value);
        if (!uses_.is_root(w.value) || op.kind == OpKind::kView) mark(w.value);
      }
    }
    for (ValueId output : g_.outputs()) mark(output);
    for (const KeepAlive& k : g_.keep_alive()) mark(k.value);
  }
  if (contiguous_[v.index()] != 0 || g_.value(v).pinned_offset_bytes.has_value()) return false;
  const absl::Span<const Use> uses = uses_.of(v);
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (use.kind != UseKind::kRead || schedule_.FusionAt(use.time).has_value()) return false;
    const OpId op(use.op);
    return destinations_.Moves(op) || g_.reads(g_.op(op))[use.read].strides_ok;
  });
}

void Sharer::ShareInPlace(int32_t time) {
  struct Permission {
    OpId op;
    const Write* write;
    ValueId operand;
    InPlaceMode mode;
  };
  absl::InlinedVector<Permission, 8> permissions;
  const auto add = [&](OpId op, const Write& w, ValueId operand, InPlaceMode mode) {
    const bool bytes = g_.value(w.value).max_bytes > 0 && g_.value(operand).max_bytes > 0;
    const ValueId root = uses_.root(operand);
    if (s_.Placed(w.value) || !bytes || !s_.Placed(root) || s_.Strided(root)) return;
    if (decisions_.Wanted(w.value, WishKind::kInPlace)) permissions.push_back({op, &w, operand, mode});
  };
  const std::optional<FusionId> fusion = schedule_.FusionAt(time);
  for (OpId o : schedule_.UnitAt(time)) {
    for (const Write& w : g_.writes(g_.op(o))) {
      if (!uses_.is_root(w.value) || schedule_.Swallowed(w.value)) continue;
      if (w.base.has_value()) continue;  // carried bytes may not meet operands
      if (!fusion.has_value()) {
        for (const InPlace& p : g_.in_place(w)) add(o, w, p.value, p.mode);
      } else {
        for (const FusionInPlace& p : g_.fusions()[fusion->index()].in_place) {
          if (p.result == w.value && !granter_.WrittenAt(p.value, time)) add(o, w, p.value, p.mode);
        }
      }
    }
  }
  const auto born = [&](ValueId v) {
    if (taste_ == InPlaceTaste::kFirstOperand) return 0;
    const std::optional<OpId> producer = g_.producer(uses_.root(v));
    return producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
  };
  const auto rank = [&](const Permission& p) {
    const int64_t operand = g_.value(p.operand).max_bytes;
    return std::make_tuple(-std::min(g_.value(p.write->value).max_bytes, operand), operand, born(p.operand));
  };
  if (permissions.size() > 1) {
    std::stable_sort(permissions.begin(), permissions.end(),
                     [&](const Permission& a, const Permission& b) { return rank(a) < rank(b); });
  }
  for (const Permission& p : permissions) {
    const ValueId result = p.write->value;
    Wish wish{result, p.op, p.write, WishKind::kInPlace, p.operand, p.mode, {}, false};
    if (s_.Placed(result)) {
      if (s_.StorageOf(p.operand) != s_.StorageOf(result)) NoteRefusal(wish, {Why::kBetterOperand});
      continue;
    }
    wish.spot = {s_.StorageOf(p.operand), Region{s_.OffsetOf(p.operand), g_.value(result).bytes, {}}};
    if (std::optional<Refusal> refusal = Try(time, wish, 0)) NoteRefusal(wish, *refusal);
  }
}

// `gain`: the bytes that are not moved if the wish is granted.
std::optional<Refusal> Sharer::Try(int32_t time, const Wish& wish, int64_t gain) {
  if (wish.kind == WishKind::kBase && !decisions_.Wanted(wish.result, WishKind::kBase)) {
    const Refusal* struck_out = decisions_.StruckOut(wish.result);
    return struck_out != nullptr ? *struck_out : Refusal{Why::kLessMemory};
  }
  // What must not move goes before all that had better not.
  if (g_.op(wish.op).elide == Elide::kMust && destinations_.Moves(wish.op)) gain = std::max(gain, kMustNotMove);
  const std::optional<ValueId>& owner = s_.storage(wish.spot.storage).owner;
  if (owner.has_value() && decisions_.Locked(*owner)) return Refusal{Why::kNotLineage, *owner};
  std::optional<Refusal> refusal = granter_.TryGrant(time, wish);
  if (refusal.has_value()) {
    ContestRefusal(time, wish, gain);
    return refusal;
  }
  grants_.Add(wish.result, uses_.root(wish.target), gain);
  if (wish.kind == WishKind::kSource && owner.has_value()) decisions_.LiesIn(wish.result, *owner);
  if (!destinations_.Moves(wish.op)) return std::nullopt;
  if (!s_.Elided(wish.op)) {
    Executes(wish.op);
    if (wish.kind == WishKind::kBase) NoteKept(wish.op, std::nullopt);
    return std::nullopt;
  }
  const Effect& effect = granter_.effect();
  const ValueId source = g_.op(wish.op).num_reads > 0 ? g_.reads(g_.op(wish.op))[0].value : wish.target;
  if (effect.why != Why::kCoincides) {
    NoteElided(wish.op, effect.why, effect.same_as.has_value() ? *effect.same_as : source);
  } else if (wish.kind == WishKind::kSource && g_.op(wish.op).num_reads == 1) {
    NoteElided(wish.op, Why::kView, source);
  } else {
    NoteElided(wish.op, Why::kProducedThere, source);
  }
  return std::nullopt;
}

// A movement that is not elided executes all parts that do not coincide.
void Sharer::Executes(OpId op) {
  decisions_.UseInFull(op);
  for (const Read& r : g_.reads(g_.op(op))) {
    if (!s_.Placed(uses_.root(r.value))) decisions_.NeedsBytes(uses_.root(r.value));
  }
  for (const Write& w : g_.writes(g_.op(op))) {
    if (w.base.has_value() && !s_.Placed(uses_.root(*w.base))) decisions_.NeedsBytes(uses_.root(*w.base));
  }
}

// What was in the way of a refused wish came there by wishes of its own.
void Sharer::ContestRefusal(int32_t time, const Wish& wish, int64_t gain) {
  if (!decisions_.contest() || gain == 0) return;
  obstacles_.clear();
  for (const Blocker& b : granter_.blockers()) {
    obstacles_.push_back(grants_.ObstacleOf(b));
    if (!obstacles_.back().any_of.empty()) continue;
    obstacles_.clear();
    break;
  }
  contest_.Refuse(grants_.RivalOf(wish.result, wish.kind, gain), time, obstacles_);
}

// What a commit moves if the result does not lie where it is going to be committed to.
int64_t Sharer::CommittedBytes(const Wish& wish) const {
  const std::optional<ValueId>& owner = s_.storage(wish.spot.storage).owner;
  // Only what is committed to a variable may be written into it.
  const bool committed = owner.has_value() && g_.value(*owner).role == Role::kVariable;
  return committed && g_.commit_to(*owner).has_value() ? g_.value(wish.result).max_bytes : 0;
}

absl::Status Sharer::Commit(int32_t time, OpId op) {
  const ValueId target = *g_.op(op).commit_target;
  const int32_t storage = s_.StorageOf(target);
  const Spot spot{storage, Region{0, g_.value(target).bytes, {}}};
  Effect effect;
  effects_.Find(time, op, nullptr, spot, effect);
  const bool empty = g_.value(target).max_bytes == 0;
  if (!effect.elided && !empty) {
    if (absl::Status s = CommitByCopy(time, op); !s.ok()) return s;
  } else {
    s_.ElideMovement(op);
    NoteElided(op, effect.why, effect.same_as.has_value() ? *effect.same_as : g_.reads(g_.op(op))[0].value);
  }
  s_.Seal(storage);
  return absl::OkStatus();
}

// A commit whose source lies elsewhere overwrites the target's storage when it runs.
absl::Status Sharer::CommitByCopy(int32_t time, OpId op) {
  const ValueId target = *g_.op(op).commit_target, source = uses_.root(g_.reads(g_.op(op))[0].value);
  const int32_t storage = s_.StorageOf(target);
  Executes(op);
  NoteKept(op, std::nullopt);
  std::vector<Blocker> late = granter_.NotOver(time, storage);
  if (s_.StorageOf(source) == storage) late.push_back({source, time});
  for (const Blocker& b : late) {
    const Why why = b.time == schedule_.End() ? Why::kOldContentKept : Why::kOldContentRead;
    const Refusal reason{why, b.value, b.time, "", target};
    if (b.time < time) {
      s_.AddOrder({schedule_.OpAt(b.time), op});
      continue;
    }
    const std::optional<ValueId> cheapest = grants_.Cheapest(b.value);
    if (!cheapest.has_value()) return OldContentIsRead(time, op, b.time);
    if (!decisions_.StrikeOut(*cheapest, s_.JoinedBy(*cheapest), reason)) decisions_.Lock(target);
  }
  ByteTimeline& timeline = s_.TimelineOf(storage);
  timeline.Write({timeline.begin(), timeline.end()}, target, time, schedule_);
  return absl::OkStatus();
}

absl::Status Sharer::OldContentIsRead(int32_t time, OpId op, int32_t late) const {
  const ValueId target = *g_.op(op).commit_target, source = g_.reads(g_.op(op))[0].value;
  const std::string reader =
      late == schedule_.End() ? std::string("the end of the graph, where it is an output,")
      : late == time          ? std::string("a keep_alive until that commit")
      : schedule_.FusionAt(late).has_value()
          ? absl::StrCat("fusion \"", g_.fusions()[schedule_.FusionAt(late)->index()].name, "\", which runs as one op,")
          : absl::StrCat("op \"", g_.name(schedule_.OpAt(late)), "\"");
  return absl::InvalidArgumentError(
      absl::StrCat(ToString(g_.value(target).role), " \"", g_.name(target), "\": ", reader,
                   " needs its old content after op \"", g_.name(op), "\" has committed \"", g_.name(source),
                   "\" to it; list the reader before the commit, or clone \"", g_.name(target), "\" first"));
}

// All who would read v have found its bytes elsewhere.
bool Sharer::IsReadElsewhere(ValueId v) const {
  const absl::Span<const Use> uses = uses_.of(v);
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (use.kind != UseKind::kRead || use.through != v || !destinations_.Moves(OpId(use.op))) return false;
    const Op& op = g_.op(OpId(use.op));
    if (!s_.Elided(OpId(use.op))) return false;
    const ValueId result = op.commit_target.has_value() ? *op.commit_target : g_.writes(op)[0].value;
    return s_.StorageOf(result) != s_.StorageOf(v);
  });
}

// Who waits for a value that came to lie elsewhere waits in vain, and who does not wait for one that came to lie apart
// might as well.
void Sharer::FindVainReservations() {
  for (const ValueId to : not_reserved_) {
    const bool apart = s_.Placed(to) && !s_.storage(s_.StorageOf(to)).owner.has_value();
    if (apart && s_.JoinedBy(to) == WishKind::kNone) decisions_.LieApart(to);
  }
  for (const auto& [storage, to] : s_.reservations()) {
    if (!s_.Placed(to) || s_.StorageOf(to) == storage) continue;
    const bool alone = s_.ForEachRoot(storage, [](ValueId) { return false; });
    if (!alone) decisions_.DoNotReserve(to);
  }
}

void Sharer::FindUnreadResults() {
  for (size_t i = 0; i < g_.ops().size(); ++i) {
    const OpId op(static_cast<int32_t>(i));
    const OpKind kind = g_.ops()[i].kind;
    if (kind == OpKind::kCompute || !destinations_.Moves(op) || kind == OpKind::kCommit || s_.Elided(op)) continue;
    if (g_.ops()[i].elide == Elide::kNever) continue;
    const Write& w = g_.writes(g_.op(op))[0];
    const bool free = !g_.value(w.value).pinned_offset_bytes.has_value();
    const bool may_vanish = free && s_.Placed(w.value) && decisions_.MayHaveNoBytes(w.value);
    if (may_vanish && IsReadElsewhere(w.value)) decisions_.NeedsNoBytes(w.value);
  }
}

Note Sharer::NoteOf(OpId op, const Refusal& refusal) const {
  Note note;
  note.op = op;
  note.why = refusal.why;
  note.other = refusal.other;
  note.text = refusal.missing;
  note.in = refusal.in;
  note.in_offset = refusal.in_offset;
  if (refusal.blocker.has_value() && *refusal.blocker >= 0 && *refusal.blocker != schedule_.End()) {
    note.blocker = schedule_.OpAt(*refusal.blocker);
  }
  return note;
}

void Sharer::NoteRefusal(const Wish& wish, const Refusal& refusal) {
  // A fused group is spoken of where it runs.
  Note note = NoteOf(schedule_.OpAt(schedule_.TimeOf(wish.op)), refusal);
  note.result = wish.result;
  note.value = wish.target;
  s_.AddRefusal(std::move(note));
}

void Sharer::NoteElided(OpId op, Why why, std::optional<ValueId> value) {
  Note note;
  note.op = op;
  note.action = Action::kElided;
  note.why = why;
  note.value = value;
  s_.AddMovement(std::move(note));
}

// A value of which the op puts the same bytes at several places.
std::optional<ValueId> Sharer::TakenTwice(OpId op) const {
  const absl::Span<const Read> reads = g_.reads(g_.op(op));
  absl::flat_hash_set<int32_t> whole;
  for (const Read& r : reads) {
    const Region all{0, g_.value(r.value).bytes, {}};
    if (r.region.has_value() && !(g_.region(*r.region) == all)) continue;
    if (g_.value(r.value).max_bytes > 0 && !whole.insert(r.value.value).second) return r.value;
  }
  return std::nullopt;
}

// What the bytes of v, which is a copy that was elided, were first.
std::optional<ValueId> Sharer::LiesOn(ValueId v) const {
  const ValueId root = uses_.root(v);
  if (!s_.Placed(root) || s_.JoinedBy(root) != WishKind::kSource) return std::nullopt;
  return grants_.On(root);
}

void Sharer::NoteKept(OpId op, std::optional<Refusal> refusal) {
  // What keeps a part from being there already says more than that it is not.
  const bool vague = !refusal.has_value() || refusal->why == Why::kNotTried || refusal->why == Why::kCarried;
  std::optional<ValueId> part;
  const std::optional<ValueId> twice = vague ? TakenTwice(op) : std::nullopt;
  if (twice.has_value()) refusal = Refusal{Why::kTwoPlaces, twice};
  for (const Read& r : g_.reads(g_.op(op))) {
    const auto it = not_forwarded_.find(uses_.root(r.value).value);
    if (!vague || twice.has_value() || it == not_forwarded_.end()) continue;
    refusal = it->second;
    part = uses_.root(r.value);
    break;
  }
  Note note = NoteOf(op, refusal.value_or(Refusal{Why::kNotTried}));
  note.part = part;
  if (g_.op(op).elide == Elide::kNever) note.why = Why::kNeverElide;
  if (g_.op(op).num_reads > 0) note.value = g_.reads(g_.op(op))[0].value;
  if (note.why == Why::kNotTried && note.value.has_value()) note.other = LiesOn(*note.value);
  s_.AddMovement(std::move(note));
}

}  // namespace bufplan
