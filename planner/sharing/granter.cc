#include "planner/sharing/granter.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "ir/missing_fact.h"
#include "ir/region.h"
#include "planner/sharing/strided.h"

namespace bufplan {
namespace {

// Blockers of one wish that are listed; with more, all that is said is that there are some.
constexpr size_t kMaxBlockers = 64;

bool IsConstant(const Region& r) { return r.contiguous() && r.at.is_constant() && r.run_bytes.is_constant(); }

ByteRange SpanOf(const Region& region, const Graph& g) {
  if (IsConstant(region)) return {region.at.constant(), region.at.constant() + region.run_bytes.constant()};
  return RegionSpan(region, g.symbols()).value_or(ByteRange{0, INT64_MAX});
}

}  // namespace

Granter::Granter(const Graph& graph, const Schedule& schedule, const Uses& uses, Ownership& ownership,
                 EffectFinder& effects, StorageTable& storages)
    : g_(graph),
      schedule_(schedule),
      uses_(uses),
      ownership_(ownership),
      effects_(effects),
      s_(storages),
      max_proofs_(1000000 + 64 * static_cast<int64_t>(graph.ops().size())),
      proof_budget_(max_proofs_) {
  for (const KeepAlive& k : graph.keep_alive()) kept_until_.emplace_back(schedule.TimeOf(k.until), k.value);
  std::sort(kept_until_.begin(), kept_until_.end());
}

std::optional<Refusal> Granter::TryGrant(int32_t time, const Wish& wish) {
  std::optional<Refusal> refusal = GrantOrRefuse(time, wish);
  if (refusal.has_value()) NamePlace(wish, *refusal);
  return refusal;
}

// By a value that the author knows. Bases and operands are named by their wishes.
void Granter::NamePlace(const Wish& wish, Refusal& refusal) const {
  if (wish.kind == WishKind::kBase || wish.kind == WishKind::kInPlace) return;
  const int32_t storage = wish.spot.storage;
  refusal.in_offset = wish.spot.place.at;
  refusal.in = s_.storage(storage).owner;
  if (!refusal.in.has_value()) refusal.in = s_.ReservedIn(storage);
  if (refusal.in.has_value()) return;
  s_.ForEachRoot(storage, [&](ValueId v) {
    refusal.in = v;
    refusal.in_offset = wish.spot.place.at - s_.OffsetOf(v);
    return false;
  });
}

std::optional<Refusal> Granter::GrantOrRefuse(int32_t time, const Wish& wish) {
  blockers_.clear();
  const int32_t storage = wish.spot.storage;
  const Region& place = wish.spot.place;
  const std::optional<ByteRange> span = IsConstant(place) ? SpanOf(place, g_) : RegionSpan(place, g_.symbols());
  if (!span.has_value() || !MayReachDown(storage, place, *span)) return Refusal{Why::kOutgrows};
  effects_.Find(time, wish.op, wish.write, wish.spot, effect_);
  const Effect& effect = effect_;
  if (std::optional<Refusal> refusal = Forbidden(wish, effect, *span)) return refusal;
  bool proven = false;
  if (!effect.written.empty()) {
    if (std::optional<Refusal> refusal = ForbiddenWrite(wish, *span)) return refusal;
    if (std::optional<Refusal> refusal = NeededByUnit(time, wish, effect)) return refusal;
    std::optional<Refusal> needed;
    for (const Region& written : effect.written) {
      if (!needed.has_value()) needed = StillNeeded(time, storage, written);
    }
    if (needed.has_value()) {
      proven = !FindBlockers(time, wish, effect);
      if (!proven && !blockers_.empty()) {
        needed = RefusalFor(blockers_[0], time);
      } else if (!proven && proof_budget_ < 0 && !Exact(effect)) {
        needed = Refusal{Why::kSearchLimit};
        needed->missing = absl::StrCat(max_proofs_);
      }
      if (!proven) return needed;
    }
  }
  ByteTimeline& timeline = s_.TimelineOf(storage);
  for (const Region& written : effect.written) {
    if (proven || !IsConstant(written)) {
      timeline.WriteSome(SpanOf(written, g_), wish.result, time, schedule_);
    } else {
      timeline.Write(SpanOf(written, g_), wish.result, time, schedule_);
    }
  }
  s_.Join(wish.result, storage, place, *span, wish.kind);
  AddUses(wish, timeline);
  if (effect.on_base) s_.LieOnBase(wish.result);
  if (effect.moves && effect.elided) s_.ElideMovement(wish.op);
  return std::nullopt;
}

bool Granter::TryInput(ValueId v, const Spot& spot) {
  const Value& value = g_.value(v);
  const Storage& s = s_.storage(spot.storage);
  const std::optional<ByteRange> span = RegionSpan(spot.place, g_.symbols());
  if (!span.has_value() || s.owner.has_value() || s.space != value.space) return false;
  if (!MayReachDown(spot.storage, spot.place, *span) || OutgrowsChunk(spot.storage, *span)) return false;
  if (!ProveMultipleOf(spot.place.at, s_.AlignmentOf(v), g_.symbols())) return false;
  if (!IsConstant(spot.place) || !s_.PinsAgree(v, spot.storage, spot.place.at, *span)) return false;
  if (s_.DisjointFrom(v, spot.storage, *span).has_value()) return false;
  ByteTimeline& timeline = s_.TimelineOf(spot.storage);
  bool free = true;
  timeline.ForEach(*span, [&](ByteRange, const Segment& segment) { free = free && segment.writer.value < 0; });
  if (!free) return false;
  timeline.Write(*span, v, Schedule::kStart, schedule_);
  s_.Join(v, spot.storage, spot.place, *span, WishKind::kForward);
  for (const Use& use : uses_.of(v)) timeline.Use(s_.InStorage(v, use.range), use.time, schedule_);
  return true;
}

// The uses of the result become uses of what lies there. That of a base by the next version touches all but a few
// bytes: it is kept apart, so that a chain of versions does not visit everything again and again.
void Granter::AddUses(const Wish& wish, ByteTimeline& timeline) {
  const ValueId v = wish.result;
  const absl::Span<const Use> uses = uses_.of(v);
  const ByteRange all = s_.InStorage(v, {0, g_.value(v).max_bytes});
  const bool whole = schedule_.one_stream() && all.begin == timeline.begin() && all.end == timeline.end();
  for (size_t i = 0; i < uses.size();) {
    const Use& use = uses[i];
    size_t next = i + 1;
    while (next < uses.size() && use.kind == UseKind::kBase && uses[next].kind == UseKind::kBase &&
           uses[next].op == use.op && uses[next].read == use.read) {
      ++next;
    }
    const std::optional<ByteRange> hole =
        whole && use.kind == UseKind::kBase && next - i > 1 ? uses_.Overwrites(use) : std::nullopt;
    if (hole.has_value()) {
      timeline.UseAround(s_.InStorage(v, *hole), use.time);
    } else {
      for (; i < next; ++i) timeline.Use(s_.InStorage(v, uses[i].range), uses[i].time, schedule_);
    }
    i = next;
  }
}

// A storage of the arena has room below the value it began with.
bool Granter::MayReachDown(int32_t storage, const Region& place, ByteRange bytes) const {
  if (bytes.begin >= 0) return true;
  return !s_.storage(storage).owner.has_value() && IsConstant(place);
}

bool Granter::OutgrowsChunk(int32_t storage, ByteRange bytes) const {
  const Storage& s = s_.storage(storage);
  const std::optional<int64_t> limit = g_.space(s.space).max_allocation_bytes;
  return limit.has_value() && !s.owner.has_value() && bytes.end - s_.BeginWith(storage, bytes) > *limit;
}

// What does not depend on time: memory, size, alignment, pins, disjointness.
std::optional<Refusal> Granter::Forbidden(const Wish& wish, const Effect& effect, ByteRange bytes) {
  const Storage& s = s_.storage(wish.spot.storage);
  const Value& result = g_.value(wish.result);
  const Region& place = wish.spot.place;
  const bool same_space = s.space == result.space || (effect.moves && g_.SameMemory(s.space, result.space));
  if (!same_space) return Refusal{Why::kOtherSpace};
  if (wish.kind == WishKind::kInPlace) {
    const Value& operand = g_.value(wish.target);
    if (operand.space != result.space) return Refusal{Why::kOtherSpace};
    const bool shorter = ProveLessEqual(result.bytes, operand.bytes, g_.symbols());
    if (!shorter && (wish.mode == InPlaceMode::kSameIndex || !place.at.is_constant())) return Refusal{Why::kOutgrows};
  }
  if (wish.kind != WishKind::kBase) {
    if (!place.at.is_constant() && !ProveNonNegative(place.at, g_.symbols())) return Refusal{Why::kOutgrows};
    if (s.owner.has_value()) {
      const Expr end = RegionEnd(place);
      if (!ProveLessEqual(end, g_.value(*s.owner).bytes, g_.symbols())) {
        Refusal refusal{Why::kOutgrows};
        refusal.missing = MissingLessEqual(end, g_.value(*s.owner).bytes, g_.symbols());
        return refusal;
      }
    }
    if (OutgrowsChunk(wish.spot.storage, bytes)) return Refusal{Why::kChunkLimit};
  }
  const Op& op = g_.op(wish.op);
  if (op.elide == Elide::kNever && op.kind != OpKind::kCompute) {
    for (const Read& r : g_.reads(op)) {
      if (s_.StorageOf(r.value) == wish.spot.storage) return Refusal{Why::kNeverElide};
    }
  }
  // A base that is carried lies apart from its result.
  const std::optional<ValueId> base = wish.write->base;
  const bool carries =
      base.has_value() && !effect.on_base && (!effect.moves || effects_.KeepsBase(wish.op, *wish.write));
  if (carries && s_.StorageOf(*base) == wish.spot.storage) {
    const Region part{uses_.offset(*base), g_.value(*base).bytes, {}};
    const Region root = s_.PlaceOf(uses_.root(*base));
    if (!ProveRegionsDisjoint(place, Compose(root, part, g_.symbols()).value_or(root), g_.symbols())) {
      return Refusal{Why::kOwnOperand, *base};
    }
  }
  if (wish.only_elided && !effect.elided) return Refusal{Why::kNotTried};
  if (!ProveMultipleOf(place.at, s_.AlignmentOf(wish.result), g_.symbols())) return Refusal{Why::kMisaligned};
  if (result.pinned_offset_bytes.has_value() && s.space != result.space) return Refusal{Why::kPinned};
  if (!s_.PinsAgree(wish.result, wish.spot.storage, place.at, bytes)) return Refusal{Why::kPinned};
  if (const std::optional<ValueId> other = s_.DisjointFrom(wish.result, wish.spot.storage, bytes)) {
    return Refusal{Why::kDisjoint, *other};
  }
  return std::nullopt;
}

// Nobody but the owner's lineage writes into storage of the caller.
std::optional<Refusal> Granter::ForbiddenWrite(const Wish& wish, ByteRange bytes) {
  const Storage& s = s_.storage(wish.spot.storage);
  if (bytes.empty() || !s.owner.has_value()) return std::nullopt;
  if (s_.Sealed(wish.spot.storage)) return Refusal{Why::kOldContentKept, *s.owner};
  if (std::optional<Why> why = ownership_.Refuses(*s.owner, wish.result)) return Refusal{*why, *s.owner};
  return std::nullopt;
}

Refusal Granter::RefusalFor(const Blocker& blocker, int32_t time) const {
  const Why why = blocker.time == schedule_.End()        ? Why::kOldContentKept
                  : schedule_.Before(time, blocker.time) ? Why::kOldContentRead
                                                         : Why::kUnordered;
  Refusal refusal{why, {}, blocker.time, blocker.missing};
  if (blocker.value.value >= 0) refusal.other = blocker.value;
  return refusal;
}

// The first use of what lies in the written bytes that is not over when the unit at `time` writes there.
std::optional<Refusal> Granter::StillNeeded(int32_t time, int32_t storage, const Region& written) {
  const ByteRange span = SpanOf(written, g_);
  ByteTimeline& timeline = s_.TimelineOf(storage);
  if (span.empty() || span.begin >= timeline.end() || span.end <= timeline.begin()) return std::nullopt;
  std::optional<Refusal> found;
  const auto look = [&](const Frontier& uses, ValueId writer) {
    if (found.has_value()) return;
    const std::optional<int32_t> t = uses.NotBefore(time, schedule_);
    if (!t.has_value() || *t == time) return;
    found = RefusalFor({writer, *t, ""}, time);
  };
  timeline.ForEach(span, [&](ByteRange, const Segment& s) {
    look(s.uses, s.writer);
    // What this very unit wrote already is another result of it.
    if (!found.has_value() && s.written == time) found = Refusal{Why::kOwnOperand, s.writer, time};
  });
  timeline.ForEachWide(span, [&](ByteRange, const Frontier& uses) { look(uses, s_.Tip(storage)); });
  look(timeline.whole(), s_.Tip(storage));
  if (const int32_t t = timeline.UsedAround(span, time); t != Schedule::kStart) look(Frontier(t), s_.Tip(storage));
  return found;
}

// Whether the use still happens: those of movements that turned out to be elided, and of bases that results lie on,
// do not.
bool Granter::IsPhysical(const Use& use, int32_t time) const {
  if (use.op < 0 || use.kind == UseKind::kKeepAlive || use.time >= time) return true;
  const OpId op(use.op);
  if (use.kind == UseKind::kBase) {
    const Write& w = g_.writes(g_.op(op))[use.read];
    return w.cover == Cover::kPart || !s_.OnBase(w.value);
  }
  return !s_.Elided(op);
}

bool Granter::IsCopy(int32_t time) const {
  if (time < 0 || time == schedule_.End() || schedule_.FusionAt(time).has_value()) return false;
  const OpKind kind = g_.op(schedule_.OpAt(time)).kind;
  return kind != OpKind::kCompute && kind != OpKind::kFill && kind != OpKind::kBarrier;
}

void Granter::CheckRoot(int32_t time, ValueId v, const Effect& effect, bool& done) {
  const std::optional<OpId> producer = g_.producer(v);
  const int32_t born = producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
  const Region place = s_.PlaceOf(v);
  const auto check = [&](const Region& region, int32_t t) {
    for (const Region& w : effect.written) {
      if (ProveRegionsDisjoint(w, region, g_.symbols())) continue;
      if (blockers_.size() >= kMaxBlockers) {
        done = true;
        return;
      }
      blockers_.push_back({v, t, MissingFact(region, w)});
      return;
    }
  };
  const bool writes = producer.has_value() && !s_.Elided(*producer);
  if (writes && (born == time || !schedule_.Before(born, time))) check(place, born);
  for (const Use& use : uses_.of(v)) {
    if (--proof_budget_ < 0) done = true;
    if (done) return;
    const bool found = !blockers_.empty() && blockers_.back().value == v;
    if (found && !IsCopy(blockers_.back().time)) return;
    if (use.time == time || schedule_.Before(use.time, time) || !IsPhysical(use, time)) continue;
    if (use.range.empty()) continue;
    if (found && IsCopy(use.time)) continue;
    const size_t before = blockers_.size();
    const std::optional<Region> region = Compose(place, uses_.RegionOf(use), g_.symbols());
    check(region.value_or(place), use.time);
    // A reader says more than a copy, which may not execute in the end.
    if (found && blockers_.size() > before) blockers_.erase(blockers_.end() - 2);
  }
}

// The unit from which on nothing that was done with the root happens beside what is done now.
int32_t Granter::OverAt(ValueId root) const {
  const std::optional<OpId> producer = g_.producer(root);
  int32_t last = producer.has_value() ? schedule_.LatestConcurrent(schedule_.TimeOf(*producer)) : Schedule::kStart;
  for (const Use& use : uses_.of(root)) last = std::max(last, schedule_.LatestConcurrent(use.time));
  return last + 1;
}

// Units are visited in order, so what is over once is left out from then on: in a long chain of updates all but a few.
template <class F>
void Granter::ForEachRootInUse(int32_t time, int32_t storage, F f) {
  if (static_cast<size_t>(storage) >= in_use_.size()) in_use_.resize(static_cast<size_t>(storage) + 1);
  RootsInUse& in_use = in_use_[static_cast<size_t>(storage)];
  if (time < in_use.time) {
    s_.ForEachRoot(storage, f);
    return;
  }
  if (time > in_use.time) {
    std::erase_if(in_use.roots, [time](const std::pair<ValueId, int32_t>& root) { return root.second <= time; });
  }
  in_use.time = time;
  s_.ForEachRootAfter(in_use.last, storage, [&](ValueId v) {
    if (const int32_t over_at = OverAt(v); over_at > time) in_use.roots.emplace_back(v, over_at);
    in_use.last = v;
    return true;
  });
  for (const auto& [v, over_at] : in_use.roots) {
    if (!f(v)) return;
  }
}

// What the timeline says of constant bytes on one stream holds.
bool Granter::Exact(const Effect& effect) const {
  return g_.symbols().empty() && schedule_.one_stream() &&
         std::all_of(effect.written.begin(), effect.written.end(), IsConstant);
}

// False if every use and write in the storage that is not over at `time` is proven to touch other bytes than the ones
// written, for all symbol values; else blockers() are the values that are not.
bool Granter::FindBlockers(int32_t time, const Wish& wish, const Effect& effect) {
  // What is asked of an exact timeline is only whether what is in the way could be moved.
  if (Exact(effect) && (wish.kind == WishKind::kInPlace || proof_budget_ < 0)) return true;
  bool done = false;
  ForEachRootInUse(time, wish.spot.storage, [&](ValueId v) {
    CheckRoot(time, v, effect, done);
    return !done;
  });
  if (done) blockers_.clear();
  return done || !blockers_.empty();
}

std::vector<Blocker> Granter::NotOver(int32_t time, int32_t storage) {
  std::vector<Blocker> found;
  s_.ForEachRoot(storage, [&](ValueId v) {
    const std::optional<OpId> producer = g_.producer(v);
    if (producer.has_value() && !s_.Elided(*producer)) {
      const int32_t born = schedule_.TimeOf(*producer);
      if (!schedule_.Before(born, time)) found.push_back({v, born, ""});
    }
    for (const Use& use : uses_.of(v)) {
      const bool keeps = use.kind == UseKind::kKeepAlive && use.time == time;
      const bool over = schedule_.Before(use.time, time) || (use.time == time && !keeps);
      if (over || use.range.empty() || !IsPhysical(use, time)) continue;
      found.push_back({v, use.time, ""});
    }
    return true;
  });
  return found;
}

bool Granter::Permitted(int32_t time, const Wish& wish, ValueId operand) const {
  const auto allows = [&](ValueId value, InPlaceMode mode) {
    if (value != operand) return false;
    if (mode == InPlaceMode::kAny) return true;
    return s_.OffsetOf(operand) == wish.spot.place.at &&
           ProveLessEqual(g_.value(wish.result).bytes, g_.value(operand).bytes, g_.symbols());
  };
  if (const std::optional<FusionId> fusion = schedule_.FusionAt(time)) {
    const std::vector<FusionInPlace>& in_place = g_.fusions()[fusion->index()].in_place;
    return std::any_of(in_place.begin(), in_place.end(),
                       [&](const FusionInPlace& p) { return p.result == wish.result && allows(p.value, p.mode); });
  }
  const absl::Span<const InPlace> in_place = g_.in_place(*wish.write);
  return std::any_of(in_place.begin(), in_place.end(), [&](const InPlace& p) { return allows(p.value, p.mode); });
}

// A part of a data movement whose source is its destination: it is not executed.
bool Granter::StaysInPlace(const Op& op, const Read& r, const Wish& wish) const {
  if (&op != &g_.op(wish.op) || op.kind == OpKind::kCompute || op.kind == OpKind::kFill) return false;
  if (schedule_.FusionAt(schedule_.TimeOf(wish.op)).has_value()) return false;  // a group moves as it likes
  const Region whole{0, g_.value(r.value).bytes, {}};
  Region part = r.region.has_value() ? g_.region(*r.region) : whole;
  part.at += uses_.offset(r.value);
  const std::optional<Region> from = Compose(s_.PlaceOf(uses_.root(r.value)), part, g_.symbols());
  const std::optional<Region> to =
      r.to_region.has_value() ? Compose(wish.spot.place, g_.region(*r.to_region), g_.symbols()) : wish.spot.place;
  return from.has_value() && to.has_value() && *from == *to;
}

void Granter::CollectOwnUses(int32_t time) {
  if (own_uses_time_ == time) return;
  own_uses_time_ = time;
  own_uses_.clear();
  longest_own_use_ = 0;
  const auto add = [&](ValueId v, ByteRange range, const Op* op, const Read* read, std::optional<ValueId> result) {
    if (WrittenAt(v, time) || s_.StorageOf(v) == Sharing::kNoStorage) return;
    const ByteRange bytes = s_.InStorage(uses_.root(v), range);
    longest_own_use_ = std::max(longest_own_use_, bytes.size());
    own_uses_.push_back({s_.StorageOf(v), v, bytes, op, read, result});
  };
  for (OpId o : schedule_.UnitAt(time)) {
    const Op& op = g_.op(o);
    for (const Read& r : g_.reads(op)) {
      if (op.kind == OpKind::kView && !schedule_.FusionAt(time).has_value()) continue;
      const ByteRange at = uses_.range(r.value);
      const bool fixed = uses_.offset(r.value).is_constant();
      add(r.value, fixed ? ByteRange{at.begin + r.span.begin, at.begin + r.span.end} : at, &op, &r, std::nullopt);
    }
    for (const Write& w : g_.writes(op)) {
      if (w.base.has_value()) add(*w.base, uses_.range(*w.base), nullptr, nullptr, w.value);
    }
  }
  auto kept = std::lower_bound(kept_until_.begin(), kept_until_.end(), std::make_pair(time, ValueId(0)));
  for (; kept != kept_until_.end() && kept->first == time; ++kept) {
    // A view that the unit itself makes keeps bytes alive that were there before.
    const ValueId v = WrittenAt(kept->second, time) ? uses_.root(kept->second) : kept->second;
    add(v, uses_.range(kept->second), nullptr, nullptr, std::nullopt);
  }
  std::stable_sort(own_uses_.begin(), own_uses_.end(), [](const OwnUse& a, const OwnUse& b) {
    return std::make_pair(a.storage, a.bytes.begin) < std::make_pair(b.storage, b.bytes.begin);
  });
}

// A use by the unit itself of what it would overwrite, that it does not declare.
std::optional<Refusal> Granter::NeededByUnit(int32_t time, const Wish& wish, const Effect& effect) {
  CollectOwnUses(time);
  ByteRange written = SpanOf(effect.written[0], g_);
  for (const Region& w : effect.written) {
    const ByteRange span = SpanOf(w, g_);
    written = {std::min(written.begin, span.begin), std::max(written.end, span.end)};
  }
  const int32_t storage = wish.spot.storage;
  std::string missing;
  const auto clashes = [&](const OwnUse& use) {
    Region part{uses_.offset(use.value), g_.value(use.value).bytes, {}};
    if (use.read != nullptr && use.read->region.has_value()) {
      part = g_.region(*use.read->region);
      part.at += uses_.offset(use.value);
    }
    const Region place = s_.PlaceOf(uses_.root(use.value));
    const Region used = Compose(place, part, g_.symbols()).value_or(place);
    for (const Region& w : effect.written) {
      if (ProveRegionsDisjoint(w, used, g_.symbols())) continue;
      missing = MissingFact(used, w);
      return true;
    }
    return false;
  };
  auto use =
      std::lower_bound(own_uses_.begin(), own_uses_.end(), std::make_pair(storage, written.begin - longest_own_use_),
                       [](const OwnUse& u, const std::pair<int32_t, int64_t>& from) {
                         return std::make_pair(u.storage, u.bytes.begin) < from;
                       });
  for (; use != own_uses_.end() && use->storage == storage && use->bytes.begin < written.end; ++use) {
    if (!use->bytes.Meets(written)) continue;
    if (use->result == wish.result && effect.on_base) continue;  // its own base: carried bytes are not written
    const bool carries = wish.write->base.has_value() && !effect.on_base;  // no permission covers that
    if (use->read != nullptr && StaysInPlace(*use->op, *use->read, wish)) continue;
    if (use->read != nullptr && !carries && Permitted(time, wish, use->value)) continue;
    if (!clashes(*use)) continue;
    const bool operand = use->read != nullptr || use->result.has_value();
    return Refusal{operand ? Why::kOwnOperand : Why::kOldContentRead, use->value, time, missing};
  }
  return std::nullopt;
}

// What is not proven of the two: that one ends before the other begins. Empty if that is wrong for all symbol values.
std::string Granter::MissingFact(const Region& used, const Region& written) const {
  if (g_.symbols().empty()) return "";
  return MissingDisjointness(used, written, g_.symbols());
}

}  // namespace bufplan
