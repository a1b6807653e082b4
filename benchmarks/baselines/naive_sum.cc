#include <cstdint>

#include "benchmarks/baselines/baselines.h"

namespace bufplan {

absl::StatusOr<BaselinePlan> NaiveSum(const Problem& problem, const BaselineLimits& limits) {
  if (absl::Status s = CheckKnown(problem, limits, /*knows_chunks=*/true); !s.ok()) return s;
  const int64_t limit = limits.max_chunk_bytes.value_or(INT64_MAX);
  BaselinePlan plan;
  plan.offset_bytes.assign(problem.buffers.size(), 0);
  plan.chunk.assign(problem.buffers.size(), 0);
  plan.chunk_bytes = {0};
  for (int32_t i : Participants(problem)) {
    const size_t b = static_cast<size_t>(i);
    const Buffer& buffer = problem.buffers[b];
    int64_t offset = AlignUp(plan.chunk_bytes.back(), problem.alignment(buffer));
    if (offset > 0 && offset > limit - buffer.bytes) {
      plan.chunk_bytes.push_back(0);
      offset = 0;
    }
    plan.offset_bytes[b] = offset;
    plan.chunk[b] = static_cast<int32_t>(plan.chunk_bytes.size()) - 1;
    plan.chunk_bytes.back() = offset + buffer.bytes;
  }
  SumChunks(problem, plan);
  return plan;
}

}  // namespace bufplan
