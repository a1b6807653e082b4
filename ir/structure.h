// What a plan knows of the graph that it was made for: enough to tell whether it serves another graph.
//
// Frameworks build nearly the same graph at each step: other names, perhaps smaller sizes. A plan serves all of them as
// long as the structure is the same and no size is larger:
//
//   structure  op kinds, streams, operands, results, bases, regions, covers, in-place permissions, strides_ok,
//              offset_multiple, movable, elide; roles, spaces with their limits, alignments, pins; commits, order
//              edges, keep-alives, disjoint pairs, fusions, outputs; symbols. Things correspond by id. Names and
//              attributes do not count, nor the order in which order edges, constraints, fusions and outputs were said.
//   sizes      Values that only compute ops write and read, each write all of the value, may be smaller, down to
//              nothing; scratch too. All other sizes are equal: they say where bytes lie.
//
// Which sizes those others are:
//
//   - the operands and results of views and data movements (a shorter first part of a concat moves the second),
//   - bases and what is based on them (the bytes outside of the region are carried along),
//   - variables and writable externals (other values may lie inside of them),
//   - symbolic ones.
//
// And wherever a result is no longer than an operand that it may take in place at the same index, it still is not.
//
// Why that suffices: byte i of a value that may be smaller is its own origin, it is moved nowhere, and its address does
// not depend on the size. Without the bytes that are gone every op reads and writes a part of the addresses that it
// read and wrote before, with the same contents there; what was ordered and apart stays so. So CheckPlan() accepts the
// plan for the other graph as well. What a plan says of memory (arena bytes, bounds, statistics) stays that of the
// sizes that it was made for.
//
// Method: a 128-bit fingerprint over the graph's flat arrays, and the sizes beside it. Words are mixed by folded
// multiplication (as in wyhash, Wang Yi 2019, https://github.com/wangyi-fudan/wyhash: a 64 x 64 bit product, its halves
// xor-ed). The same on every machine and in every process. It guards against mistakes, not against an adversary.
//
// COST: O(ops + uses + terms of expressions); Admits takes 25 to 45 ns an op, the more the less of the graph is in the
// caches (//benchmarks:fits_benchmark), and no memory. Space: 8 bytes a value and an op, and a bit a value. THREADS:
// value type.
//
// Example:
//   const Structure structure = Structure::Of(graph);
//   structure.Admits(next_graph);
#ifndef BUFPLAN_IR_STRUCTURE_H_
#define BUFPLAN_IR_STRUCTURE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "ir/graph.h"
#include "ir/id.h"

namespace bufplan {

class Structure {
 public:
  // Of no graph; admits none.
  Structure() = default;
  static Structure Of(const Graph& graph);

  // Whether a valid plan of the graph that this is of is valid for `graph`; false also where that is not known.
  bool Admits(const Graph& graph) const;

  // The size that the plan was made for, at the largest symbol values. Requires an id of an admitted graph.
  int64_t max_bytes(ValueId v) const { return value_bytes_[v.index()]; }
  int64_t max_scratch_bytes(OpId o) const { return scratch_bytes_[o.index()]; }

 private:
  bool known_ = false;
  std::array<uint64_t, 2> fingerprint_ = {};
  std::vector<int64_t> value_bytes_;    // by ValueId
  std::vector<bool> exact_;             // by ValueId: may not be smaller
  std::vector<int64_t> scratch_bytes_;  // by OpId
};

}  // namespace bufplan

#endif  // BUFPLAN_IR_STRUCTURE_H_
