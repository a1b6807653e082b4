// Test support: shapes and boxes byte by byte.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_STEPS_NAIVE_SHAPE_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_STEPS_NAIVE_SHAPE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gpu_runtime/steps/box_list.h"
#include "gpu_runtime/steps/byte_set.h"
#include "gpu_runtime/steps/sizes.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {

// By index: the bytes of runs in row-major order of dims, outermost first, as the definition says.
inline std::vector<int64_t> BytesOfRuns(int64_t at, int64_t run_bytes, absl::Span<const Shape::Dim> dims) {
  std::vector<int64_t> bytes;
  if (dims.empty()) {
    for (int64_t b = 0; b < run_bytes; ++b) bytes.push_back(at + b);
    return bytes;
  }
  for (int64_t i = 0; i < dims[0].count; ++i) {
    const std::vector<int64_t> inner = BytesOfRuns(at + i * dims[0].stride, run_bytes, dims.subspan(1));
    bytes.insert(bytes.end(), inner.begin(), inner.end());
  }
  return bytes;
}
inline std::vector<int64_t> BytesOfShape(const Shape& s) { return BytesOfRuns(s.at, s.run_bytes, s.dims); }

// Every (a, b) of the boxes, in their order.
using BytePairs = std::vector<std::pair<int64_t, int64_t>>;

inline void AppendPairs(const Box& box, int d, int64_t a, int64_t b, BytePairs& pairs) {
  if (d == box.num_dims) {
    for (int64_t i = 0; i < box.run_bytes; ++i) pairs.push_back({a + i, b + i});
    return;
  }
  for (int64_t i = 0; i < box.count[d]; ++i) {
    AppendPairs(box, d + 1, a + i * box.a_stride[d], b + i * box.b_stride[d], pairs);
  }
}
inline BytePairs PairsOf(const Boxes& boxes) {
  BytePairs pairs;
  for (const Box& box : boxes) AppendPairs(box, 0, box.a, box.b, pairs);
  return pairs;
}

// A shape of up to `max_dims` dims, few bytes. Without `overlap`, runs lie apart; some touch.
inline Shape RandomShape(Rng& rng, int max_dims, bool overlap) {
  Shape shape = {rng.Between(0, 5), rng.Between(1, 5), {}};
  int64_t inner = shape.run_bytes;
  std::vector<Shape::Dim> dims;
  for (int64_t d = rng.Between(0, max_dims); d > 0; --d) {
    const Shape::Dim dim = {rng.Between(1, 3),
                            overlap && rng.Percent(40) ? rng.Between(0, inner) : inner + rng.Between(0, 3)};
    inner = std::max(inner, (dim.count - 1) * dim.stride + inner);
    dims.insert(dims.begin(), dim);
  }
  shape.dims = std::move(dims);
  return shape;
}

inline ByteSet RandomSet(Rng& rng, int64_t bytes) {
  if (rng.Percent(10)) return ByteSet::Of({0, bytes});
  std::vector<ByteRange> ranges;
  for (int64_t n = rng.Between(0, 6); n > 0; --n) {
    const int64_t begin = rng.Between(0, bytes);
    ranges.push_back({begin, std::min(bytes, begin + rng.Between(1, 1 + bytes / 3))});
  }
  return ByteSet::OfAll(std::move(ranges));
}

inline bool HasByte(const ByteSet& set, int64_t byte) { return set.Contains({byte, byte + 1}); }

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_STEPS_NAIVE_SHAPE_H_
