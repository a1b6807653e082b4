#include "benchmarks/baselines/baseline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {

absl::Status CheckKnown(const Problem& problem, const BaselineLimits& limits, bool knows_chunks) {
  if (limits.max_chunk_bytes.has_value() && !knows_chunks) return absl::UnimplementedError("knows no chunks");
  for (const Buffer& b : problem.buffers) {
    if (b.offset_bytes.has_value()) {
      return absl::UnimplementedError(absl::StrCat("knows no pins, and buffer \"", b.name, "\" is pinned"));
    }
  }
  return absl::OkStatus();
}

std::vector<int32_t> Participants(const Problem& problem) {
  std::vector<int32_t> indices;
  indices.reserve(problem.buffers.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (TakesPart(problem.buffers[i])) indices.push_back(static_cast<int32_t>(i));
  }
  return indices;
}

BaselinePlan InOneChunk(const Problem& problem, std::vector<int64_t> offsets) {
  BaselinePlan plan;
  for (size_t i = 0; i < offsets.size(); ++i) {
    plan.total_bytes = std::max(plan.total_bytes, offsets[i] + problem.buffers[i].bytes);
  }
  plan.chunk.assign(offsets.size(), 0);
  plan.chunk_bytes = {plan.total_bytes};
  plan.offset_bytes = std::move(offsets);
  return plan;
}

void SumChunks(const Problem& problem, BaselinePlan& plan) {
  if (plan.chunk_bytes.empty()) plan.chunk_bytes = {0};
  for (const Buffer& b : problem.buffers) {
    if (!TakesPart(b)) plan.chunk_bytes[0] = std::max(plan.chunk_bytes[0], b.bytes);
  }
  plan.total_bytes = 0;
  for (int64_t bytes : plan.chunk_bytes) plan.total_bytes += bytes;
}

}  // namespace bufplan
