#include "planner/sharing/grant_chains.h"

#include <utility>

namespace bufplan {
namespace {

// Wishes of a chain that are named one by one, nearest first; besides, the cheapest of all is.
constexpr size_t kMaxNamed = 3;

}  // namespace

void GrantChains::Add(ValueId v, ValueId on, int64_t gain) {
  if (on_.empty()) {
    on_.resize(g_.values().size());
    gain_.resize(g_.values().size());
    cheapest_.resize(g_.values().size());
  }
  on_[v.index()] = on;
  gain_[v.index()] = gain;
  cheapest_[v.index()] = v;
  const std::optional<ValueId> before = DependsOn(v);
  if (!before.has_value()) return;
  const ValueId cheapest = cheapest_[before->index()];
  if (gain_[cheapest.index()] < gain) cheapest_[v.index()] = cheapest;
}

std::optional<ValueId> GrantChains::Cheapest(ValueId v) const {
  if (s_.JoinedBy(v) == WishKind::kNone) return std::nullopt;
  return cheapest_[v.index()];
}

// The value by whose wish v's own came to be possible; nullopt: that one came first.
std::optional<ValueId> GrantChains::DependsOn(ValueId v) const {
  const ValueId on = on_[v.index()];
  if (on == v || s_.JoinedBy(on) == WishKind::kNone) return std::nullopt;
  return on;
}

Contest::Rival GrantChains::GrantedTo(ValueId v) const {
  const WishKind kind = s_.JoinedBy(v);
  return RivalOf(v, kind, kind == WishKind::kNone ? 0 : gain_[v.index()]);
}

Contest::Rival GrantChains::RivalOf(ValueId v, WishKind kind, int64_t gain) const {
  return {v, kind, kind == WishKind::kSource && gain < g_.value(v).max_bytes, gain};
}

Contest::Obstacle GrantChains::ObstacleOf(const Blocker& blocker) const {
  Contest::Obstacle obstacle{{}, blocker.missing};
  const std::optional<ValueId> cheapest = Cheapest(blocker.value);
  if (!cheapest.has_value()) return obstacle;
  bool named = false;
  const auto name = [&](ValueId v) {
    obstacle.any_of.push_back(GrantedTo(v));
    named = named || v == *cheapest;
  };
  std::optional<ValueId> at = blocker.value;
  for (size_t i = 0; i < kMaxNamed && at.has_value(); ++i, at = DependsOn(*at)) name(*at);
  if (!named) name(*cheapest);
  return obstacle;
}

}  // namespace bufplan
