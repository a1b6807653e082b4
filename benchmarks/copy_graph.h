// Graphs full of copies for benchmarks. All deterministic and valid by construction.
#ifndef BUFPLAN_BENCHMARKS_COPY_GRAPH_H_
#define BUFPLAN_BENCHMARKS_COPY_GRAPH_H_

#include <cstdint>

#include "ir/graph.h"

namespace bufplan {

// About `num_ops` ops, a third of them copies: blocks of 15 ops that clone and write, slice, put rows into a table, put
// parts together and take them apart, with a value that goes on from block to block.
Graph CopyGraph(int64_t num_ops);

// One value that is updated `num_updates` times, a row each time; each row is computed from the one before.
Graph UpdateChain(int64_t num_updates);

// One value with `num_readers` slices, all read after it has been written in part, in as many places.
Graph ManyReaders(int64_t num_readers);

// A concat of `num_parts` computed parts, taken apart again.
Graph WideConcat(int64_t num_parts);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_COPY_GRAPH_H_
