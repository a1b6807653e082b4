// Takes time and does nothing else: what stress tests put before an op to change who comes first.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_DELAY_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_DELAY_H_

#include <cstdint>

#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

#ifndef BUFPLAN_ON_DEVICE
#include <chrono>
#endif

namespace bufplan::runtime {

struct Delay {
  static constexpr KernelId kId = KernelId::kDelay;
  struct Args {
    int64_t nanoseconds = 0;  // at least so long; of each item
  };

  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& a, Team& team, int64_t) {
#ifdef BUFPLAN_ON_DEVICE
    // A clock of 1 to 3 GHz.
    if (team.rank() == 0) {
      const long long begin = clock64();
      while (clock64() - begin < 3 * a.nanoseconds) {
      }
    }
    team.Sync();
#else
    (void)team;
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(a.nanoseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
#endif
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_DELAY_H_
