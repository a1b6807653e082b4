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
  // By op: 1 + the last group that marked it while it was looked at / the required group that owns it.
  std::vector<int32_t> mark(g_.ops_.size(), 0), required(g_.ops_.size(), 0);
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
                                         std::vector<int32_t>& mark) {
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
  // The group runs at its last member's place, so nothing listed before that may need a member's result. Every op that
  // does is found from the data and order edges; only ops between the first and the last member can be.
  const int32_t group = static_cast<int32_t>(index) + 1;
  size_t next_member = 0;
  const size_t first = f.ops.front().index(), last = f.ops.back().index();
  auto edge = std::lower_bound(edges_by_after.begin(), edges_by_after.end(), f.ops.front(),
                               [](const OrderEdge& e, OpId o) { return e.after < o; });
  for (size_t i = first; i <= last; ++i) {
    const OpId o(static_cast<int32_t>(i));
    const bool member = f.ops[next_member] == o;
    bool after = member;
    const auto depends = [&](ValueId v) {
      const int32_t p = g_.producer_[v.index()];
      if (p >= 0 && mark[static_cast<size_t>(p)] == group) after = true;
    };
    for (const Read& r : g_.reads(g_.op(o))) depends(r.value);
    for (const Write& w : g_.writes(g_.op(o))) {
      if (w.base.has_value()) depends(*w.base);
    }
    for (; edge != edges_by_after.end() && edge->after == o; ++edge)
      after = after || mark[edge->before.index()] == group;
    if (after) mark[i] = group;
    if (member) {
      ++next_member;
    } else if (after) {
      return FaultAt(where,
                     absl::StrCat(who, ": ", Text(o),
                                  " is not in it and depends on one of its ops, but is listed before its last, ",
                                  Text(f.ops.back()), ", where the group runs (a cycle, if it also feeds the group)"));
    }
  }
  return absl::OkStatus();
}

}  // namespace bufplan
