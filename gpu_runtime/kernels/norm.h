// Root-mean-square norm of rows, alone and with what usually stands around it.
//
//   y[r, c] = x[r, c] / sqrt(mean of x[r, :]^2 + epsilon)
//
// Zhang, Sennrich: "Root Mean Square Layer Normalization", 2019. An item is a row.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_NORM_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_NORM_H_

#include <cstdint>

#include "gpu_runtime/kernels/arithmetic.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"
#include "gpu_runtime/kernels/rope.h"

namespace bufplan::runtime {

// What a row is multiplied by; load(i) gives its elements and is called once for each, by any thread. Orders what the
// team did to memory.
template <class Team, class Load>
BUFPLAN_DEVICE float RmsScale(Team& team, int64_t columns, float epsilon, const Load& load) {
  float squares = 0.0f;
  for (int64_t i = team.rank(); i < columns; i += team.size()) {
    const float x = load(i);
    squares = RoundedAdd(squares, RoundedMul(x, x));
  }
  const float mean = team.Sum(squares) / static_cast<float>(columns);
  return 1.0f / sqrtf(RoundedAdd(mean, epsilon));
}

// ALIASING: y on x: element i is written by the thread that reads it last, after all have read the row.
struct RmsNorm {
  static constexpr KernelId kId = KernelId::kRmsNorm;
  struct Args {
    const float* x = nullptr;
    float* y = nullptr;
    int64_t columns = 0;
    float epsilon = 0.0f;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const float* x = args.x + item * args.columns;
    float* y = args.y + item * args.columns;
    const float scale = RmsScale(team, args.columns, args.epsilon, [&](int64_t i) { return x[i]; });
    for (int64_t i = team.rank(); i < args.columns; i += team.size()) y[i] = RoundedMul(x[i], scale);
  }
};

// In this order, what is null left out: x + addend, kept as `sum`; the norm; times `weight`; rope. The same bits as
// AddRows, RmsNorm, MulRows and Rope one after the other.
//
// ALIASING, all at the same index, for operands of full length: y on x, addend or weight, sum on x or addend. The first
// pass reads x and the addend of an element and then writes its sum, by one thread. After that nobody reads them where
// there is a sum; where there is none, an element is read by the thread that writes it, after the whole row was read
// once and, with rope, both elements of a pair before either is written.
struct FusedRmsNorm {
  static constexpr KernelId kId = KernelId::kFusedRmsNorm;
  struct Args {
    const float* x = nullptr;
    const float* addend = nullptr;
    float* sum = nullptr;
    const float* weight = nullptr;
    const int32_t* positions = nullptr;  // one for each rope_heads * head_dim elements; null: no rope
    float* y = nullptr;
    int64_t columns = 0;                           // with rope: a multiple of head_dim
    int64_t addend_period = 0, weight_period = 0;  // elements, which are repeated; > 0
    float epsilon = 0.0f;
    int64_t rope_heads = 0;  // of a token
    RopeShape rope = {};
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const int64_t begin = item * args.columns;
    const auto added = [&](int64_t i) {
      const float x = args.x[begin + i];
      if (args.addend == nullptr) return x;
      return RoundedAdd(x, args.addend[Repeated(begin + i, args.addend_period)]);
    };
    const float scale = RmsScale(team, args.columns, args.epsilon, [&](int64_t i) {
      const float x = added(i);
      if (args.sum != nullptr) args.sum[begin + i] = x;
      return x;
    });
    const auto weighted = [&](int64_t i) {
      const float x = RoundedMul(args.sum != nullptr ? args.sum[begin + i] : added(i), scale);
      return args.weight == nullptr ? x : RoundedMul(x, args.weight[Repeated(begin + i, args.weight_period)]);
    };
    if (args.positions == nullptr) {
      for (int64_t i = team.rank(); i < args.columns; i += team.size()) args.y[begin + i] = weighted(i);
      return;
    }
    const int64_t first_head = begin / args.rope.head_dim, per_head = RopePairsOf(args.rope);
    const int64_t pairs = args.columns / args.rope.head_dim * per_head;
    for (int64_t p = team.rank(); p < pairs; p += team.size()) {
      const int32_t position = args.positions[(first_head + p / per_head) / args.rope_heads];
      TurnPair(args.rope, p, position, weighted, [&](int64_t i, float v) { args.y[begin + i] = v; });
    }
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_NORM_H_
