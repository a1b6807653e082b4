#include "planner/sharing/destination_spots.h"

#include <algorithm>

#include "ir/expr_proof.h"

namespace bufplan {
namespace {

// Destinations of one value that are looked at, how far chains of them are followed, and steps in all.
constexpr size_t kMaxSpots = 4;
constexpr int kMaxDepth = 8;
constexpr int kMaxSteps = 32;

}  // namespace

DestinationSpots DestinationFinder::Find(ValueId v, int32_t time) const {
  Search search{v, time, {}};
  DestinationSpots& found = search.found;
  found.gain = g_.value(v).max_bytes;
  if (const std::optional<int32_t> own = s_.ReservedFor(v)) {
    found.spots.push_back({*own, Region{0, g_.value(v).bytes, {}}});
  }
  if (destinations_.of(v).empty() || g_.value(v).max_bytes == 0) return std::move(found);
  const size_t own = found.spots.size();
  Follow(v, 0, 0, search);
  if (found.spots.empty() && !found.to_reserve.has_value()) {
    search.hangs_over = true;
    Follow(v, 0, 0, By::kParts, search);
  }
  std::stable_partition(found.spots.begin() + static_cast<ptrdiff_t>(own), found.spots.end(),
                        [&](const Spot& spot) { return s_.storage(spot.storage).owner.has_value(); });
  return std::move(found);
}

// Copies come first: what is made in place of a value is copied later still.
void DestinationFinder::Follow(ValueId at, const Expr& offset, int depth, Search& search) const {
  const size_t before = search.found.spots.size();
  const bool reserves = search.found.to_reserve.has_value();
  Follow(at, offset, depth, By::kCopies, search);
  if (search.found.spots.size() == before && search.found.to_reserve.has_value() == reserves) {
    Follow(at, offset, depth, By::kMaking, search);
  }
}

void DestinationFinder::Follow(ValueId at, const Expr& offset, int depth, By by, Search& search) const {
  for (const Destination& d : destinations_.of(at)) {
    if ((d.part_bytes.has_value() ? By::kParts : d.moves ? By::kCopies : By::kMaking) != by) continue;
    if (++search.steps > kMaxSteps || search.found.spots.size() >= kMaxSpots) return;
    if (schedule_.TimeOf(d.op) <= search.time) continue;
    if (by == By::kParts) search.found.gain = *d.part_bytes;
    Visit(d, offset + d.offset, depth, search);
    if (by == By::kParts && (!search.found.spots.empty() || search.found.to_reserve.has_value())) return;
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
  const bool lies = d.moves && Lies(search, there, d.to);
  if (lies) {
    if (const std::optional<int32_t> reserved = s_.ReservedFor(d.to)) return found(*reserved, 0);
    const absl::Span<const Write> writes = g_.writes(op);
    const auto write = std::find_if(writes.begin(), writes.end(), [&](const Write& w) { return w.value == d.to; });
    if (write->base.has_value()) {
      const ValueId base = uses_.root(*write->base);
      if (s_.Placed(base) && !s_.Strided(base)) {
        found(s_.StorageOf(base), s_.OffsetOf(*write->base));
      } else if (!s_.Placed(base) && s_.ReservedFor(base).has_value()) {
        found(*s_.ReservedFor(base), uses_.offset(*write->base));
      }
    }
  }
  if (depth < kMaxDepth) Follow(d.to, there, depth + 1, search);
  // The result of a copy of all finds its bytes wherever they are.
  const bool whole = op.num_reads == 1 && bytes == g_.value(d.to).bytes;
  if (!lies || whole || search.found.to_reserve.has_value()) return;
  if (!g_.value(d.to).pinned_offset_bytes.has_value() && decisions_.MayReserve(d.to)) {
    search.found.to_reserve = FutureSpot{d.to, there};
  }
}

}  // namespace bufplan
