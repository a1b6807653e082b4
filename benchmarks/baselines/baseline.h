// What a baseline is: a published way to place buffers, written anew here from its description, to be measured against.
//
// A baseline sees each buffer as one rectangle, alive from its begin to its end: none of the sources knows gaps, and
// none takes a capacity. Buffers of zero bytes, or never live, go to offset 0, where their bytes count. Alignments are
// kept, those of the buffers themselves where they differ.
//
// ERRORS: Unimplemented for what the source has no idea of (pins; chunks, except where said). ResourceExhausted if the
// problem is beyond the limits. COST: see each. THREADS: no shared state. Deterministic.
#ifndef BUFPLAN_BENCHMARKS_BASELINES_BASELINE_H_
#define BUFPLAN_BENCHMARKS_BASELINES_BASELINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/problem.h"

namespace bufplan {

struct BaselineLimits {
  // No buffer straddles chunks; a buffer that is larger has a chunk of its own.
  std::optional<int64_t> max_chunk_bytes = std::nullopt;
  // Elementary steps, estimated beforehand, beyond which a baseline gives up: a second or a few.
  int64_t max_steps = 1'000'000'000;
};

struct BaselinePlan {
  std::vector<int64_t> offset_bytes;  // by buffer, within its chunk
  std::vector<int32_t> chunk;         // by buffer
  std::vector<int64_t> chunk_bytes;   // never empty
  int64_t total_bytes = 0;            // sum of chunk_bytes
};

// Whether the buffer takes part: it has bytes and is alive at some time.
inline bool TakesPart(const Buffer& b) { return b.bytes > 0 && b.begin < b.end; }

// The least multiple of `alignment`, a power of two, that is not below `bytes`.
inline int64_t AlignUp(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) & ~(alignment - 1); }

// Unimplemented if the problem has pins, or there is a chunk limit and `knows_chunks` is false.
absl::Status CheckKnown(const Problem& problem, const BaselineLimits& limits, bool knows_chunks);

// The indices of the buffers that take part, in the list's order.
std::vector<int32_t> Participants(const Problem& problem);

// The plan of one chunk that these offsets make.
BaselinePlan InOneChunk(const Problem& problem, std::vector<int64_t> offsets);

// The total of a plan's chunks, the first of which also has what takes no part.
void SumChunks(const Problem& problem, BaselinePlan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_BASELINES_BASELINE_H_
