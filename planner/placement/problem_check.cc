#include "planner/placement/problem_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace bufplan {
namespace {

// Room for the differences of two places.
constexpr int64_t kMaxSum = INT64_MAX - 1;

absl::Status CheckStorage(const PlacementProblem& problem, size_t s) {
  const StorageSpec& storage = problem.storages[s];
  const auto fault = [s](auto&&... text) {
    return absl::InvalidArgumentError(absl::StrCat("storage ", s, ": ", text...));
  };
  if (storage.size_bytes < 0) return fault("size=", storage.size_bytes, ", must be >= 0");
  const int64_t alignment = storage.alignment_bytes;
  if (alignment <= 0 || (alignment & (alignment - 1)) != 0) {
    return fault("alignment=", alignment, ", must be a power of two");
  }
  if (storage.pinned_offset_bytes.has_value()) {
    const int64_t pin = *storage.pinned_offset_bytes;
    if (pin < 0) return fault("pinned offset=", pin, ", must be >= 0");
    if (pin % alignment != 0) return fault("pinned offset=", pin, ", must be a multiple of the alignment ", alignment);
  }
  if (problem.max_chunk_bytes.has_value()) {
    const int64_t limit = *problem.max_chunk_bytes, pin = storage.pinned_offset_bytes.value_or(0);
    if (storage.size_bytes > limit || pin > limit - storage.size_bytes) {
      return fault("ends at ", pin, " + ", storage.size_bytes, " bytes, a chunk has at most ", limit);
    }
  }
  return absl::OkStatus();
}

// The line of all chunks that first fit may open. Every chunk but the first holds, together with the storage that
// opened the next one, more than one chunk's bytes; so there are at most 2 * sum / limit + 3 of them, and no more than
// storages (and one).
absl::Status CheckChunks(const PlacementProblem& problem, int64_t sum, int64_t max_alignment) {
  const int64_t limit = *problem.max_chunk_bytes;
  const int64_t n = static_cast<int64_t>(problem.storages.size());
  if (limit <= 0 || sum <= limit) return absl::OkStatus();
  const int64_t chunks = std::min(n + 1, sum / limit >= INT64_MAX / 4 ? INT64_MAX / 2 : 2 * (sum / limit) + 5);
  int64_t pitch = 0, line = 0;
  if (__builtin_add_overflow(limit, max_alignment, &pitch) || __builtin_mul_overflow(chunks + 1, pitch, &line)) {
    return absl::InvalidArgumentError(absl::StrCat("up to ", chunks, " chunks of ", limit, " bytes, aligned to ",
                                                   max_alignment, ", exceed the 64-bit range"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPlacementProblem(const PlacementProblem& problem) {
  int64_t sum = 0, last_pin_end = 0, max_alignment = 1;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    const StorageSpec& storage = problem.storages[s];
    if (absl::Status status = CheckStorage(problem, s); !status.ok()) return status;
    // Padding in front of it, and rounding of it.
    int64_t padded = 0, pin_end = 0;
    bool overflow = __builtin_add_overflow(storage.size_bytes, storage.alignment_bytes - 1, &padded);
    overflow |= __builtin_add_overflow(sum, padded, &sum);
    overflow |= __builtin_add_overflow(storage.pinned_offset_bytes.value_or(0), padded, &pin_end);
    last_pin_end = std::max(last_pin_end, storage.pinned_offset_bytes.has_value() ? pin_end : 0);
    max_alignment = std::max(max_alignment, storage.alignment_bytes);
    if (overflow || sum > kMaxSum - last_pin_end) {
      return absl::InvalidArgumentError(absl::StrCat("storage ", s, ": size=", storage.size_bytes,
                                                     ", the sum of the aligned sizes and the last pin exceeds ",
                                                     kMaxSum));
    }
  }
  if (problem.max_chunk_bytes.has_value()) return CheckChunks(problem, sum, max_alignment);
  return absl::OkStatus();
}

}  // namespace bufplan
