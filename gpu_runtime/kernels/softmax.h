// Softmax of rows, and rows that are made to add up to one. An item is a row.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_SOFTMAX_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_SOFTMAX_H_

#include <cstdint>

#include "gpu_runtime/kernels/arithmetic.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

inline constexpr float kLeastFloat = -3.402823466e38f;

// exp(logit - max) / sum over a row.
struct SoftmaxScale {
  float max = 0.0f, sum = 1.0f;
};
BUFPLAN_DEVICE float SoftmaxOf(const SoftmaxScale& s, float logit) { return expf(RoundedAdd(logit, -s.max)) / s.sum; }

// Of the row of `columns` logits that load(i) gives. Orders what the team did to memory.
template <class Team, class Load>
BUFPLAN_DEVICE SoftmaxScale SoftmaxScaleOf(Team& team, int64_t columns, const Load& load) {
  SoftmaxScale s;
  float max = kLeastFloat;
  for (int64_t i = team.rank(); i < columns; i += team.size()) max = fmaxf(max, load(i));
  s.max = team.Max(max);
  float sum = 0.0f;
  for (int64_t i = team.rank(); i < columns; i += team.size()) {
    sum = RoundedAdd(sum, expf(RoundedAdd(load(i), -s.max)));
  }
  s.sum = team.Sum(sum);
  return s;
}

// softmax(scale * x + mask); columns that a row does not see are 0. Causal: row r is query r % query_rows of as many,
// which are the last positions; it sees columns [0, columns - query_rows + 1 + r % query_rows).
// ALIASING: y on x: element i is read and written by one thread, and written after the whole row was read.
struct SoftmaxRows {
  static constexpr KernelId kId = KernelId::kSoftmaxRows;
  struct Args {
    const float* x = nullptr;
    const float* mask = nullptr;  // mask_rows x columns, repeated; null: none
    float* y = nullptr;
    int64_t columns = 0, mask_rows = 1;
    float scale = 1.0f;
    int64_t query_rows = 0;  // > 0: causal
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const float* x = args.x + item * args.columns;
    const float* mask = args.mask == nullptr ? nullptr : args.mask + item % args.mask_rows * args.columns;
    float* y = args.y + item * args.columns;
    const int64_t seen =
        args.query_rows > 0 ? args.columns - args.query_rows + 1 + item % args.query_rows : args.columns;
    const auto logit = [&](int64_t i) {
      const float scaled = RoundedMul(x[i], args.scale);
      return mask == nullptr ? scaled : RoundedAdd(scaled, mask[i]);
    };
    const SoftmaxScale s = SoftmaxScaleOf(team, seen, logit);
    for (int64_t i = team.rank(); i < args.columns; i += team.size()) y[i] = i < seen ? SoftmaxOf(s, logit(i)) : 0.0f;
  }
};

// y = x / sum of x, of one row. ALIASING: y on x: the row is read before the sum is known.
template <class Team>
BUFPLAN_DEVICE void NormalizeRow(Team& team, const float* x, float* y, int64_t columns) {
  float sum = 0.0f;
  for (int64_t i = team.rank(); i < columns; i += team.size()) sum = RoundedAdd(sum, x[i]);
  sum = team.Sum(sum);
  for (int64_t i = team.rank(); i < columns; i += team.size()) y[i] = x[i] / sum;
}

struct NormalizeRows {
  static constexpr KernelId kId = KernelId::kNormalizeRows;
  struct Args {
    const float* x = nullptr;
    float* y = nullptr;
    int64_t columns = 0;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    NormalizeRow(team, args.x + item * args.columns, args.y + item * args.columns, args.columns);
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_SOFTMAX_H_
