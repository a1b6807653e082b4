// The host's team: one thread.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_HOST_TEAM_H_
#define BUFPLAN_GPU_RUNTIME_HOST_HOST_TEAM_H_

#include <cstdint>

namespace bufplan::runtime {

struct HostTeam {
  static constexpr int32_t rank() { return 0; }
  static constexpr int32_t size() { return 1; }
  static constexpr void Sync() {}
  static constexpr float Sum(float x) { return x; }
  static constexpr float Max(float x) { return x; }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_HOST_TEAM_H_
