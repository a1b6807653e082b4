// Float operations that round once each, on every device.
//
// Compilers for GPUs fuse a product and a sum into one operation where they see both. Whether they do depends on what
// stands around it, so a fused kernel could give other bits than the kernels it replaces. What must be equal is
// computed by these.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_ARITHMETIC_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_ARITHMETIC_H_

#include <cmath>
#include <cstdint>

#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

BUFPLAN_DEVICE float RoundedMul(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
#ifdef __clang__
#pragma clang fp contract(off)
#endif
  return a * b;
#endif
}
BUFPLAN_DEVICE float RoundedAdd(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(a, b);
#else
#ifdef __clang__
#pragma clang fp contract(off)
#endif
  return a + b;
#endif
}

// x / (1 + exp(-x))
BUFPLAN_DEVICE float SiluOf(float x) { return x / RoundedAdd(1.0f, expf(-x)); }

// Elementwise kernels: an item is so many elements.
inline constexpr int64_t kItemElements = 1024;

BUFPLAN_DEVICE constexpr int64_t ItemsOf(int64_t elements) { return (elements + kItemElements - 1) / kItemElements; }

// Calls f(i) for the elements of an item that are this thread's, of `count` in all.
template <class Team, class F>
BUFPLAN_DEVICE void ForEachElement(Team& team, int64_t item, int64_t count, const F& f) {
  const int64_t begin = item * kItemElements;
  const int64_t end = begin + kItemElements < count ? begin + kItemElements : count;
  for (int64_t i = begin + team.rank(); i < end; i += team.size()) f(i);
}

// The place of element i in an operand of `period` elements that is repeated.
BUFPLAN_DEVICE constexpr int64_t Repeated(int64_t i, int64_t period) { return i < period ? i : i % period; }

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_ARITHMETIC_H_
