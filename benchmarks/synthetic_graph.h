// Graphs for benchmarks: the shape of a decoder's step, as many layers as it takes.
#ifndef BUFPLAN_BENCHMARKS_SYNTHETIC_GRAPH_H_
#define BUFPLAN_BENCHMARKS_SYNTHETIC_GRAPH_H_

#include <cstdint>

#include "ir/graph.h"

namespace bufplan {

// About `num_ops` ops in layers of 16: norms, products, rotary embedding in place, attention over a cache that is
// updated, residual adds, a gated feed-forward block. `num_streams` > 1 puts the three products before attention on
// streams of their own, joined by data. Deterministic; valid by construction.
Graph DecoderGraph(int64_t num_ops, int num_streams = 1);

// About `num_ops` ops on `num_streams` streams: on each a chain of values of many sizes, some of them read once more a
// few ops later, and now and then, every `sync_every` ops on average, one of another stream. Deterministic.
Graph StreamsGraph(int64_t num_ops, int num_streams, int sync_every);

// A concatenation of `num_parts` parts, as many reads of most of it, and then one of each part; 64 bytes a part.
Graph ConcatReadersGraph(int64_t num_parts);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_SYNTHETIC_GRAPH_H_
