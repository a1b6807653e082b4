#include <algorithm>
#include <cstdint>
#include <vector>

#include "benchmarks/baselines/baselines.h"
#include "benchmarks/baselines/gap_fit.h"

namespace bufplan {

absl::StatusOr<BaselinePlan> FirstFitByStart(const Problem& problem, const BaselineLimits& limits) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  std::vector<int32_t> order = Participants(problem);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[static_cast<size_t>(a)].begin < problem.buffers[static_cast<size_t>(b)].begin;
  });
  return FitInOrder(problem, limits, order, GapRule::kLowest);
}

}  // namespace bufplan
