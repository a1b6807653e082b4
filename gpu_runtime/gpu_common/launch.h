// What device code and the code that launches it agree on.
#ifndef BUFPLAN_GPU_RUNTIME_GPU_COMMON_LAUNCH_H_
#define BUFPLAN_GPU_RUNTIME_GPU_COMMON_LAUNCH_H_

#include <cstdint>

#include "gpu_runtime/kernels/kernel_id.h"

namespace bufplan::runtime {

// Threads of a block, which does one item at a time.
inline constexpr int32_t kTeamSize = 256;
// Blocks of a launch. With more items than that, block b does items b, b + kMaxTeams, and so on.
inline constexpr int64_t kMaxTeams = 65'536;

// Entry points by KernelId.
#define BUFPLAN_KERNEL_ENTRY(name) bufplan_##name
#define BUFPLAN_KERNEL_ENTRY_TEXT(name) "bufplan_" #name,
inline constexpr const char* kKernelEntries[] = {BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_KERNEL_ENTRY_TEXT)};
#undef BUFPLAN_KERNEL_ENTRY_TEXT

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_GPU_COMMON_LAUNCH_H_
