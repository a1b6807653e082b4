// Kernels run by teams of many threads on the host, in orders that a GPU could choose: to show that what a kernel
// computes does not depend on them.
//
// Some teams run at once, each with an item that chance takes from those left. One thread runs at a time, until it
// comes to a barrier or ends; which one is next is up to chance. So whole threads run before others begin: what one of
// them writes too early is there when the others read it.
//
// The sums of a team are made in the order of ranks.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_KERNELS_EMULATED_TEAMS_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_KERNELS_EMULATED_TEAMS_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace bufplan::runtime {

struct EmulationOptions {
  int32_t team_size = 1;
  int32_t teams = 3;  // at once
  uint64_t seed = 1;
};

class Emulation;

// See kernels/portable.h.
class EmulatedTeam {
 public:
  EmulatedTeam(Emulation& emulation, int32_t team, int32_t rank) : emulation_(emulation), team_(team), rank_(rank) {}
  int32_t rank() const { return rank_; }
  int32_t size() const;
  void Sync();
  float Sum(float x);
  float Max(float x);

 private:
  // What each thread of the team gave, after all have.
  std::vector<float> Exchange(float x);

  Emulation& emulation_;
  int32_t team_, rank_;
};

// Calls run(team, item) for all items by all threads of a team.
void RunEmulated(const EmulationOptions& options, int64_t items,
                 const std::function<void(EmulatedTeam& team, int64_t item)>& run);

template <class Kernel>
void RunKernel(const EmulationOptions& options, int64_t items, const typename Kernel::Args& args) {
  RunEmulated(options, items, [&args](EmulatedTeam& team, int64_t item) { Kernel::Run(args, team, item); });
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_KERNELS_EMULATED_TEAMS_H_
