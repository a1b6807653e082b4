#include "gpu_runtime/registry/bind_kernels.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/registry/bind_ops.h"
#include "gpu_runtime/registry/group_match.h"
#include "gpu_runtime/registry/launch.h"
#include "gpu_runtime/registry/value_uses.h"

namespace bufplan::runtime {
namespace {

using BoundOps = std::vector<std::optional<BoundOp>>;

KernelCall CallOf(std::shared_ptr<const BoundOps> bound, const BoundOp& op) {
  return [bound = std::move(bound), &op](Device& device, StreamHandle stream, const KernelSite& site) {
    op.definition->launch(device, stream, Launch(op, site, 0));
  };
}

KernelCall CallOf(std::shared_ptr<const BoundOps> bound, GroupMatch match) {
  return [bound = std::move(bound), match = std::move(match)](Device& device, StreamHandle stream,
                                                              const KernelSite& site) {
    std::vector<Launch> launches;
    for (const ChainMember& m : match.chain) launches.emplace_back(*m.op, site, launches.size());
    match.definition->launch(device, stream, match.chain, launches);
  };
}

}  // namespace

absl::StatusOr<KernelTable> BindKernels(const Graph& graph, absl::Span<const std::optional<KernelSpec>> specs) {
  absl::StatusOr<BoundOps> ops = BindOps(graph, specs);
  if (!ops.ok()) return ops.status();
  const auto bound = std::make_shared<const BoundOps>(*std::move(ops));
  KernelTable table;
  for (const std::optional<BoundOp>& op : *bound) {
    table.of_op.push_back(op.has_value() ? CallOf(bound, *op) : KernelCall());
  }
  const ValueUses uses(graph);
  for (const Fusion& fusion : graph.fusions()) {
    table.of_fusion.emplace_back();
    std::optional<GroupMatch> match = MatchGroup(graph, uses, *bound, fusion.ops);
    if (!match.has_value()) continue;
    for (const FusionInPlace& p : fusion.in_place) {
      if (!uses.OutsideOf(fusion.ops, p.result) || MayLieOn(graph, fusion.ops, *match, p)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("fusion \"", fusion.name, "\", kernel \"", match->definition->name, "\": result \"",
                       graph.name(p.result), "\" may not lie on value \"", graph.name(p.value), "\"",
                       p.mode == InPlaceMode::kAny ? " anyhow" : "", ", the fusion says so"));
    }
    table.of_fusion.back() = CallOf(bound, *std::move(match));
  }
  return table;
}

}  // namespace bufplan::runtime
