// What device code needs to be compiled by nvcc, by hipcc and as plain C++ for the host.
//
// A kernel is a type with an argument block, an id and one function that does one item by a team of threads:
//
//   struct RmsNorm {
//     static constexpr KernelId kId = KernelId::kRmsNorm;
//     struct Args { const float* x; float* y; int64_t columns; float epsilon; };
//     template <class Team>
//     static BUFPLAN_DEVICE void Run(const Args& a, Team& team, int64_t item);     // one row
//   };
//
// A team is a block of threads on CUDA and HIP, and one thread on the host. All of its threads come to each Sync(),
// Sum() and Max(), which also order what they did to memory:
//
//   int32_t rank(), size()     which of how many this thread is
//   void Sync()
//   float Sum(float), Max(float)   over all threads of the team, given to all; in an order that depends on size() alone
//
// Items are independent of each other: they may run at once or in any order.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_PORTABLE_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_PORTABLE_H_

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define BUFPLAN_DEVICE __host__ __device__ inline
#else
#define BUFPLAN_DEVICE inline
#endif

namespace bufplan::runtime {

// Defined while code for the device itself is compiled.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define BUFPLAN_ON_DEVICE 1
#endif

// Atomic on the memory of the device. Both return the old value.
BUFPLAN_DEVICE uint64_t AtomicAdd(uint64_t* to, uint64_t x) {
#ifdef BUFPLAN_ON_DEVICE
  return atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
#else
  return __atomic_fetch_add(to, x, __ATOMIC_RELAXED);
#endif
}
BUFPLAN_DEVICE uint64_t AtomicMin(uint64_t* to, uint64_t x) {
#ifdef BUFPLAN_ON_DEVICE
  return atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
#else
  uint64_t old = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (x < old && !__atomic_compare_exchange_n(to, &old, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
#endif
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_PORTABLE_H_
