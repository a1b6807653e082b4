#include "gpu_runtime/host/host_kernels.h"

#include <cstddef>

#include "gpu_runtime/host/host_team.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {
namespace {

template <class Kernel>
void RunAll(const void* arguments, int64_t items) {
  const typename Kernel::Args& args = *static_cast<const typename Kernel::Args*>(arguments);
  HostTeam team;
  for (int64_t i = 0; i < items; ++i) Kernel::Run(args, team, i);
}

constexpr HostKernel kKernels[] = {
#define BUFPLAN_HOST_KERNEL(name) RunAll<name>,
    BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_HOST_KERNEL)
#undef BUFPLAN_HOST_KERNEL
};

}  // namespace

HostKernel HostKernelOf(KernelId kernel) { return kKernels[static_cast<size_t>(kernel)]; }

}  // namespace bufplan::runtime
