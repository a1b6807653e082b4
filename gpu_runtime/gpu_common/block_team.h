// The team of CUDA and HIP: one block of threads. See gpu_runtime/kernels/portable.h for what a team is.
//
// The two differ in one thing, which the file that is compiled defines before it includes this:
//
//   float ShuffleXor(float x, int mask)    x of the thread of this warp whose number differs by these bits
#ifndef BUFPLAN_GPU_RUNTIME_GPU_COMMON_BLOCK_TEAM_H_
#define BUFPLAN_GPU_RUNTIME_GPU_COMMON_BLOCK_TEAM_H_

#include <cstdint>

#include "gpu_runtime/gpu_common/launch.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// The bodies are empty where host code is compiled: nvcc and hipcc look at them there too, but nobody calls them.
class BlockTeam {
 public:
  BUFPLAN_DEVICE int32_t rank() const {
#ifdef BUFPLAN_ON_DEVICE
    return static_cast<int32_t>(threadIdx.x);
#else
    return 0;
#endif
  }
  // A constant: loops over the team have a known step.
  static BUFPLAN_DEVICE constexpr int32_t size() { return kTeamSize; }
  BUFPLAN_DEVICE void Sync() {
#ifdef BUFPLAN_ON_DEVICE
    __syncthreads();
#endif
  }
  BUFPLAN_DEVICE float Sum(float x) {
    return Reduce(x, [](float a, float b) { return a + b; });
  }
  BUFPLAN_DEVICE float Max(float x) {
    return Reduce(x, [](float a, float b) { return a > b ? a : b; });
  }

 private:
  // Within 32 threads by exchange, which leaves the same bits in each since `combine` is commutative; then over the
  // partial results in ascending order. Warps of 64 take part as two halves, so both APIs combine in the same order.
  template <class Combine>
  BUFPLAN_DEVICE float Reduce(float x, const Combine& combine) {
#ifdef BUFPLAN_ON_DEVICE
    constexpr int32_t kGroup = 32, kGroups = kTeamSize / kGroup;
    __shared__ float partial[kGroups];
    for (int mask = kGroup / 2; mask > 0; mask /= 2) x = combine(x, ShuffleXor(x, mask));
    if (rank() % kGroup == 0) partial[rank() / kGroup] = x;
    __syncthreads();
    x = partial[0];
    for (int32_t i = 1; i < kGroups; ++i) x = combine(x, partial[i]);
    // The next call writes `partial` again.
    __syncthreads();
#else
    (void)combine;
#endif
    return x;
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_GPU_COMMON_BLOCK_TEAM_H_
