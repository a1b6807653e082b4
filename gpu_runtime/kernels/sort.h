// Orders within rows. An item is a row.
//
// The rank of an element is the number of elements that come before it: the larger (or lesser) ones, and the equal ones
// of lower index. So the order is total and the same on every device. -0 equals +0, a NaN is above all numbers (of
// either sign). ALIASING: none: all threads read all of the row until the end.
//
// COST: columns^2 comparisons a row, shared by the team: for hundreds or a few thousand columns.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_SORT_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_SORT_H_

#include <cstdint>

#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"
#include "gpu_runtime/kernels/softmax.h"

namespace bufplan::runtime {

// Integers in the order of the floats.
BUFPLAN_DEVICE uint32_t OrderKey(float x) {
  const uint32_t bits = BitsOfFloat(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0xffffffffu;
  if ((bits & 0x7fffffffu) == 0) return 0x80000000u;
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// The rank of element i among those that load(j) gives.
template <class Load>
BUFPLAN_DEVICE int64_t RankOf(int64_t i, int64_t columns, bool descending, const Load& load) {
  const uint32_t flip = descending ? 0xffffffffu : 0u;
  const uint32_t key = OrderKey(load(i)) ^ flip;
  int64_t rank = 0;
  for (int64_t j = 0; j < columns; ++j) {
    const uint32_t other = OrderKey(load(j)) ^ flip;
    if (other < key || (other == key && j < i)) ++rank;
  }
  return rank;
}

struct ArgsortRows {
  static constexpr KernelId kId = KernelId::kArgsortRows;
  struct Args {
    const float* x = nullptr;
    int32_t* ids = nullptr;  // the column of the element of each rank
    int64_t columns = 0;
    bool descending = true;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const float* x = args.x + item * args.columns;
    for (int64_t i = team.rank(); i < args.columns; i += team.size()) {
      const int64_t rank = RankOf(i, args.columns, args.descending, [&](int64_t j) { return x[j]; });
      args.ids[item * args.columns + rank] = static_cast<int32_t>(i);
    }
  }
};

// The k largest elements of each row, largest first.
struct TopKRows {
  static constexpr KernelId kId = KernelId::kTopKRows;
  struct Args {
    const float* x = nullptr;
    float* values = nullptr;  // rows x k
    int32_t* ids = nullptr;   // rows x k
    int64_t columns = 0, k = 0;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const float* x = args.x + item * args.columns;
    for (int64_t i = team.rank(); i < args.columns; i += team.size()) {
      const int64_t rank = RankOf(i, args.columns, true, [&](int64_t j) { return x[j]; });
      if (rank >= args.k) continue;
      args.values[item * args.k + rank] = x[i];
      args.ids[item * args.k + rank] = static_cast<int32_t>(i);
    }
  }
};

// Which experts a token goes to, and by what weight: softmax of the row, its k largest, made to add up to one. The same
// bits as SoftmaxRows, TopKRows and NormalizeRows; the probabilities are compared, as logits that differ may round to
// one probability.
struct TopKMoe {
  static constexpr KernelId kId = KernelId::kTopKMoe;
  struct Args {
    const float* logits = nullptr;
    float* weights = nullptr;  // rows x k
    int32_t* ids = nullptr;    // rows x k
    int64_t columns = 0, k = 0;
    float scale = 1.0f;  // of the logits
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const float* x = args.logits + item * args.columns;
    float* weights = args.weights + item * args.k;
    const auto logit = [&](int64_t i) { return RoundedMul(x[i], args.scale); };
    const SoftmaxScale s = SoftmaxScaleOf(team, args.columns, logit);
    const auto probability = [&](int64_t i) { return SoftmaxOf(s, logit(i)); };
    for (int64_t i = team.rank(); i < args.columns; i += team.size()) {
      const int64_t rank = RankOf(i, args.columns, true, probability);
      if (rank >= args.k) continue;
      weights[rank] = probability(i);
      args.ids[item * args.k + rank] = static_cast<int32_t>(i);
    }
    team.Sync();
    NormalizeRow(team, weights, weights, args.k);
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_SORT_H_
