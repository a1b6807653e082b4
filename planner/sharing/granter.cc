#include "planner/sharing/granter.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "ir/expr_proof.h"
#include "ir/region.h"
#include "planner/liveness/overwritten.h"

namespace bufplan {
namespace {

// The bytes that a wish's op writes at `offset`, as regions of the storage.
absl::InlinedVector<Region, 1> WrittenRegions(const Graph& g, const Wish& wish, const Expr& offset) {
  const Region whole{offset, g.value(wish.result).bytes, {}};
  if (!wish.base) return {whole};
  const auto placed = [&](RegionId id) {
    Region r = g.region(id);
    r.at += offset;
    return r;
  };
  const Op& op = g.op(*g.producer(wish.result));
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    return {wish.write->region.has_value() ? placed(*wish.write->region) : whole};
  }
  absl::InlinedVector<Region, 1> regions;
  for (const Read& r : g.reads(op)) regions.push_back(r.to_region.has_value() ? placed(*r.to_region) : whole);
  return regions;
}

}  // namespace

Granter::Granter(const Graph& graph, const Schedule& schedule, const Uses& uses, Ownership& ownership,
                 StorageTable& storages)
    : g_(graph),
      schedule_(schedule),
      uses_(uses),
      ownership_(ownership),
      s_(storages),
      proof_budget_(1000000 + 64 * static_cast<int64_t>(graph.ops().size())) {
  for (const KeepAlive& k : graph.keep_alive()) kept_until_.emplace_back(schedule.TimeOf(k.until), k.value);
  std::sort(kept_until_.begin(), kept_until_.end());
}

std::optional<Refusal> Granter::TryGrant(int32_t time, const Wish& wish) {
  const Place place = PlaceOf(wish);
  if (std::optional<Refusal> refusal = Forbidden(wish, place)) return refusal;
  if (std::optional<Refusal> refusal = NeededByUnit(time, wish, place)) return refusal;
  const std::optional<Refusal> needed = StillNeeded(time, place);
  const bool proven = needed.has_value() && s_.Linear(place.storage) &&
                      s_.Tip(place.storage) == uses_.root(wish.target) && ProvenApart(time, wish, place);
  if (needed.has_value() && !proven) return needed;
  if (wish.base) {
    if (std::optional<Refusal> refusal = OverwrittenMeanwhile(wish, place)) return refusal;
  }
  ByteTimeline& timeline = s_.TimelineOf(place.storage);
  if (proven) {
    timeline.WriteSome(place.written, wish.result, time, schedule_);
  } else {
    timeline.Write(place.written, wish.result, time);
  }
  s_.Join(wish.result, place.storage, place.offset, place.bytes);
  for (const Use& use : uses_.of(wish.result)) {
    timeline.Use(s_.InStorage(wish.result, use.range), use.time, schedule_);
  }
  if (wish.base) s_.LieOnBase(wish.result);
  return std::nullopt;
}

Granter::Place Granter::PlaceOf(const Wish& wish) const {
  Place place;
  place.storage = s_.StorageOf(wish.target);
  place.offset = s_.OffsetOf(wish.target);
  const Value& result = g_.value(wish.result);
  if (!place.offset.is_constant()) {
    const int64_t first = s_.InStorage(uses_.root(wish.target), uses_.range(wish.target)).begin;
    place.bytes = place.written = {first, s_.storage(place.storage).size_bytes};
    return place;
  }
  const int64_t at = place.offset.constant();
  place.bytes = place.written = {at, at + result.max_bytes};
  if (!wish.base) {
    place.all_written = result.bytes.is_constant();
    return place;
  }
  const OverwrittenBytes gone = Overwritten(g_, *g_.producer(wish.result), *wish.write);
  place.written = {at + gone.span.begin, at + gone.span.end};
  place.all_written = gone.exact;
  return place;
}

// What does not depend on time: ownership, memory, size, alignment, pins, disjointness.
std::optional<Refusal> Granter::Forbidden(const Wish& wish, const Place& place) {
  const Storage& s = s_.storage(place.storage);
  const Value& result = g_.value(wish.result);
  if (s.owner.has_value()) {
    if (s_.Sealed(place.storage)) return Refusal{Why::kOldContentKept, *s.owner};
    if (std::optional<Why> why = ownership_.Refuses(*s.owner, wish.result)) return Refusal{*why, *s.owner};
  }
  if (!wish.base) {
    const Value& operand = g_.value(wish.target);
    if (operand.space != result.space || s.space != result.space) return Refusal{Why::kOtherSpace};
    if (wish.mode == InPlaceMode::kSameIndex && !ProveLessEqual(result.bytes, operand.bytes, g_.symbols())) {
      return Refusal{Why::kOutgrows};
    }
    if (s.owner.has_value() && !ProveLessEqual(place.offset + result.bytes, g_.value(*s.owner).bytes, g_.symbols())) {
      return Refusal{Why::kOutgrows};
    }
    const std::optional<int64_t> limit = g_.space(s.space).max_allocation_bytes;
    if (!place.offset.is_constant() && !ProveLessEqual(result.bytes, operand.bytes, g_.symbols())) {
      return Refusal{Why::kOutgrows};
    }
    if (limit.has_value() && !s.owner.has_value() && place.bytes.end > *limit) return Refusal{Why::kOutgrows};
  }
  const Op& op = g_.op(*g_.producer(wish.result));
  if (op.elide == Elide::kNever && op.kind != OpKind::kCompute) {
    for (const Read& r : g_.reads(op)) {
      if (s_.StorageOf(r.value) == place.storage) return Refusal{Why::kNeverElide};
    }
  }
  if (!ProveMultipleOf(place.offset, s_.AlignmentOf(wish.result), g_.symbols())) return Refusal{Why::kMisaligned};
  if (!s_.PinsAgree(wish.result, place.storage, place.offset, place.bytes)) return Refusal{Why::kPinned};
  if (const std::optional<ValueId> other = s_.DisjointFrom(wish.result, place.storage, place.bytes)) {
    return Refusal{Why::kDisjoint, *other};
  }
  return std::nullopt;
}

// The first use of what lies in the written bytes that is not over when the unit at `time` writes there.
std::optional<Refusal> Granter::StillNeeded(int32_t time, const Place& place) {
  if (place.written.empty()) return std::nullopt;
  ByteTimeline& timeline = s_.TimelineOf(place.storage);
  std::optional<Refusal> found;
  const auto look = [&](const Frontier& uses, ValueId writer) {
    if (found.has_value()) return;
    const std::optional<int32_t> t = uses.NotBefore(time, schedule_);
    if (!t.has_value() || *t == time) return;
    const Why why = *t == schedule_.End()        ? Why::kOldContentKept
                    : schedule_.Before(time, *t) ? Why::kOldContentRead
                                                 : Why::kUnordered;
    found = Refusal{why, writer, *t};
  };
  timeline.ForEach(place.written, [&](ByteRange, const Segment& s) {
    look(s.uses, s.writer);
    // What this very unit wrote already is another result of it.
    if (!found.has_value() && WrittenAt(s.writer, time)) found = Refusal{Why::kOwnOperand, s.writer, time};
  });
  look(timeline.whole(), s_.Tip(place.storage));
  return found;
}

bool Granter::Permitted(int32_t time, const Wish& wish, const Place& place, ValueId operand) const {
  const auto allows = [&](ValueId value, InPlaceMode mode) {
    if (value != operand) return false;
    if (mode == InPlaceMode::kAny) return true;
    return s_.OffsetOf(operand) == place.offset &&
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
bool Granter::StaysInPlace(const Op& op, const Read& r, const Wish& wish, const Place& place) const {
  const OpId writer = *g_.producer(wish.result);
  if (!wish.base || &op != &g_.op(writer) || op.kind == OpKind::kCompute) return false;
  if (schedule_.FusionAt(schedule_.TimeOf(writer)).has_value()) return false;  // a group moves as it likes
  Region from = r.region.has_value() ? g_.region(*r.region) : Region{0, g_.value(r.value).bytes, {}};
  Region to = r.to_region.has_value() ? g_.region(*r.to_region) : Region{0, g_.value(wish.result).bytes, {}};
  from.at += s_.OffsetOf(r.value);
  to.at += place.offset;
  return from == to;
}

void Granter::CollectOwnUses(int32_t time) {
  if (own_uses_time_ == time) return;
  own_uses_time_ = time;
  own_uses_.clear();
  longest_own_use_ = 0;
  const auto add = [&](ValueId v, ByteRange range, const Op* op, const Read* read, std::optional<ValueId> result) {
    if (WrittenAt(v, time)) return;
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

std::optional<ValueId> Granter::KeptAliveBy(int32_t time, int32_t storage) {
  CollectOwnUses(time);
  for (const OwnUse& use : own_uses_) {
    if (use.storage == storage && use.read == nullptr && !use.result.has_value() && !use.bytes.empty())
      return use.value;
  }
  return std::nullopt;
}

// A use by the unit itself of what it would overwrite, that it does not declare.
std::optional<Refusal> Granter::NeededByUnit(int32_t time, const Wish& wish, const Place& place) {
  CollectOwnUses(time);
  absl::InlinedVector<Region, 1> written;
  const auto clashes = [&](const OwnUse& use) {
    if (written.empty()) written = WrittenRegions(g_, wish, place.offset);
    Region used{s_.OffsetOf(use.value), g_.value(use.value).bytes, {}};
    if (use.read != nullptr && use.read->region.has_value()) {
      used = g_.region(*use.read->region);
      used.at += s_.OffsetOf(use.value);
    }
    return !std::all_of(written.begin(), written.end(),
                        [&](const Region& w) { return ProveRegionsDisjoint(w, used, g_.symbols()); });
  };
  auto use = std::lower_bound(own_uses_.begin(), own_uses_.end(),
                              std::make_pair(place.storage, place.written.begin - longest_own_use_),
                              [](const OwnUse& u, const std::pair<int32_t, int64_t>& from) {
                                return std::make_pair(u.storage, u.bytes.begin) < from;
                              });
  for (; use != own_uses_.end() && use->storage == place.storage && use->bytes.begin < place.written.end; ++use) {
    if (!use->bytes.Meets(place.written)) continue;
    if (use->result == wish.result) continue;  // its own base: carried bytes are not written
    if (use->read != nullptr &&
        (StaysInPlace(*use->op, *use->read, wish, place) || Permitted(time, wish, place, use->value))) {
      continue;
    }
    if (!clashes(*use)) continue;
    const bool operand = use->read != nullptr || use->result.has_value();
    return Refusal{operand ? Why::kOwnOperand : Why::kOldContentRead, use->value, time};
  }
  return std::nullopt;
}

// Every use and write in the storage that is not over at `time` is proven to touch other bytes than the wish's op
// writes, for all symbol values.
bool Granter::ProvenApart(int32_t time, const Wish& wish, const Place& place) {
  const absl::InlinedVector<Region, 1> written = WrittenRegions(g_, wish, place.offset);
  const bool plain = g_.symbols().empty() &&
                     std::all_of(written.begin(), written.end(), [](const Region& r) { return r.contiguous(); });
  if (plain && written.size() == 1) return false;  // the timeline was exact
  const auto apart = [&](const Region& region) {
    return std::all_of(written.begin(), written.end(),
                       [&](const Region& w) { return ProveRegionsDisjoint(w, region, g_.symbols()); });
  };
  return s_.ForEachRoot(place.storage, [&](ValueId v) {
    const std::optional<OpId> producer = g_.producer(v);
    const int32_t born = producer.has_value() ? schedule_.TimeOf(*producer) : Schedule::kStart;
    if (born == time || !schedule_.Before(born, time)) return false;
    for (const Use& use : uses_.of(v)) {
      if (--proof_budget_ < 0) return false;
      if (use.time == time || schedule_.Before(use.time, time)) continue;
      Region region = uses_.RegionOf(use);
      region.at += s_.OffsetOf(v);
      if (!apart(region)) return false;
    }
    return true;
  });
}

bool Granter::IsAncestor(ValueId ancestor, ValueId v) const {
  constexpr int kMaxSteps = 4096;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    v = uses_.root(v);
    if (v == ancestor) return true;
    const std::optional<OpId> producer = g_.producer(v);
    if (!producer.has_value()) return false;
    std::optional<ValueId> base;
    for (const Write& w : g_.writes(g_.op(*producer))) {
      if (w.value == v) base = w.base;
    }
    if (!base.has_value() || !s_.OnBase(v)) return false;
    v = *base;
  }
  return false;
}

// The bytes that the result takes over from its base must still be the base's: no other version has overwritten them.
std::optional<Refusal> Granter::OverwrittenMeanwhile(const Wish& wish, const Place& place) {
  const ValueId base = uses_.root(wish.target);
  if (s_.Linear(place.storage) && s_.Tip(place.storage) == base) return std::nullopt;
  std::optional<Refusal> found;
  s_.TimelineOf(place.storage).ForEach(place.bytes, [&](ByteRange at, const Segment& segment) {
    if (found.has_value() || (place.all_written && place.written.Contains(at))) return;
    if (IsAncestor(segment.writer, base)) return;
    const std::optional<OpId> op = g_.producer(segment.writer);
    found = Refusal{Why::kOverwrittenMeanwhile, segment.writer,
                    op.has_value() ? std::optional<int32_t>(op->value) : std::nullopt};
  });
  if (!found.has_value()) s_.Fork(place.storage);
  return found;
}

}  // namespace bufplan
