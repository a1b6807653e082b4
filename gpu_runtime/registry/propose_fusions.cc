#include "gpu_runtime/registry/propose_fusions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/registry/bind_ops.h"
#include "gpu_runtime/registry/find_fused_kernel.h"
#include "gpu_runtime/registry/group_match.h"
#include "gpu_runtime/registry/value_uses.h"

namespace bufplan::runtime {
namespace {

class Proposer {
 public:
  Proposer(const Graph& graph, absl::Span<const std::optional<BoundOp>> bound)
      : graph_(graph), bound_(bound), uses_(graph), edges_(graph.order().begin(), graph.order().end()) {
    std::sort(edges_.begin(), edges_.end(), [](const OrderEdge& a, const OrderEdge& b) { return a.after < b.after; });
  }

  std::vector<Fusion> Propose() {
    for (const FusedDefinition& d : AllFusedKernels()) {
      std::vector<bool> taken(bound_.size(), false);  // by a longest chain
      for (size_t i = 0; i < bound_.size(); ++i) {
        if (taken[i]) continue;
        std::vector<OpId> ops = {OpId(static_cast<int32_t>(i))};
        if (!Is(ops[0], d.members[0])) continue;
        if (d.max_repeats == 1) {
          Extend(d, ops);
        } else if (Longest(d, ops)) {
          for (OpId o : ops) taken[o.index()] = true;
          Add(ops);
        }
      }
    }
    return std::move(fusions_);
  }

 private:
  bool Is(OpId o, absl::string_view kernel) const {
    return bound_[o.index()].has_value() && bound_[o.index()]->definition->name == kernel;
  }
  // Ops that run the kernel on the first result of o, on its stream.
  std::vector<OpId> Next(OpId o, absl::string_view kernel) const {
    std::vector<OpId> next;
    for (OpId user : uses_.users(graph_.writes(graph_.op(o))[0].value)) {
      if (Is(user, kernel) && graph_.op(user).stream == graph_.op(o).stream) next.push_back(user);
    }
    return next;
  }

  void Extend(const FusedDefinition& d, std::vector<OpId>& ops) {
    if (ops.size() == d.members.size()) return Add(ops);
    for (OpId next : Next(ops.back(), d.members[ops.size()])) {
      ops.push_back(next);
      Extend(d, ops);
      ops.pop_back();
    }
  }

  // Grows ops as far as they are a group; false if they never are.
  bool Longest(const FusedDefinition& d, std::vector<OpId>& ops) {
    while (ops.size() < d.max_repeats) {
      bool grown = false;
      for (OpId next : Next(ops.back(), d.members[0])) {
        ops.push_back(next);
        grown = MatchGroup(graph_, uses_, bound_, ops).has_value() && MayBeOneOp(ops);
        if (grown) break;
        ops.pop_back();
      }
      if (!grown) break;
    }
    return ops.size() >= 2;
  }

  void Add(const std::vector<OpId>& ops) {
    const std::optional<GroupMatch> match = MatchGroup(graph_, uses_, bound_, ops);
    if (!match.has_value() || !MayBeOneOp(ops)) return;
    Fusion fusion{.name = absl::StrCat(match->definition->name, ":"), .ops = ops, .benefit = 0.0};
    for (size_t i = 0; i < ops.size(); ++i) {
      absl::StrAppend(&fusion.name, i == 0 ? "" : "+", graph_.name(ops[i]));
      if (i + 1 == ops.size()) break;
      const int64_t bytes = graph_.value(graph_.writes(graph_.op(ops[i]))[0].value).max_bytes;
      fusion.benefit += static_cast<double>(bytes) * (match->chain[i].kept ? 1 : 2);
    }
    fusion.in_place = InPlaceOf(graph_, uses_, ops, *match);
    fusions_.push_back(std::move(fusion));
  }

  // No foreign op comes after one member and before another (docs/design.md, 8.10): found going forward from the first
  // member, by what ops use, by order edges, and by what they follow on their stream.
  bool MayBeOneOp(const std::vector<OpId>& ops) const {
    std::vector<bool> streams_after(static_cast<size_t>(graph_.num_streams()), false);
    std::vector<bool> after(static_cast<size_t>(ops.back().value - ops.front().value) + 1, false);
    for (OpId o = ops.front(); o <= ops.back(); ++o.value) {
      const bool member = std::binary_search(ops.begin(), ops.end(), o);
      bool follows = !member && streams_after[graph_.op(o).stream.index()], in_cycle = false;
      ForEachNeeded(o, ops.front(), [&](OpId p) {
        const bool foreign_after = after[static_cast<size_t>(p.value - ops.front().value)];
        follows = follows || foreign_after || std::binary_search(ops.begin(), ops.end(), p);
        in_cycle = in_cycle || (member && foreign_after);
      });
      if (in_cycle) return false;
      if (member || !follows) continue;
      after[static_cast<size_t>(o.value - ops.front().value)] = true;
      streams_after[graph_.op(o).stream.index()] = true;
    }
    return true;
  }

  // Ops from `first` on that o uses or has an order edge from.
  template <class Visit>
  void ForEachNeeded(OpId o, OpId first, const Visit& visit) const {
    const auto uses = [&](ValueId v) {
      const std::optional<OpId> p = graph_.producer(v);
      if (p.has_value() && *p >= first) visit(*p);
    };
    for (const Read& r : graph_.reads(graph_.op(o))) uses(r.value);
    for (const Write& w : graph_.writes(graph_.op(o))) {
      if (w.base.has_value()) uses(*w.base);
    }
    auto edge =
        std::lower_bound(edges_.begin(), edges_.end(), o, [](const OrderEdge& e, OpId op) { return e.after < op; });
    for (; edge != edges_.end() && edge->after == o; ++edge) {
      if (edge->before >= first) visit(edge->before);
    }
  }

  const Graph& graph_;
  absl::Span<const std::optional<BoundOp>> bound_;
  const ValueUses uses_;
  std::vector<OrderEdge> edges_;  // by `after`
  std::vector<Fusion> fusions_;
};

}  // namespace

absl::StatusOr<std::vector<Fusion>> ProposeFusions(const Graph& graph,
                                                   absl::Span<const std::optional<KernelSpec>> specs) {
  const absl::StatusOr<std::vector<std::optional<BoundOp>>> bound = BindOps(graph, specs);
  if (!bound.ok()) return bound.status();
  return Proposer(graph, *bound).Propose();
}

absl::StatusOr<Graph> BuildWithFusions(absl::string_view name, GraphAuthor author) {
  std::vector<std::optional<KernelSpec>> specs;
  GraphBuilder plain(name);
  author(plain, specs);
  absl::StatusOr<Graph> graph = std::move(plain).Build();
  if (!graph.ok()) return graph;
  absl::StatusOr<std::vector<Fusion>> fusions = ProposeFusions(*graph, specs);
  if (!fusions.ok()) return fusions.status();
  specs.clear();
  GraphBuilder fused(name);
  author(fused, specs);
  for (Fusion& f : *fusions) fused.AddFusion(std::move(f));
  return std::move(fused).Build();
}

}  // namespace bufplan::runtime
