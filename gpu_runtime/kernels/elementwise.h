// Kernels that make element i of the result from elements i of the operands. All f32.
//
// ALIASING: element i is read and written by one thread, first read, then written; no other thread touches it. So the
// result may lie on any operand of full length at the same index; not on one that is repeated, as others read that.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_ELEMENTWISE_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_ELEMENTWISE_H_

#include <cstdint>

#include "gpu_runtime/kernels/arithmetic.h"
#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// `b` has b_period elements, which are repeated: a row, or all of it.
struct BinaryArgs {
  const float* a = nullptr;
  const float* b = nullptr;
  float* y = nullptr;
  int64_t count = 0;
  int64_t b_period = 0;  // > 0
};

// Items: ItemsOf(count), as of all kernels here.
struct AddRows {
  static constexpr KernelId kId = KernelId::kAddRows;
  using Args = BinaryArgs;
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.count,
                   [&](int64_t i) { args.y[i] = RoundedAdd(args.a[i], args.b[Repeated(i, args.b_period)]); });
  }
};

struct MulRows {
  static constexpr KernelId kId = KernelId::kMulRows;
  using Args = BinaryArgs;
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.count,
                   [&](int64_t i) { args.y[i] = RoundedMul(args.a[i], args.b[Repeated(i, args.b_period)]); });
  }
};

struct Silu {
  static constexpr KernelId kId = KernelId::kSilu;
  struct Args {
    const float* x = nullptr;
    float* y = nullptr;
    int64_t count = 0;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.count, [&](int64_t i) { args.y[i] = SiluOf(args.x[i]); });
  }
};

// silu(gate) * up; the same bits as Silu and MulRows.
struct SiluMul {
  static constexpr KernelId kId = KernelId::kSiluMul;
  struct Args {
    const float* gate = nullptr;
    const float* up = nullptr;
    float* y = nullptr;
    int64_t count = 0;
    int64_t gate_period = 0, up_period = 0;  // > 0; one of them may be less than count
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.count, [&](int64_t i) {
      args.y[i] = RoundedMul(SiluOf(args.gate[Repeated(i, args.gate_period)]), args.up[Repeated(i, args.up_period)]);
    });
  }
};

// ((x0 + x1) + x2) + ...; the same bits as one AddRows after the other.
struct AddChain {
  static constexpr KernelId kId = KernelId::kAddChain;
  static constexpr int32_t kMaxTerms = 8;
  struct Args {
    const float* terms[kMaxTerms] = {};
    int64_t periods[kMaxTerms] = {};
    int32_t num_terms = 0;  // >= 1
    float* y = nullptr;
    int64_t count = 0;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.count, [&](int64_t i) {
      float sum = args.terms[0][Repeated(i, args.periods[0])];
      for (int32_t t = 1; t < args.num_terms; ++t) {
        sum = RoundedAdd(sum, args.terms[t][Repeated(i, args.periods[t])]);
      }
      args.y[i] = sum;
    });
  }
};

// y[r, c] = x[r, c] * factors[r]. ALIASING: y on x; not on the factors.
struct ScaleRows {
  static constexpr KernelId kId = KernelId::kScaleRows;
  struct Args {
    const float* x = nullptr;
    const float* factors = nullptr;  // one for each row
    float* y = nullptr;
    int64_t rows = 0, columns = 0;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.rows * args.columns,
                   [&](int64_t i) { args.y[i] = RoundedMul(args.x[i], args.factors[i / args.columns]); });
  }
};

// Rows of elements to rows of elements of another type, or elsewhere. ALIASING: y on x if both types have one size and
// both strides are equal: then an element is where it was. Else none.
struct ConvertRows {
  static constexpr KernelId kId = KernelId::kConvertRows;
  struct Args {
    const std::byte* x = nullptr;
    std::byte* y = nullptr;
    int64_t rows = 0, columns = 0;
    int64_t x_stride_bytes = 0, y_stride_bytes = 0;  // from row to row
    ElementType x_type = ElementType::kF32, y_type = ElementType::kF32;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.rows * args.columns, [&](int64_t i) {
      const int64_t row = i / args.columns, column = i - row * args.columns;
      StoreElement(args.y_type, args.y + row * args.y_stride_bytes, column,
                   LoadElement(args.x_type, args.x + row * args.x_stride_bytes, column));
    });
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_ELEMENTWISE_H_
