// The dump of a ggml compute graph ("ggml-graph", version 1) as it stands in the file; tests/data/ggml/README.md has
// its fields.
//
// Tensors refer to each other by index in `tensors`: leafs first, then nodes in execution order. It is checked that ids
// are unique, that a node reads what is there (a leaf, an earlier node, or itself, where ggml names a destination as an
// operand), that a view is of a root that is there and lies inside of it, and that extents, strides and sizes are not
// negative; of a region that it ends at a node, keeps compute tensors that are there by then, and elides compute nodes
// before that. `params` and the allocator's own placement are checked for their form and dropped.
//
// ERRORS: InvalidArgument, "line 3, column 17: ..." or "at /nodes/3/src/0: ...". COST: O(text).
#ifndef BUFPLAN_IO_GGML_DUMP_H_
#define BUFPLAN_IO_GGML_DUMP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace bufplan {

enum class GgmlBuffer : uint8_t { kWeight, kKvCache, kCompute };

struct GgmlTensor {
  int64_t id = 0;
  int64_t step = 0;  // nodes
  std::string op, name, dtype;
  std::vector<int64_t> ne;  // elements per dimension, innermost first
  std::vector<int64_t> nb;  // strides in bytes
  int64_t nbytes = 0;       // spanned by the tensor
  std::vector<int32_t> src;
  std::optional<int32_t> view_src;  // a root
  int64_t view_offs = 0;            // bytes
  bool output = false;
  bool can_inplace = false;
  GgmlBuffer buffer = GgmlBuffer::kCompute;
};

// What a region could become: branches on streams of their own, or one kernel (the others).
enum class GgmlRegionKind : uint8_t { kQkvStreams, kGluPair, kTopkMoe, kMoeReduce };

absl::string_view ToString(GgmlRegionKind kind);  // as in the file: "glu_pair"

struct GgmlRegion {
  GgmlRegionKind kind = GgmlRegionKind::kQkvStreams;
  int32_t until = 0;                 // its last node
  std::vector<int32_t> keep, elide;  // readable up to `until`; without memory if the region is one kernel
};

struct GgmlDump {
  std::string commit, name, description;
  int64_t alignment_bytes = 1;
  int64_t buffer_size_bytes = 0;  // what ggml's own allocator asked for
  int64_t peak_live_bytes = 0;    // stats.peak_live
  std::vector<GgmlTensor> tensors;
  size_t num_leafs = 0;
  std::vector<GgmlRegion> regions;  // keep_regions
};

absl::StatusOr<GgmlDump> ReadGgmlDump(absl::string_view text);

}  // namespace bufplan

#endif  // BUFPLAN_IO_GGML_DUMP_H_
