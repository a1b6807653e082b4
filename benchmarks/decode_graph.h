// The decode step of a transformer as compilers emit it, copies and all.
#ifndef BUFPLAN_BENCHMARKS_DECODE_GRAPH_H_
#define BUFPLAN_BENCHMARKS_DECODE_GRAPH_H_

#include <cstdint>

#include "ir/graph.h"

namespace bufplan {

struct DecodeShape {
  int layers = 32;
  int64_t heads = 32;
  int64_t head_bytes = 256;  // of one head in one row
  int64_t rows = 4095;       // of a cache; the step s is one of 0 .. rows - 1
  bool strides_ok = true;    // attention reads operands with any strides
};

// Per layer and for keys and values each:
//
//   past = slice cache [0, row * s)                     row = heads * head_bytes
//   t    = copy past: heads first                       [head][s][head_bytes]
//   c    = copy t and the new row beside each other     [head][s + 1][head_bytes]
//   attention reads c
//   u    = copy the new row out of c again              the "slow memcpy" kernel
//   next = update cache at row * s from u; commit
//
// and around them the usual projections, a residual and a feed-forward block. One symbol, "s".
Graph DecodeGraph(const DecodeShape& shape);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_DECODE_GRAPH_H_
