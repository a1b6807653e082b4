#include "gpu_runtime/steps/defined.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/steps/box_list.h"

namespace bufplan::runtime {
namespace {

class Finder {
 public:
  Finder(const Graph& graph, const Sizes& sizes, std::optional<int64_t> sample_bytes) : graph_(graph), sizes_(sizes) {
    out_.sample_bytes = sample_bytes;
    out_.values.resize(graph.values().size());
  }

  absl::StatusOr<Defined> Run() {
    for (size_t v = 0; v < graph_.values().size(); ++v) {
      if (graph_.values()[v].role != Role::kTransient) out_.values[v] = out_.Written(sizes_.value_bytes[v]);
    }
    for (size_t o = 0; o < graph_.ops().size(); ++o) {
      const absl::Status s = Visit(graph_.ops()[o]);
      if (s.ok()) continue;
      return absl::Status(s.code(),
                          absl::StrCat("op \"", graph_.name(OpId(static_cast<int32_t>(o))), "\": ", s.message()));
    }
    return std::move(out_);
  }

 private:
  absl::Status Visit(const Op& op) {
    for (const Write& w : graph_.writes(op)) {
      ByteSet set = w.base.has_value() ? out_.of(*w.base) : ByteSet();
      if (op.kind == OpKind::kCompute || op.kind == OpKind::kFill) {
        const Shape region = sizes_.ShapeOf(w.value, w.region);
        // With cover "part" old bytes of the region may stay; where the base has none, the op writes.
        const absl::Status s = Overwrite(region, out_.Written(region.bytes()), w.cover == Cover::kAll);
        if (!s.ok()) return s;
      } else {
        for (const Read& r : graph_.reads(op)) {
          const absl::StatusOr<Boxes> from = Clip(sizes_.ShapeOf(r.value, r.region), out_.of(r.value));
          if (!from.ok()) return from.status();
          const absl::Status s = Overwrite(sizes_.ShapeOf(w.value, r.to_region), BytesOfB(*from), true);
          if (!s.ok()) return s;
        }
      }
      set = set.Without(ByteSet::OfAll(std::exchange(gone_, {}))).Or(ByteSet::OfAll(std::exchange(written_, {})));
      out_.values[w.value.index()] = std::move(set);
    }
    return absl::OkStatus();
  }

  // The bytes of the shape with these indices are written; `all`: what was there of the others is gone.
  absl::Status Overwrite(const Shape& shape, const ByteSet& indices, bool all) {
    if (absl::Status s = Append(shape, indices, written_); !s.ok()) return s;
    if (!all || indices.Contains({0, shape.bytes()})) return absl::OkStatus();
    return Append(shape, ByteSet::Of({0, shape.bytes()}), gone_);
  }
  // The bytes of a shape that have these indices.
  static absl::Status Append(const Shape& shape, const ByteSet& indices, std::vector<ByteRange>& ranges) {
    const absl::StatusOr<Boxes> at = Pick(shape, indices);
    if (!at.ok()) return at.status();
    const ByteSet bytes = BytesOfA(*at);
    ranges.insert(ranges.end(), bytes.ranges().begin(), bytes.ranges().end());
    return absl::OkStatus();
  }

  const Graph& graph_;
  const Sizes& sizes_;
  Defined out_;
  std::vector<ByteRange> written_, gone_;  // of the write at hand
};

}  // namespace

ByteSet Defined::Written(int64_t bytes) const {
  if (!sample_bytes.has_value() || *sample_bytes >= bytes - *sample_bytes) return ByteSet::Of({0, bytes});
  return ByteSet::OfAll({{0, *sample_bytes}, {bytes - *sample_bytes, bytes}});
}

absl::StatusOr<Defined> FindDefined(const Graph& graph, const Sizes& sizes, std::optional<int64_t> sample_bytes) {
  return Finder(graph, sizes, sample_bytes).Run();
}

}  // namespace bufplan::runtime
