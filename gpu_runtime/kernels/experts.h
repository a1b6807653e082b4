// Mixture of experts: a product by the matrices that each token has chosen, and the sum of what they say.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_EXPERTS_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_EXPERTS_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/arithmetic.h"
#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// y[r, e, c] = sum over i of x[r, e, i] * weights[ids[r, e], c, i], or x[r, i] where all experts of a token read one
// row. The team shares a dot product. ALIASING: none. An id that is no expert gives 0.
struct ExpertMatmul {
  static constexpr KernelId kId = KernelId::kExpertMatmul;
  static constexpr int64_t kItemColumns = 8;
  struct Args {
    const float* x = nullptr;            // rows x (used or 1) x inner
    const std::byte* weights = nullptr;  // experts x columns x inner
    const int32_t* ids = nullptr;        // rows x used
    float* y = nullptr;                  // rows x used x columns
    int64_t used = 0, experts = 0, columns = 0, inner = 0;
    bool shared_row = false;
    ElementType type = ElementType::kF32;  // of the weights
  };
  static BUFPLAN_DEVICE constexpr int64_t Items(int64_t rows, int64_t used, int64_t columns) {
    return rows * used * ((columns + kItemColumns - 1) / kItemColumns);
  }
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const int64_t tiles = (args.columns + kItemColumns - 1) / kItemColumns;
    const int64_t pair = item / tiles, begin = item % tiles * kItemColumns;
    const int64_t end = begin + kItemColumns < args.columns ? begin + kItemColumns : args.columns;
    const int64_t expert = args.ids[pair];
    const bool known = expert >= 0 && expert < args.experts;
    const float* x = args.x + (args.shared_row ? pair / args.used : pair) * args.inner;
    for (int64_t c = begin; c < end; ++c) {
      float sum = 0.0f;
      if (known) sum = PartOfDot(args, team, x, (expert * args.columns + c) * args.inner);
      sum = team.Sum(sum);
      if (team.rank() == 0) args.y[pair * args.columns + c] = sum;
    }
  }

 private:
  template <class Team>
  static BUFPLAN_DEVICE float PartOfDot(const Args& args, const Team& team, const float* x, int64_t first_weight) {
    float sum = 0.0f;
    for (int64_t i = team.rank(); i < args.inner; i += team.size()) {
      sum += x[i] * LoadElement(args.type, args.weights, first_weight + i);
    }
    return sum;
  }
};

// y[r, c] = sum over e, in order, of x[r, e, c], with `factors` of x[r, e, c] * factors[r, e]: then the same bits as
// ScaleRows and SumGroups without factors.
// ALIASING: y on x at the same index if there is one group only: element c of y is then element (0, c) of x, which the
// same thread reads before. With more groups element (r, c) of y lies on one of another group. Not on the factors.
struct SumGroups {
  static constexpr KernelId kId = KernelId::kSumGroups;
  struct Args {
    const float* x = nullptr;        // groups x members x columns
    const float* factors = nullptr;  // groups x members; null: all 1
    float* y = nullptr;              // groups x columns
    int64_t groups = 0, members = 0, columns = 0;
  };
  // Items: ItemsOf(groups * columns).
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.groups * args.columns, [&](int64_t i) {
      const int64_t group = i / args.columns, column = i - group * args.columns;
      const float* x = args.x + group * args.members * args.columns + column;
      float sum = 0.0f;
      for (int64_t m = 0; m < args.members; ++m) {
        float term = x[m * args.columns];
        if (args.factors != nullptr) term = RoundedMul(term, args.factors[group * args.members + m]);
        sum = m == 0 ? term : RoundedAdd(sum, term);
      }
      args.y[i] = sum;
    });
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_EXPERTS_H_
