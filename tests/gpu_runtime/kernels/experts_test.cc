#include "gpu_runtime/kernels/experts.h"

#include <cstdint>
#include <vector>

#include "gpu_runtime/kernels/elementwise.h"
#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, used, experts, columns, inner;
};
constexpr Shape kShapes[] = {{1, 1, 1, 1, 1}, {1, 2, 8, 33, 7}, {3, 3, 5, 7, 129}, {7, 1, 3, 9, 33}};

class Experts : public ::testing::TestWithParam<Shape> {};

TEST_P(Experts, ProductByTheChosenMatrix) {
  const Shape& s = GetParam();
  Rng rng(43);
  std::vector<int32_t> ids = RandomIds(rng, s.rows * s.used, s.experts);
  ids.back() = static_cast<int32_t>(s.experts);  // none
  if (ids.size() > 1) ids.front() = -1;
  std::vector<float> y(static_cast<size_t>(s.rows * s.used * s.columns));
  for (ElementType type : kElementTypes) {
    const Elements weights = RandomElements(rng, type, s.experts * s.columns * s.inner);
    for (bool shared : {false, true}) {
      const std::vector<float> x = RandomFloats(rng, s.rows * (shared ? 1 : s.used) * s.inner);
      std::vector<double> expected;
      for (int64_t pair = 0; pair < s.rows * s.used; ++pair) {
        const int64_t expert = ids[static_cast<size_t>(pair)], row = shared ? pair / s.used : pair;
        for (int64_t c = 0; c < s.columns; ++c) {
          double sum = 0;
          for (int64_t i = 0; i < s.inner && expert >= 0 && expert < s.experts; ++i) {
            sum += static_cast<double>(x[static_cast<size_t>(row * s.inner + i)]) *
                   weights.floats[static_cast<size_t>((expert * s.columns + c) * s.inner + i)];
          }
          expected.push_back(sum);
        }
      }
      for (const EmulationOptions& teams : TeamsToTry()) {
        RunKernel<ExpertMatmul>(teams, ExpertMatmul::Items(s.rows, s.used, s.columns),
                                {x.data(), weights.bytes.data(), ids.data(), y.data(), s.used, s.experts, s.columns,
                                 s.inner, shared, type});
        ExpectNear(y, expected, 0, 1e-5);
      }
    }
  }
}

TEST_P(Experts, WeightedSumIsTheSequence) {
  const Shape& s = GetParam();
  Rng rng(47);
  const int64_t rows = s.rows * s.used;
  const std::vector<float> x = RandomFloats(rng, rows * s.columns), factors = RandomFloats(rng, rows);
  for (const EmulationOptions& teams : TeamsToTry()) {
    std::vector<float> scaled(x.size()), sum(static_cast<size_t>(s.rows * s.columns)), fused = sum;
    RunKernel<ScaleRows>(teams, ItemsOf(rows * s.columns), {x.data(), factors.data(), scaled.data(), rows, s.columns});
    RunKernel<SumGroups>(teams, ItemsOf(s.rows * s.columns),
                         {scaled.data(), nullptr, sum.data(), s.rows, s.used, s.columns});
    RunKernel<SumGroups>(teams, ItemsOf(s.rows * s.columns),
                         {x.data(), factors.data(), fused.data(), s.rows, s.used, s.columns});
    EXPECT_EQ(fused, sum);
    std::vector<double> expected;
    for (int64_t i = 0; i < s.rows * s.columns; ++i) {
      double total = 0;
      for (int64_t e = 0; e < s.used; ++e) {
        const int64_t row = i / s.columns * s.used + e;
        total += static_cast<double>(x[static_cast<size_t>(row * s.columns + i % s.columns)]) *
                 factors[static_cast<size_t>(row)];
      }
      expected.push_back(total);
    }
    ExpectNear(fused, expected, 0, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Experts, ::testing::ValuesIn(kShapes));

}  // namespace
}  // namespace bufplan::runtime
