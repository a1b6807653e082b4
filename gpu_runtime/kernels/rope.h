// Rotary position embedding: pairs of elements of each head are turned by an angle that grows with the position.
//
//   angle(p) = position * base^(-2 p / dims)                     of pair p, 0 <= p < dims / 2
//   pair p   = elements (p, p + dims / 2) with `neox`, else (2 p, 2 p + 1); elements from `dims` on are only copied
//
// Su et al.: "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_ROPE_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_ROPE_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/arithmetic.h"
#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

struct RopeShape {
  int64_t head_dim = 0;
  int64_t dims = 0;  // even, <= head_dim
  float base = 10000.0f;
  bool neox = true;
};

// Where the elements of a pair are in their head, and by what they are turned.
struct RopePair {
  int64_t first = 0, second = 0;  // second < 0: the element is only copied
  float cosine = 1.0f, sine = 0.0f;
};

// Pairs and copied elements of a head.
BUFPLAN_DEVICE constexpr int64_t RopePairsOf(const RopeShape& s) { return s.head_dim - s.dims / 2; }

BUFPLAN_DEVICE RopePair RopePairAt(const RopeShape& s, int64_t pair, int32_t position) {
  RopePair at;
  if (pair >= s.dims / 2) {
    at.first = pair + s.dims / 2;
    at.second = -1;
    return at;
  }
  at.first = s.neox ? pair : 2 * pair;
  at.second = s.neox ? pair + s.dims / 2 : 2 * pair + 1;
  const float exponent = -2.0f * static_cast<float>(pair) / static_cast<float>(s.dims);
  const float angle = RoundedMul(static_cast<float>(position), powf(s.base, exponent));
  at.cosine = cosf(angle);
  at.sine = sinf(angle);
  return at;
}
BUFPLAN_DEVICE float RopeFirst(const RopePair& at, float a, float b) {
  return RoundedAdd(RoundedMul(a, at.cosine), -RoundedMul(b, at.sine));
}
BUFPLAN_DEVICE float RopeSecond(const RopePair& at, float a, float b) {
  return RoundedAdd(RoundedMul(a, at.sine), RoundedMul(b, at.cosine));
}

// Turns pair number `pair` (over all heads of `count` elements) of what read(i) gives and write(i, x) takes.
template <class Read, class Write>
BUFPLAN_DEVICE void TurnPair(const RopeShape& shape, int64_t pair, int32_t position, const Read& read,
                             const Write& write) {
  const int64_t per_head = RopePairsOf(shape), head = pair / per_head, begin = head * shape.head_dim;
  const RopePair at = RopePairAt(shape, pair - head * per_head, position);
  if (at.second < 0) return write(begin + at.first, read(begin + at.first));
  const float a = read(begin + at.first), b = read(begin + at.second);
  write(begin + at.first, RopeFirst(at, a, b));
  write(begin + at.second, RopeSecond(at, a, b));
}

// An item is a row: the heads of one token. ALIASING: y on x: a thread reads both elements of a pair before it writes
// them, and nobody else touches them.
struct Rope {
  static constexpr KernelId kId = KernelId::kRope;
  struct Args {
    const float* x = nullptr;            // rows x heads x head_dim
    const int32_t* positions = nullptr;  // one for each row
    float* y = nullptr;
    int64_t heads = 0;
    RopeShape shape;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const int64_t columns = args.heads * args.shape.head_dim, pairs = args.heads * RopePairsOf(args.shape);
    const float* x = args.x + item * columns;
    float* y = args.y + item * columns;
    const int32_t position = args.positions[item];
    for (int64_t p = team.rank(); p < pairs; p += team.size()) {
      TurnPair(
          args.shape, p, position, [&](int64_t i) { return x[i]; }, [&](int64_t i, float v) { y[i] = v; });
    }
  }
};

// Rope straight into rows of a cache of any element type; the same bits as Rope and ConvertRows. ALIASING: none.
struct RopeConvert {
  static constexpr KernelId kId = KernelId::kRopeConvert;
  struct Args {
    const float* x = nullptr;  // rows x heads x head_dim
    const int32_t* positions = nullptr;
    std::byte* y = nullptr;
    int64_t heads = 0;
    RopeShape shape;
    // y has rows of y_columns elements; y_stride_bytes from row to row. What of x is its element i is that of y.
    int64_t y_columns = 0, y_stride_bytes = 0;
    ElementType y_type = ElementType::kF16;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const int64_t columns = args.heads * args.shape.head_dim, pairs = args.heads * RopePairsOf(args.shape);
    const float* x = args.x + item * columns;
    const int32_t position = args.positions[item];
    const auto write = [&](int64_t i, float v) {
      const int64_t element = item * columns + i, row = element / args.y_columns;
      StoreElement(args.y_type, args.y + row * args.y_stride_bytes, element - row * args.y_columns, v);
    };
    for (int64_t p = team.rank(); p < pairs; p += team.size()) {
      TurnPair(
          args.shape, p, position, [&](int64_t i) { return x[i]; }, write);
    }
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_ROPE_H_
