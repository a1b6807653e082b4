// Makes a Graph of a ggml compute graph.
//
// ggml's tensors are mutable memory; a Graph's values are not. Each root (a tensor that is no view) has a chain of
// versions, one more per node that writes into it, and whoever reads the root or a view of it reads the version that is
// newest at that step:
//
//   k_cache ───────────────▶ k_cache_view (copy of Krope) ──▶ commit
//     └ view: k_cache_view     └ view: k_cache_view@12, made when it is needed
//
//   weights         constants; a variable if a node writes into it
//   kv_cache        variables; the last version, if not the first, is committed
//   compute leafs   inputs
//   pure views      RESHAPE, VIEW, PERMUTE, TRANSPOSE: views of their root's version at view_offs
//   writes          other nodes with view_src: compute whose `base` is the version before, on the bytes that extents
//                   and strides span. CPY, CLAMP and what ggml may run in place write all of them (as strided boxes if
//                   they do not lie together), others, such as SET_ROWS, perhaps a part (`cover: part`)
//   other nodes     compute; with can_inplace, permission (same_index) for each compute operand of the same type,
//                   extents and strides, views included
//   outputs         what is flagged so, and results that nobody reads (but for writes into caches and weights)
//
// Bytes are the tensors' real ones, and the one space "device" has the file's alignment. Names are ggml's; where one is
// empty or taken, OP_ID; ggml's id, op and name are in the attributes. `keep_regions` become keep-alives, fusion groups
// or streams if asked for, see io/ggml_regions.h; ops and values are the same in any case.
//
// ERRORS: as ReadGgmlDump, FactsOfRegions and GraphBuilder::Build. COST: O(tensors + operands), and that of regions.
//
// Example:
//   absl::StatusOr<Graph> graph = ReadGgmlGraph(text, {.regions = GgmlRegions::kStreams});
#ifndef BUFPLAN_IO_GGML_H_
#define BUFPLAN_IO_GGML_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/ggml_dump.h"
#include "io/ggml_regions.h"
#include "ir/graph.h"

namespace bufplan {

struct GgmlImportOptions {
  GgmlRegions regions = GgmlRegions::kIgnore;
};

absl::StatusOr<Graph> ReadGgmlGraph(absl::string_view text, const GgmlImportOptions& options = {});

absl::StatusOr<Graph> GraphOfGgmlDump(const GgmlDump& dump, const GgmlImportOptions& options = {});

}  // namespace bufplan

#endif  // BUFPLAN_IO_GGML_H_
