#include "gpu_runtime/execute/origin.h"

#include <optional>
#include <vector>

#include "gpu_runtime/steps/box_list.h"

namespace bufplan::runtime {
namespace {

// The index of a byte in the shape: of the last run that has it, which is the one that counts.
std::optional<int64_t> IndexOf(const Shape& shape, int64_t byte) {
  const absl::StatusOr<Boxes> boxes = Clip(shape, ByteSet::Of({byte, byte + 1}));
  if (!boxes.ok() || boxes->empty()) return std::nullopt;
  return boxes->back().b;
}

}  // namespace

Origin OriginOf(const Graph& graph, const Sizes& sizes, ValueId value, int64_t byte) {
  for (;;) {
    const std::optional<OpId> producer = graph.producer(value);
    if (!producer.has_value()) return {value, byte};
    const Op& op = graph.op(*producer);
    const Write* write = nullptr;
    for (const Write& w : graph.writes(op)) {
      if (w.value == value) write = &w;
    }
    const bool computes = op.kind == OpKind::kCompute || op.kind == OpKind::kFill;
    bool found = false;
    if (computes) {
      found = IndexOf(sizes.ShapeOf(value, write->region), byte).has_value();
      if (found) return {value, byte};
    } else {
      for (const Read& r : graph.reads(op)) {
        const std::optional<int64_t> index = IndexOf(sizes.ShapeOf(value, r.to_region), byte);
        if (!index.has_value()) continue;
        byte = sizes.ShapeOf(r.value, r.region).ByteAt(*index);
        value = r.value;
        found = true;
        break;
      }
    }
    if (found) continue;
    if (!write->base.has_value()) return {value, byte};
    value = *write->base;
  }
}

}  // namespace bufplan::runtime
