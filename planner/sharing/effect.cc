#include "planner/sharing/effect.h"

#include <algorithm>
#include <utility>

#include "ir/expr_proof.h"
#include "ir/region.h"
#include "planner/sharing/strided.h"

namespace bufplan {
namespace {

// Copies of copies are followed so far.
constexpr int kMaxSteps = 6;
// Roots of a storage that are looked at one by one.
constexpr int kMaxRoots = 256;
// Copies of the same bytes that are looked at, the latest.
constexpr int kMaxCopies = 4;

}  // namespace

std::optional<Spot> EffectFinder::SpotOf(const Source& source) const {
  if (!s_.Placed(source.value)) return std::nullopt;
  std::optional<Region> place = Compose(s_.PlaceOf(source.value), source.region, g_.symbols());
  if (!place.has_value()) return std::nullopt;
  return Spot{s_.StorageOf(source.value), *std::move(place)};
}

absl::InlinedVector<Spot, 2> EffectFinder::PlacesForPart(OpId op, uint32_t read, ValueId result) {
  absl::InlinedVector<Spot, 2> places;
  const Read& r = g_.reads(g_.op(op))[read];
  const Region part = r.to_region.has_value() ? g_.region(*r.to_region) : Region{0, g_.value(result).bytes, {}};
  const auto add = [&](const Spot& spot) {
    std::optional<Region> place = PlaceFromPart(spot.place, part, g_.value(result).bytes, g_.symbols());
    if (!place.has_value()) return;
    Spot found{spot.storage, *std::move(place)};
    const bool known = std::any_of(places.begin(), places.end(),
                                   [&](const Spot& p) { return p.storage == found.storage && p.place == found.place; });
    if (!known) places.push_back(std::move(found));
  };
  std::optional<Source> source = destinations_.SourceOf(op, read);
  for (int step = 0; step < kMaxSteps && source.has_value(); ++step, source = destinations_.Before(*source)) {
    if (const std::optional<Spot> spot = SpotOf(*source)) add(*spot);
  }
  source = destinations_.SourceOf(op, read);
  for (int step = 0; step < kMaxSteps && source.has_value(); ++step, source = destinations_.Before(*source)) {
    ForEachCopy(op, *source, [&](const Source& copy) {
      if (const std::optional<Spot> spot = SpotOf(copy)) add(*spot);
      return true;
    });
  }
  return places;
}

// Nothing is written there after the unit at `since`, as far as units have been visited.
bool EffectFinder::Untouched(const Spot& spot, int32_t since) {
  const std::optional<ByteRange> span = RegionSpan(spot.place, g_.symbols());
  if (!span.has_value()) return false;
  bool untouched = true;
  s_.TimelineOf(spot.storage).ForEach(*span, [&](ByteRange, const Segment& s) {
    untouched = untouched && s.written <= since;
  });
  if (untouched) return true;
  if (s_.Sealed(spot.storage)) return false;  // perhaps by a commit that overwrote it
  int roots = 0;
  return s_.ForEachRoot(spot.storage, [&](ValueId v) {
    if (++roots > kMaxRoots) return false;
    const std::optional<OpId> producer = g_.producer(v);
    if (!producer.has_value() || schedule_.TimeOf(*producer) <= since || s_.Elided(*producer)) return true;
    return ProveRegionsDisjoint(s_.PlaceOf(v), spot.place, g_.symbols());
  });
}

// Calls f(copy) for results of earlier movements that hold the same bytes, until it returns false.
template <class F>
void EffectFinder::ForEachCopy(OpId op, const Source& source, F f) const {
  const absl::Span<const Destination> copies = destinations_.of(source.value);
  auto end = std::lower_bound(copies.begin(), copies.end(), op, [](const Destination& d, OpId o) { return d.op < o; });
  for (int i = 0; i < kMaxCopies && end != copies.begin(); ++i) {
    const Destination& d = *--end;
    if (d.by != ArrivesBy::kCopy || g_.op(d.op).kind == OpKind::kCommit) continue;
    if (schedule_.TimeOf(d.op) >= schedule_.TimeOf(op)) continue;  // listed earlier, runs later
    Region region = source.region;
    region.at += d.offset;
    if (!f(Source{uses_.root(d.to), std::move(region), schedule_.TimeOf(d.op)})) return;
  }
}

// Since when these bytes of a root, which lie at `spot`, have been put there; nullopt: who knows. Bytes that nobody
// needs may never have been.
std::optional<int32_t> EffectFinder::WrittenSince(Source content, const Spot& spot) const {
  for (int step = 0; step < kMaxSteps; ++step) {
    const std::optional<Spot> at = SpotOf(content);
    if (!at.has_value() || at->storage != spot.storage || !(at->place == spot.place)) return std::nullopt;
    const std::optional<OpId> producer = g_.producer(content.value);
    if (!producer.has_value()) return Schedule::kStart;
    const int32_t time = schedule_.TimeOf(*producer);
    if (schedule_.FusionAt(time).has_value()) return std::nullopt;
    std::optional<Source> before = destinations_.Before(content);
    if (before.has_value()) {
      const std::optional<Spot> from = SpotOf(*before);
      if (from.has_value() && from->storage == spot.storage && from->place == spot.place) {
        content = *std::move(before);
        continue;
      }
    }
    // All of its bytes came there when its op ran, or it is not known which.
    const absl::Span<const Write> writes = g_.writes(g_.op(*producer));
    const auto w = std::find_if(writes.begin(), writes.end(), [&](const Write& x) { return x.value == content.value; });
    const bool all = !w->base.has_value() || (destinations_.Moves(*producer) && before.has_value());
    if (!all || s_.Elided(*producer)) return std::nullopt;
    return time;
  }
  return std::nullopt;
}

// An earlier copy of these bytes lies at `spot`, and nothing has been written over it.
bool EffectFinder::HoldsCopy(int32_t time, OpId op, const Source& source, const Spot& spot, Effect& effect) {
  bool holds = false;
  ForEachCopy(op, source, [&](const Source& copy) {
    const std::optional<int32_t> since = WrittenSince(copy, spot);
    holds =
        since.has_value() && (*since == Schedule::kStart || schedule_.Before(*since, time)) && Untouched(spot, *since);
    if (holds) effect.same_as = copy.value;
    return !holds;
  });
  return holds;
}

// The part need not be moved to `spot`: what it is a copy of lies there, or another copy of that.
bool EffectFinder::IsThere(int32_t time, OpId op, uint32_t read, const Spot& spot, Effect& effect) {
  std::optional<Source> source = destinations_.SourceOf(op, read);
  for (int step = 0; step <= kMaxSteps && source.has_value(); ++step, source = destinations_.Before(*source)) {
    const std::optional<Spot> from = SpotOf(*source);
    const bool there = from.has_value() && from->storage == spot.storage && from->place == spot.place;
    if (there && Untouched(spot, source->time)) {
      effect.same_as = source->value;
    } else if (!HoldsCopy(time, op, *source, spot, effect)) {
      continue;
    }
    effect.why = Why::kSameBytes;
    return true;
  }
  return false;
}

bool EffectFinder::KeepsBase(OpId o, const Write& w) const {
  const Op& op = g_.op(o);
  if (!w.base.has_value() || uses_.BaseUnread(o, 0)) return false;
  if (op.num_reads != 1) return true;
  const std::optional<RegionId> to = g_.reads(op)[0].to_region;
  return to.has_value() && !(Normalized(g_.region(*to), g_.symbols()) == Region{0, g_.value(w.value).bytes, {}});
}

// A base is carried around the one part of the op, which is there already. False: it is not, or there are more.
bool EffectFinder::FindAroundPart(const Op& op, const Write& w, const Spot& spot, Effect& effect) const {
  if (op.num_reads != 1 || !spot.place.contiguous()) return false;
  const Read& read = g_.reads(op)[0];
  if (!read.to_region.has_value()) return false;
  const std::optional<Region> to = Compose(spot.place, g_.region(*read.to_region), g_.symbols());
  const OpId id = *g_.producer(w.value);
  const std::optional<Spot> from = SpotOf(destinations_.SourceOf(id, 0));
  if (!to.has_value() || !to->contiguous() || !from.has_value()) return false;
  if (from->storage != spot.storage || !(from->place == *to)) return false;
  const Expr low = to->at - spot.place.at, high = to->at + to->run_bytes;
  if (!(low == Expr(0))) effect.written.push_back(Region{spot.place.at, low, {}});
  const Expr rest = RegionEnd(spot.place) - high;
  if (!(rest == Expr(0))) effect.written.push_back(Region{high, rest, {}});
  return true;
}

void EffectFinder::Find(int32_t time, OpId o, const Write* w, const Spot& spot, Effect& effect) {
  const Op& op = g_.op(o);
  effect.written.clear();
  effect.elided = false;
  effect.why = Why::kCoincides;
  effect.same_as = std::nullopt;
  effect.moves = destinations_.Moves(o);
  const auto part_at = [&](std::optional<RegionId> part) {
    return part.has_value() ? Compose(spot.place, g_.region(*part), g_.symbols()) : std::optional<Region>(spot.place);
  };
  const bool has_base = w != nullptr && w->base.has_value() && (!effect.moves || KeepsBase(o, *w));
  effect.on_base = w != nullptr && w->base.has_value() && spot.place.contiguous() &&
                   s_.StorageOf(*w->base) == spot.storage && !s_.Strided(uses_.root(*w->base)) &&
                   s_.OffsetOf(*w->base) == spot.place.at;
  const auto all = [&] {
    effect.written.clear();
    effect.written.push_back(spot.place);
  };
  if (has_base && !effect.on_base) {
    if (!effect.moves || !FindAroundPart(op, *w, spot, effect)) all();
    return;
  }
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    if (!effect.on_base) return all();
    effect.written.push_back(*part_at(w->region));
    return;
  }
  const bool fused = schedule_.FusionAt(time).has_value();
  if (fused && !effect.on_base) return all();
  bool all_there = !fused && op.elide != Elide::kNever, all_unread = true;
  for (uint32_t i = 0; i < op.num_reads; ++i) {
    const Read& read = g_.reads(op)[i];
    std::optional<Region> to = part_at(read.to_region);
    if (!to.has_value()) return all();  // its bytes are not one region there
    if (fused) {
      effect.written.push_back(*std::move(to));
      continue;
    }
    if (uses_.Unread(o, i)) {
      effect.written.push_back(*std::move(to));
      continue;
    }
    all_unread = false;
    const std::optional<Spot> from = SpotOf(destinations_.SourceOf(o, i));
    if (from.has_value() && from->storage == spot.storage && from->place == *to) continue;
    all_there = all_there && IsThere(time, o, i, {spot.storage, *to}, effect);
    effect.written.push_back(*std::move(to));
  }
  effect.elided = all_there;
  if (all_there) effect.written.clear();
  if (all_unread && op.num_reads > 0) effect.why = Why::kUnread;
}

}  // namespace bufplan
