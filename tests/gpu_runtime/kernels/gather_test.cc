#include "gpu_runtime/kernels/gather.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

TEST(GetRows, OfEveryType) {
  Rng rng(53);
  constexpr int64_t kShapes[][3] = {{1, 1, 1}, {3, 7, 33}, {33, 129, 3}};
  for (const auto& [rows, columns, table_rows] : kShapes) {
    std::vector<int32_t> ids = RandomIds(rng, rows, table_rows);
    ids.back() = static_cast<int32_t>(table_rows);  // no row
    for (ElementType type : kElementTypes) {
      const Elements table = RandomElements(rng, type, table_rows * columns);
      for (const EmulationOptions& teams : TeamsToTry()) {
        std::vector<float> y(static_cast<size_t>(rows * columns), 5.0f);
        RunKernel<GetRows>(teams, ItemsOf(rows * columns),
                           {table.bytes.data(), ids.data(), y.data(), rows, columns, table_rows, type});
        for (int64_t i = 0; i < rows * columns; ++i) {
          const int64_t id = ids[static_cast<size_t>(i / columns)];
          const float expected =
              id == table_rows ? 0.0f : table.floats[static_cast<size_t>(id * columns + i % columns)];
          ASSERT_EQ(y[static_cast<size_t>(i)], expected);
        }
      }
    }
  }
}

// By a convolution, spelled out: patches times filters.
TEST(Im2Col, PatchesTimesFiltersAreAConvolution) {
  Rng rng(59);
  for (const Im2Col::Args& shape : std::vector<Im2Col::Args>{
           {.images = 1, .channels = 1, .height = 1, .width = 1, .kernel_height = 1, .kernel_width = 1},
           {.images = 2, .channels = 3, .height = 7, .width = 5, .kernel_height = 3, .kernel_width = 2},
           {.images = 1,
           .channels = 2,
           .height = 9,
           .width = 33,
           .kernel_height = 3,
           .kernel_width = 3,
           .stride = 2,
           .padding = 1,
           .dilation = 2}}) {
    Im2Col::Args a = shape;
    const auto pixels = [&](int64_t size, int64_t kernel) {
      return (size + 2 * a.padding - a.dilation * (kernel - 1) - 1) / a.stride + 1;
    };
    a.out_height = pixels(a.height, a.kernel_height), a.out_width = pixels(a.width, a.kernel_width);
    const std::vector<float> x = RandomFloats(rng, a.images * a.channels * a.height * a.width);
    const int64_t patch = a.channels * a.kernel_height * a.kernel_width;
    const std::vector<float> filter = RandomFloats(rng, patch);
    for (const EmulationOptions& teams : TeamsToTry()) {
      std::vector<float> y(static_cast<size_t>(Im2Col::Count(a)), 5.0f);
      a.x = x.data(), a.y = y.data();
      RunKernel<Im2Col>(teams, ItemsOf(Im2Col::Count(a)), a);
      for (int64_t n = 0; n < a.images; ++n) {
        for (int64_t i = 0; i < a.out_height; ++i) {
          for (int64_t j = 0; j < a.out_width; ++j) {
            double direct = 0, by_patch = 0;
            for (int64_t c = 0; c < a.channels; ++c) {
              for (int64_t u = 0; u < a.kernel_height; ++u) {
                for (int64_t v = 0; v < a.kernel_width; ++v) {
                  const int64_t row = i * a.stride + u * a.dilation - a.padding;
                  const int64_t column = j * a.stride + v * a.dilation - a.padding;
                  if (row < 0 || row >= a.height || column < 0 || column >= a.width) continue;
                  direct += static_cast<double>(
                                x[static_cast<size_t>(((n * a.channels + c) * a.height + row) * a.width + column)]) *
                            filter[static_cast<size_t>((c * a.kernel_height + u) * a.kernel_width + v)];
                }
              }
            }
            const int64_t first = ((n * a.out_height + i) * a.out_width + j) * patch;
            for (int64_t e = 0; e < patch; ++e) {
              by_patch += static_cast<double>(y[static_cast<size_t>(first + e)]) * filter[static_cast<size_t>(e)];
            }
            ASSERT_NEAR(by_patch, direct, 1e-12);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace bufplan::runtime
