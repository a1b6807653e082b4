// Placement problems of any size that look like the lives of tensors, the same on every machine.
#ifndef BUFPLAN_BENCHMARKS_TENSOR_LIVES_H_
#define BUFPLAN_BENCHMARKS_TENSOR_LIVES_H_

#include <cstddef>
#include <cstdint>

#include "planner/placement/placement.h"

namespace bufplan {

struct TensorLives {
  size_t num_storages = 1000;
  uint64_t seed = 1;
  int64_t alignment_bytes = 1;
  int64_t least_bytes = 1 << 10, most_bytes = 1 << 24;  // sizes are spread evenly on a log scale between these
  int64_t longest_life = 5000;                          // in steps of time; at least 64
};

// One storage begins per step on average, at a uniformly random time. Nine in ten live for 1 to 32 steps, the others
// for 32 to `longest_life`, both evenly on a log scale: at the defaults about a hundred are alive at a time, so that a
// million storages meet in about a hundred million pairs. No life goes beyond num_storages steps.
PlacementProblem RandomTensorLives(const TensorLives& lives);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_TENSOR_LIVES_H_
