// What the keep_regions of a ggml dump ask of its graph: keep-alives, fusion groups, or streams with the order edges
// that ggml's memory then needs.
//
// The graph is the dump's import on one stream (io/ggml.h); the answers are in its ids, and an import with them has the
// same ops and values.
//
//   keep     each tensor of `keep`: the value that holds its content when `until` is done is untouched until then
//   fuse     each glu_pair, topk_moe and moe_reduce that elides something: one optional group of all ops from the first
//            elided node to `until`. What the kernel may do in place is not in the file, so the group may nothing
//   streams  each qkv_streams. It forks at the kept node that most ops up to `until` read directly; each of them starts
//            a branch. An op up to `until` that depends on one branch alone runs on that branch's stream, every other
//            on the main one; region after region takes the same streams:
//
//              main     ──norm────────────────────────────kq──▶       kq depends on branches 1 and 3
//              branch1      ├──▶ Q ── rope ────────────────▲
//              branch2      ├──▶ V ── store into a cache   │
//              branch3      └──▶ K ── rope ── store ── view┘
//
//            ggml's memory is one place, whose new content waits for the readers of the old: an op that writes into a
//            tensor is ordered behind every op that reads the version before, where nothing else orders them.
//
// ERRORS: InvalidArgument: a qkv_streams region forks before another ends, named by its place in the file.
// ResourceExhausted: that of HappensBefore. TIES: of equally many readers, the first node.
// COST: keep: O(log versions) per kept tensor. fuse: O(members of groups). streams: O(ops + uses + kept tensors *
// log uses) and that of HappensBefore. THREADS: no shared state.
//
// Example:
//   absl::StatusOr<GgmlRegionFacts> facts = FactsOfRegions(GgmlRegions::kKeep, dump, graph, places);
#ifndef BUFPLAN_IO_GGML_REGIONS_H_
#define BUFPLAN_IO_GGML_REGIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/ggml_dump.h"
#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan {

enum class GgmlRegions : uint8_t { kIgnore, kKeep, kFuse, kStreams };

absl::string_view ToString(GgmlRegions mode);  // "keep"

// Where the tensors of a dump are in its graph, by tensor.
struct GgmlPlaces {
  std::vector<OpId> op;                        // nodes: the op of the node itself
  std::vector<std::vector<ValueId>> versions;  // roots: their values, oldest first
};

struct GgmlRegionFacts {
  int32_t num_branches = 0;            // streams beside the main one
  std::vector<StreamId> stream_of_op;  // empty: all on the main one, which is the first
  std::vector<OrderEdge> order;
  std::vector<KeepAlive> keep_alive;
  std::vector<Fusion> fusions;  // names may be too long, and equal
};

absl::StatusOr<GgmlRegionFacts> FactsOfRegions(GgmlRegions mode, const GgmlDump& dump, const Graph& graph,
                                               const GgmlPlaces& places);

}  // namespace bufplan

#endif  // BUFPLAN_IO_GGML_REGIONS_H_
