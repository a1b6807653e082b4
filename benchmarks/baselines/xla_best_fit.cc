#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "benchmarks/baselines/baselines.h"
#include "benchmarks/baselines/gap_fit.h"

namespace bufplan {
namespace {

// `key` gives what the first come by, as a pair to be ascending.
template <class KeyOf>
absl::StatusOr<BaselinePlan> BestFit(const Problem& problem, const BaselineLimits& limits, KeyOf key_of) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/false); !s.ok()) return s;
  std::vector<int32_t> order = Participants(problem);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return key_of(problem.buffers[static_cast<size_t>(a)]) < key_of(problem.buffers[static_cast<size_t>(b)]);
  });
  return FitInOrder(problem, limits, order, GapRule::kSmallestOrAbove);
}

}  // namespace

absl::StatusOr<BaselinePlan> XlaSpatial(const Problem& problem, const BaselineLimits& limits) {
  return BestFit(problem, limits, [](const Buffer& b) { return std::pair(-b.bytes, b.begin - b.end); });
}

absl::StatusOr<BaselinePlan> XlaTemporal(const Problem& problem, const BaselineLimits& limits) {
  return BestFit(problem, limits, [](const Buffer& b) { return std::pair(b.begin - b.end, -b.bytes); });
}

}  // namespace bufplan
