#include "planner/sharing/carried_bytes.h"

#include <algorithm>
#include <optional>

#include "ir/expr_proof.h"
#include "ir/region.h"

namespace bufplan {

int64_t LargestBytes(const Graph& graph, const Expr& bytes) {
  if (bytes.is_constant()) return bytes.constant();
  const std::optional<Bounds> bounds = BoundsOf(bytes, graph.symbols());
  return bounds.has_value() ? std::max<int64_t>(bounds->max, 0) : 0;
}

int64_t CarriedBytes(const Graph& graph, OpId o, const Write& w) {
  const int64_t all = graph.value(w.value).max_bytes;
  if (w.cover == Cover::kPart) return all;
  const Op& op = graph.op(o);
  Expr rest = graph.value(w.value).bytes;
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
    rest -= w.region.has_value() ? RegionBytes(graph.region(*w.region)) : rest;
  } else {
    for (const Read& r : graph.reads(op)) {
      rest -= r.to_region.has_value() ? RegionBytes(graph.region(*r.to_region)) : rest;
    }
  }
  return LargestBytes(graph, rest);
}

}  // namespace bufplan
