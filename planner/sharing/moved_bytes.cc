#include "planner/sharing/moved_bytes.h"

#include <optional>

#include "ir/region.h"
#include "planner/sharing/carried_bytes.h"
#include "planner/sharing/strided.h"

namespace bufplan {
namespace {

bool Coincides(const Graph& graph, const Sharing& sharing, const Read& read, ValueId result) {
  const int32_t storage = sharing.storage_of[read.value.index()];
  if (storage != sharing.storage_of[result.index()] || storage == Sharing::kNoStorage) return false;
  const Region source =
      read.region.has_value() ? graph.region(*read.region) : Region{0, graph.value(read.value).bytes, {}};
  const Region target =
      read.to_region.has_value() ? graph.region(*read.to_region) : Region{0, graph.value(result).bytes, {}};
  const std::optional<Region> from = Compose(sharing.PlaceOf(graph, read.value), source, graph.symbols());
  const std::optional<Region> to = Compose(sharing.PlaceOf(graph, result), target, graph.symbols());
  return from.has_value() && to.has_value() && *from == *to;
}

}  // namespace

MovedBytes MovedByMovement(const Graph& graph, const Sharing& sharing, OpId o) {
  const Op& op = graph.op(o);
  const ValueId result = op.kind == OpKind::kCommit ? *op.commit_target : graph.writes(op)[0].value;
  const bool elided = sharing.elided[o.index()] != 0;
  MovedBytes sum;
  for (const Read& r : graph.reads(op)) {
    const int64_t bytes =
        LargestBytes(graph, r.region.has_value() ? RegionBytes(graph.region(*r.region)) : graph.value(r.value).bytes);
    sum.parts += bytes;
    (elided || Coincides(graph, sharing, r, result) ? sum.spared : sum.moved) += bytes;
  }
  for (const Write& w : graph.writes(op)) {
    if (!w.base.has_value()) continue;
    (elided || sharing.on_base[w.value.index()] ? sum.spared : sum.moved) += CarriedBytes(graph, o, w);
  }
  return sum;
}

MovedBytes MovedWithBase(const Graph& graph, const Schedule& schedule, const Sharing& sharing, OpId o, const Write& w) {
  if (!w.base.has_value() || schedule.Swallowed(w.value)) return {};
  const std::optional<OpId> from = graph.producer(*w.base);
  if (from.has_value() && *from != o && schedule.TimeOf(*from) == schedule.TimeOf(o)) return {};  // fused
  const int64_t bytes = CarriedBytes(graph, o, w);
  return sharing.on_base[w.value.index()] ? MovedBytes{0, bytes, 0} : MovedBytes{bytes, 0, 0};
}

MovedBytes MovedByAll(const Graph& graph, const Schedule& schedule, const Sharing& sharing) {
  MovedBytes sum;
  const auto add = [&](const MovedBytes& m) {
    sum.moved += m.moved;
    sum.spared += m.spared;
  };
  for (const Note& note : sharing.movements) add(MovedByMovement(graph, sharing, note.op));
  size_t next = 0;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    const OpId o(static_cast<int32_t>(i));
    if (next < sharing.movements.size() && sharing.movements[next].op == o) {
      ++next;
      continue;
    }
    for (const Write& w : graph.writes(graph.op(o))) {
      if (w.base.has_value()) add(MovedWithBase(graph, schedule, sharing, o, w));
    }
  }
  return sum;
}

}  // namespace bufplan
