#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/graph_validator.h"
#include "ir/where.h"

namespace bufplan {

void GraphValidator::DropRepeatedFusions() {
  const auto same = [](const Fusion& a, const Fusion& b) {
    return a.ops == b.ops && a.benefit == b.benefit && a.required == b.required && a.in_place == b.in_place;
  };
  std::vector<Fusion>& fusions = g_.fusions_;
  absl::flat_hash_map<std::string, size_t> by_name;
  size_t kept = 0;
  for (size_t i = 0; i < fusions.size(); ++i) {
    std::sort(fusions[i].ops.begin(), fusions[i].ops.end());
    const auto [it, fresh] = by_name.try_emplace(fusions[i].name, kept);
    if (!fresh && same(fusions[it->second], fusions[i])) continue;
    if (kept != i) fusions[kept] = std::move(fusions[i]);
    fusion_place_.push_back(i);
    ++kept;
  }
  fusions.resize(kept);
}

absl::Status GraphValidator::CheckFusions() {
  // By op: what the last group that looked at it found / 1 + the required group that owns it.
  std::vector<int64_t> mark(g_.ops_.size(), 0);
  std::vector<int32_t> required(g_.ops_.size(), 0);
  std::vector<OrderEdge> edges(g_.order_.begin(), g_.order_.end());
  std::sort(edges.begin(), edges.end(), [](const OrderEdge& a, const OrderEdge& b) { return a.after < b.after; });
  for (size_t i = 0; i < g_.fusions_.size(); ++i) {
    if (absl::Status s = CheckFusion(i, edges, mark); !s.ok()) return s;
    const Fusion& f = g_.fusions_[i];
    if (!f.required) continue;
    for (OpId o : f.ops) {
      int32_t& owner = required[o.index()];
      if (owner != 0) {
        return FaultAt(absl::StrCat("/fusions/", fusion_place_[i]),
                       absl::StrCat("fusion \"", f.name, "\": ", Text(o), " is also in required fusion \"",
                                    g_.fusions_[static_cast<size_t>(owner) - 1].name, "\""));
      }
      owner = static_cast<int32_t>(i) + 1;
    }
  }
  std::sort(g_.fusions_.begin(), g_.fusions_.end(),
            [](const Fusion& a, const Fusion& b) { return std::tie(a.ops, a.name) < std::tie(b.ops, b.name); });
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckFusion(size_t index, absl::Span<const OrderEdge> edges_by_after,
                                         std::vector<int64_t>& mark) {
  Fusion& f = g_.fusions_[index];
  const std::string where = absl::StrCat("/fusions/", fusion_place_[index]);
  const std::string who = absl::StrCat("fusion \"", f.name, "\"");
  if (f.ops.empty()) return FaultAt(where + "/ops", who + ": has no ops");
  for (OpId o : f.ops) {
    if (!Known(o)) return FaultAt(where + "/ops", who + ": unknown op");
    if (g_.op(o).kind == OpKind::kCommit || g_.op(o).kind == OpKind::kBarrier) {
      return FaultAt(where + "/ops", absl::StrCat(who, ": ", Text(o), " cannot be fused"));
    }
  }
  for (size_t i = 1; i < f.ops.size(); ++i) {
    if (f.ops[i] == f.ops[i - 1])
      return FaultAt(where + "/ops", absl::StrCat(who, ": ", Text(f.ops[i]), " is listed twice"));
    if (g_.op(f.ops[i]).stream != g_.op(f.ops[0]).stream) {
      return FaultAt(where + "/ops",
                     absl::StrCat(who, ": ", Text(f.ops[0]), " and ", Text(f.ops[i]), " are on different streams"));
    }
  }
  if (!std::isfinite(f.benefit)) return FaultAt(where + "/benefit", who + ": benefit is not a number");
  absl::flat_hash_set<int32_t> written, read;
  for (OpId o : f.ops) {
    for (const Write& w : g_.writes(g_.op(o))) {
      written.insert(w.value.value);
      if (w.base.has_value()) read.insert(w.base->value);
    }
    for (const Read& r : g_.reads(g_.op(o))) read.insert(r.value.value);
  }
  for (size_t i = 0; i < f.in_place.size(); ++i) {
    const FusionInPlace& p = f.in_place[i];
    const std::string at = absl::StrCat(where, "/in_place/", i);
    if (!Known(p.result) || !written.contains(p.result.value)) {
      return FaultAt(at + "/result", absl::StrCat(who, ": in_place result is not written by one of its ops"));
    }
    if (!Known(p.value) || !read.contains(p.value.value)) {
      return FaultAt(at + "/value", absl::StrCat(who, ": in_place value is not read by one of its ops"));
    }
  }
  return PlaceFusion(f, where, edges_by_after, static_cast<int64_t>(index) + 1, mark);
}

// A group may run anywhere between the foreign ops of its stream. What must not be is a foreign op that comes after one
// member and before another. Those that come after a member are found going forward from the first one: by what they
// use, by order edges, and by what they follow on their stream. If that holds for one on the group's own stream that is
// listed before the last member, then the group runs earlier: right after what must come first, found going backward.
absl::Status GraphValidator::PlaceFusion(Fusion& f, absl::string_view where, absl::Span<const OrderEdge> edges_by_after,
                                         int64_t group, std::vector<int64_t>& mark) {
  const OpId first = f.ops.front(), last = f.ops.back();
  const StreamId stream = g_.op(first).stream;
  // Calls visit(op) for each op from the first member on that o uses or has an order edge from.
  const auto for_each_needed = [&](OpId o, auto visit) {
    const auto uses = [&](ValueId v) {
      if (const int32_t p = g_.producer_[v.index()]; p >= first.value) visit(OpId(p));
    };
    for (const Read& r : g_.reads(g_.op(o))) uses(r.value);
    for (const Write& w : g_.writes(g_.op(o))) {
      if (w.base.has_value()) uses(*w.base);
    }
    auto edge = std::lower_bound(edges_by_after.begin(), edges_by_after.end(), o,
                                 [](const OrderEdge& e, OpId op) { return e.after < op; });
    for (; edge != edges_by_after.end() && edge->after == o; ++edge) {
      if (edge->before >= first) visit(edge->before);
    }
  };

  const int64_t member = 3 * group, after = 3 * group + 1, before = 3 * group + 2;
  for (OpId o : f.ops) mark[o.index()] = member;
  absl::flat_hash_map<int32_t, OpId> first_after;  // by stream
  for (OpId o = first; o <= last; ++o.value) {
    const bool foreign = mark[o.index()] != member;
    bool comes_after = foreign && first_after.contains(g_.op(o).stream.value);
    std::optional<OpId> foreign_needed;
    for_each_needed(o, [&](OpId p) {
      comes_after = comes_after || mark[p.index()] == member || mark[p.index()] == after;
      if (mark[p.index()] == after) foreign_needed = p;
    });
    if (foreign && comes_after) {
      mark[o.index()] = after;
      first_after.try_emplace(g_.op(o).stream.value, o);
    } else if (!foreign && foreign_needed.has_value()) {
      return FaultAt(where, absl::StrCat("fusion \"", f.name, "\": ", Text(*foreign_needed),
                                         " is not in it, comes after one of its ops and before another, ", Text(o),
                                         ": as one op, the group would be in a cycle"));
    }
  }
  const auto next = first_after.find(stream.value);
  f.at = next == first_after.end() ? last : *std::prev(std::lower_bound(f.ops.begin(), f.ops.end(), next->second));
  if (f.at == last) return absl::OkStatus();

  absl::flat_hash_set<int32_t> streams_before;
  for (OpId o = last; o > f.at; --o.value) {
    const bool foreign = mark[o.index()] != member;
    if (foreign && streams_before.contains(g_.op(o).stream.value)) mark[o.index()] = before;
    if (foreign && mark[o.index()] != before) continue;
    if (foreign && g_.op(o).stream == stream) f.at = o;
    if (foreign) streams_before.insert(g_.op(o).stream.value);
    for_each_needed(o, [&](OpId p) {
      if (mark[p.index()] != member) mark[p.index()] = before;
    });
  }
  return absl::OkStatus();
}

}  // namespace bufplan
