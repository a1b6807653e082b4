// Rows of a table, and the patches of images that a convolution multiplies.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_GATHER_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_GATHER_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/arithmetic.h"
#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// y[r, :] = table[ids[r], :] as f32; zeros for an id that is no row. ALIASING: none.
struct GetRows {
  static constexpr KernelId kId = KernelId::kGetRows;
  struct Args {
    const std::byte* table = nullptr;  // table_rows x columns
    const int32_t* ids = nullptr;      // rows
    float* y = nullptr;                // rows x columns
    int64_t rows = 0, columns = 0, table_rows = 0;
    ElementType type = ElementType::kF32;  // of the table
  };
  // Items: ItemsOf(rows * columns).
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, args.rows * args.columns, [&](int64_t i) {
      const int64_t row = i / args.columns, column = i - row * args.columns, id = args.ids[row];
      const bool known = id >= 0 && id < args.table_rows;
      args.y[i] = known ? LoadElement(args.type, args.table, id * args.columns + column) : 0.0f;
    });
  }
};

// Row (n, i, j) of y are the elements of x under the kernel at output pixel (i, j) of image n, in the order channel,
// kernel row, kernel column; zeros beyond the border. A convolution is then y times its filters. ALIASING: none.
struct Im2Col {
  static constexpr KernelId kId = KernelId::kIm2Col;
  struct Args {
    const float* x = nullptr;  // images x channels x height x width
    float* y = nullptr;        // images x out_height x out_width x channels x kernel_height x kernel_width
    int64_t images = 0, channels = 0, height = 0, width = 0;
    int64_t out_height = 0, out_width = 0, kernel_height = 0, kernel_width = 0;
    int64_t stride = 1, padding = 0, dilation = 1;
  };
  static BUFPLAN_DEVICE constexpr int64_t Count(const Args& a) {
    return a.images * a.out_height * a.out_width * a.channels * a.kernel_height * a.kernel_width;
  }
  // Items: ItemsOf(Count(args)).
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachElement(team, item, Count(args), [&](int64_t i) {
      int64_t rest = i;
      const auto digit = [&rest](int64_t base) {
        const int64_t d = rest % base;
        rest /= base;
        return d;
      };
      const int64_t kernel_column = digit(args.kernel_width), kernel_row = digit(args.kernel_height);
      const int64_t channel = digit(args.channels), out_column = digit(args.out_width);
      const int64_t out_row = digit(args.out_height), image = rest;
      const int64_t row = out_row * args.stride + kernel_row * args.dilation - args.padding;
      const int64_t column = out_column * args.stride + kernel_column * args.dilation - args.padding;
      const bool inside = row >= 0 && row < args.height && column >= 0 && column < args.width;
      args.y[i] = inside ? args.x[((image * args.channels + channel) * args.height + row) * args.width + column] : 0.0f;
    });
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_GATHER_H_
