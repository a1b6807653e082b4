#include "planner/liveness/overwritten.h"

#include <algorithm>
#include <optional>

#include "ir/region.h"

namespace bufplan {
namespace {

bool IsFixed(const Region& r) { return r.contiguous() && r.at.is_constant() && r.run_bytes.is_constant(); }

}  // namespace

OverwrittenBytes Overwritten(const Graph& graph, OpId id, const Write& write) {
  const Op& op = graph.op(id);
  const Value& result = graph.value(write.value);
  const bool whole_is_exact = result.bytes.is_constant();
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    const bool fixed = write.region.has_value() ? IsFixed(graph.region(*write.region)) : whole_is_exact;
    return {write.span, fixed && write.cover == Cover::kAll};
  }
  OverwrittenBytes all{{result.max_bytes, 0}, op.num_reads == 1};
  for (const Read& r : graph.reads(op)) {
    ByteRange to = {0, result.max_bytes};
    if (r.to_region.has_value()) {
      const Region& region = graph.region(*r.to_region);
      to = RegionSpan(region, graph.symbols()).value_or(to);
      to.end = std::min(to.end, result.max_bytes);
      all.exact = all.exact && IsFixed(region);
    } else {
      all.exact = all.exact && whole_is_exact;
    }
    if (to.empty()) continue;
    all.span = {std::min(all.span.begin, to.begin), std::max(all.span.end, to.end)};
  }
  if (all.span.empty()) return {{0, 0}, true};
  return all;
}

}  // namespace bufplan
