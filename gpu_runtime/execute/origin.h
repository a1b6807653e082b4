// Where a byte's content was first produced: compute writes create it; data movements and bases carry it along.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_ORIGIN_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_ORIGIN_H_

#include <cstdint>

#include "gpu_runtime/steps/sizes.h"
#include "ir/graph.h"

namespace bufplan::runtime {

struct Origin {
  ValueId value;
  int64_t byte = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

// Requires a byte of the value. COST: O(ops that it passes through, and the dims of their regions).
Origin OriginOf(const Graph& graph, const Sizes& sizes, ValueId value, int64_t byte);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_ORIGIN_H_
