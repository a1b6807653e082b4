// Makes the boxes that kernels walk (gpu_runtime/kernels/boxes.h) from shapes, and the other way round.
//
// A shape counts its bytes in row-major order of its dims; that count is a byte's index. Clip() gives those bytes of a
// shape that lie in a set, as boxes that pair the byte (a) with its index (b); each box has a whole range of indices.
// Pair() joins two such lists by index: what is read at `a` of the one is written at `a` of the other.
//
// COST: O(boxes), and O(runs) where a set or the other side cuts strided runs into pieces, or a value lies strided
// itself. ERRORS: ResourceExhausted: more than kMaxPieces pieces. THREADS: no shared state.
#ifndef BUFPLAN_GPU_RUNTIME_STEPS_BOX_LIST_H_
#define BUFPLAN_GPU_RUNTIME_STEPS_BOX_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gpu_runtime/kernels/boxes.h"
#include "gpu_runtime/steps/byte_set.h"
#include "gpu_runtime/steps/sizes.h"

namespace bufplan::runtime {

inline constexpr size_t kMaxPieces = size_t{1} << 21;

using Boxes = std::vector<Box>;

absl::StatusOr<Boxes> Clip(const Shape& shape, const ByteSet& set);
// All bytes of a shape, / those that have these indices, paired likewise.
absl::StatusOr<Boxes> AllOf(const Shape& shape);
absl::StatusOr<Boxes> Pick(const Shape& shape, const ByteSet& indices);
// The index of each byte plus `distance`.
void MoveIndices(Boxes& boxes, int64_t distance);

// Bytes of a value to addresses, where the value's byte i is byte i of `place`. Keeps indices.
absl::StatusOr<Boxes> Through(const Boxes& boxes, const Shape& place);

// Those indices that both have: a of `from` with a of `to`. Requires each index at most once in each.
absl::StatusOr<Boxes> Pair(const Boxes& from, const Boxes& to);

// The bytes `a`, / `b` of the boxes. `max_runs`: if there are more runs, one range from the first byte to the last, and
// `*exact` is false.
ByteSet BytesOfA(const Boxes& boxes, size_t max_runs = kMaxPieces, bool* exact = nullptr);
ByteSet BytesOfB(const Boxes& boxes, size_t max_runs = kMaxPieces, bool* exact = nullptr);

// Bytes paired with themselves.
Boxes LinesOf(const ByteSet& bytes);

// Whether a == b for all bytes.
bool AllInPlace(const Boxes& boxes);

// Cuts long runs and sets how the boxes are cut into items. Returns the number of items.
int64_t CutIntoItems(Boxes& boxes);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_STEPS_BOX_LIST_H_
