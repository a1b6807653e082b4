#include "planner/sharing/destination_spots.h"

#include <algorithm>

#include "ir/expr_proof.h"

namespace bufplan {
namespace {

// Destinations of one value that are looked at, how far chains of them are followed, and steps in all.
constexpr size_t kMaxSpots = 4;
constexpr int kMaxDepth = 8;
constexpr int kMaxSteps = 32;
// Parts of a concat that are looked at to tell where it is going to lie.
constexpr uint32_t kMaxPartsTried = 4;

}  // namespace

DestinationSpots DestinationFinder::Find(ValueId v, int32_t time) const {
  Search search{v, time, {}};
  DestinationSpots& found = search.found;
  found.gain = g_.value(v).max_bytes;
  const std::optional<int32_t> own = s_.ReservedFor(v);
  if (own.has_value()) found.spots.push_back({*own, Region{0, g_.value(v).bytes, {}}});
  if (destinations_.of(v).empty() || g_.value(v).max_bytes == 0) return std::move(found);
  for (const Reach reach : {Reach::kCopies, Reach::kMaking, Reach::kParts}) {
    if (reach == Reach::kParts && !destinations_.LeadToParts(v)) break;
    search.reach = reach;
    search.steps = 0;
    if (found.spots.size() == (own.has_value() ? 1 : 0) && !found.to_reserve.has_value()) Follow(v, 0, 0, search);
  }
  if (!found.to_reserve.has_value() && search.last_resort.has_value() && MayReserve(search.last_resort->to)) {
    found.to_reserve = search.last_resort;
  }
  std::stable_partition(found.spots.begin() + (own.has_value() ? 1 : 0), found.spots.end(),
                        [&](const Spot& spot) { return s_.storage(spot.storage).owner.has_value(); });
  return std::move(found);
}

DestinationFinder::Reach DestinationFinder::PassOf(ArrivesBy by) {
  return by == ArrivesBy::kCopy ? Reach::kCopies : by == ArrivesBy::kPart ? Reach::kParts : Reach::kMaking;
}

// Copies of all come first: what is made in place of a value is copied later still.
void DestinationFinder::Follow(ValueId at, const Expr& offset, int depth, Search& search) const {
  const size_t before = search.found.spots.size();
  const bool reserves = search.found.to_reserve.has_value();
  for (const Reach pass : {Reach::kCopies, Reach::kParts, Reach::kMaking}) {
    // What is built on the destination stays where that is.
    if (pass > search.reach && !(pass == Reach::kMaking && depth > 0)) continue;
    for (const Destination& d : destinations_.of(at)) {
      if (PassOf(d.by) != pass) continue;
      if (++search.steps > kMaxSteps || search.found.spots.size() >= kMaxSpots) return;
      if (pass > search.reach && d.by != ArrivesBy::kBase) continue;
      if (schedule_.TimeOf(d.op) <= search.time) continue;
      // Only what is built on it would have to be moved; what is made in its place is written there all the same.
      if (depth == 0 && d.by == ArrivesBy::kPart) search.found.gain = d.part_bytes;
      if (depth == 0 && d.by == ArrivesBy::kInPlace) search.found.gain = 0;
      const bool hung_over = search.hangs_over;
      search.hangs_over = hung_over || d.by == ArrivesBy::kPart;
      Visit(d, offset + d.offset, depth, search);
      search.hangs_over = hung_over;
      const bool found = search.found.spots.size() > before || search.found.to_reserve.has_value() != reserves;
      if (found && pass != Reach::kCopies) return;
    }
    if (search.found.spots.size() > before || search.found.to_reserve.has_value() != reserves) return;
  }
}

bool DestinationFinder::Lies(const Search& search, const Expr& offset, ValueId to) const {
  if (search.hangs_over) return true;
  return ProveNonNegative(offset, g_.symbols()) &&
         ProveLessEqual(offset + g_.value(search.value).bytes, g_.value(to).bytes, g_.symbols());
}

void DestinationFinder::Visit(const Destination& d, const Expr& there, int depth, Search& search) const {
  const Op& op = g_.op(d.op);
  const Expr& bytes = g_.value(search.value).bytes;
  const auto found = [&](int32_t storage, const Expr& place) {
    search.found.spots.push_back({storage, Region{place + there, bytes, {}}});
  };
  if (op.kind == OpKind::kCommit) {
    if (!decisions_.Locked(d.to) && Lies(search, there, d.to)) found(s_.StorageOf(d.to), 0);
    return;
  }
  if (decisions_.HasNoBytes(d.to)) return;
  const bool moves = d.by == ArrivesBy::kCopy || d.by == ArrivesBy::kPart;
  const bool lies = moves && Lies(search, there, d.to);
  const absl::Span<const Write> writes = g_.writes(op);
  const auto write = std::find_if(writes.begin(), writes.end(), [&](const Write& w) { return w.value == d.to; });
  const bool on_base = write->base.has_value() && !uses_.BaseUnread(d.op, 0);
  if (lies) {
    if (const std::optional<int32_t> reserved = s_.ReservedFor(d.to)) return found(*reserved, 0);
    if (on_base) AddPlacesOnBase(*write->base, there, search);
    if (!write->base.has_value() && AddPlaceBesideOthers(op, d, there, search)) return;
  }
  if (depth < kMaxDepth) Follow(d.to, there, depth + 1, search);
  // The result of a copy from one place finds its bytes wherever they are.
  const bool alone =
      op.num_reads == 1 && !on_base && (write->base.has_value() || search.hangs_over || bytes == g_.value(d.to).bytes);
  if (!lies || search.found.to_reserve.has_value()) return;
  if (alone) {
    const bool larger = !search.hangs_over && !(bytes == g_.value(d.to).bytes);
    if (larger && !search.last_resort.has_value()) search.last_resort = FutureSpot{d.to, there};
    return;
  }
  // What goes on into storage of the caller had better not be held back by what cannot hang over there.
  const absl::Span<const Spot> spots = search.found.spots;
  const bool goes_on = std::any_of(spots.begin(), spots.end(),
                                   [&](const Spot& spot) { return s_.storage(spot.storage).owner.has_value(); });
  if (search.hangs_over && goes_on) return;
  if (on_base && MayReserve(uses_.root(*write->base))) {
    search.found.to_reserve = FutureSpot{uses_.root(*write->base), uses_.offset(*write->base) + there};
  } else if (MayReserve(d.to)) {
    search.found.to_reserve = FutureSpot{d.to, there};
  }
}

bool DestinationFinder::MayReserve(ValueId to) const {
  return !s_.Placed(to) && !g_.value(to).pinned_offset_bytes.has_value() && decisions_.MayReserve(to);
}

// Other parts of the result lie where they do already, or will: it had better lie around them.
bool DestinationFinder::AddPlaceBesideOthers(const Op& op, const Destination& d, const Expr& there,
                                             Search& search) const {
  for (uint32_t i = 0; i < std::min(op.num_reads, kMaxPartsTried); ++i) {
    const std::optional<RegionId> to = g_.reads(op)[i].to_region;
    const Source source = destinations_.SourceOf(d.op, i);
    if (!to.has_value() || source.value == search.value || !source.region.contiguous()) continue;
    const std::optional<int32_t> reserved = s_.ReservedFor(source.value);
    const bool placed =
        s_.Placed(source.value) && !s_.Strided(source.value) && s_.ReservedIn(s_.StorageOf(source.value)).has_value();
    if (!g_.region(*to).contiguous() || (!placed && !reserved.has_value())) continue;
    const int32_t storage = placed ? s_.StorageOf(source.value) : *reserved;
    if (s_.storage(storage).owner.has_value()) continue;
    const Expr part = (placed ? s_.OffsetOf(source.value) : Expr(0)) + source.region.at;
    search.found.spots.push_back({storage, Region{part - g_.region(*to).at + there, g_.value(search.value).bytes, {}}});
    return true;
  }
  return false;
}

// Where `there` bytes after the first byte of the base is, or will be: the base may be a copy that is not made yet.
void DestinationFinder::AddPlacesOnBase(ValueId base, const Expr& there, Search& search) const {
  const Expr& bytes = g_.value(search.value).bytes;
  const ValueId root = uses_.root(base);
  const Expr at = uses_.offset(base) + there;
  if (!s_.Placed(root) && s_.ReservedFor(root).has_value()) {
    search.found.spots.push_back({*s_.ReservedFor(root), Region{at, bytes, {}}});
    return;
  }
  std::optional<Source> source = Source{root, Region{0, g_.value(root).bytes, {}}, search.time};
  for (int step = 0; step < kMaxDepth && source.has_value() && !s_.Placed(source->value); ++step) {
    source = destinations_.Before(*source);
  }
  if (!source.has_value() || !s_.Placed(source->value) || s_.Strided(source->value)) return;
  if (!source->region.contiguous()) return;
  const Expr place = s_.OffsetOf(source->value) + source->region.at + at;
  search.found.spots.push_back({s_.StorageOf(source->value), Region{place, bytes, {}}});
}

}  // namespace bufplan
