#include "gpu_runtime/kernels/softmax.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, columns, mask_rows, query_rows;
};
constexpr Shape kShapes[] = {{1, 1, 1, 1}, {3, 7, 1, 3}, {6, 33, 3, 3}, {33, 129, 33, 11}, {7, 3, 7, 1}};

std::vector<double> Reference(const std::vector<float>& x, const std::vector<float>& mask, const Shape& shape,
                              double scale, bool causal) {
  std::vector<double> y;
  for (int64_t r = 0; r < shape.rows; ++r) {
    const int64_t seen = causal ? shape.columns - shape.query_rows + 1 + r % shape.query_rows : shape.columns;
    std::vector<double> row;
    double max = -1e300, sum = 0;
    for (int64_t c = 0; c < shape.columns; ++c) {
      double logit = x[static_cast<size_t>(r * shape.columns + c)] * scale;
      if (!mask.empty()) logit += mask[static_cast<size_t>(r % shape.mask_rows * shape.columns + c)];
      row.push_back(c < seen ? logit : -std::numeric_limits<double>::infinity());
      max = std::max(max, row.back());
    }
    for (double logit : row) sum += std::exp(logit - max);
    for (double logit : row) y.push_back(std::exp(logit - max) / sum);
  }
  return y;
}

class Softmax : public ::testing::TestWithParam<Shape> {};

TEST_P(Softmax, WithScaleMaskAndOrder) {
  const Shape& shape = GetParam();
  Rng rng(19);
  std::vector<float> x = RandomFloats(rng, shape.rows * shape.columns), y(x.size());
  for (float& v : x) v *= 30;
  std::vector<float> mask = RandomFloats(rng, shape.mask_rows * shape.columns);
  for (int64_t c = 1; c < shape.columns; c += 3) mask[static_cast<size_t>(c)] = -std::numeric_limits<float>::infinity();
  for (bool masked : {false, true}) {
    for (bool causal : {false, true}) {
      const std::vector<double> expected = Reference(x, masked ? mask : std::vector<float>(), shape, 0.25f, causal);
      for (const EmulationOptions& teams : TeamsToTry()) {
        RunKernel<SoftmaxRows>(teams, shape.rows,
                               {x.data(), masked ? mask.data() : nullptr, y.data(), shape.columns, shape.mask_rows,
                                0.25f, causal ? shape.query_rows : 0});
        ExpectNear(y, expected, 3e-6, 1e-12);
      }
    }
  }
}

TEST_P(Softmax, LargeLogitsDoNotOverflow) {
  const Shape& shape = GetParam();
  std::vector<float> x(static_cast<size_t>(shape.rows * shape.columns), 3e38f), y(x.size());
  RunKernel<SoftmaxRows>({.team_size = 3}, shape.rows, {x.data(), nullptr, y.data(), shape.columns, 1, 1.0f, 0});
  for (float v : y) EXPECT_NEAR(v, 1.0 / static_cast<double>(shape.columns), 1e-7);
}

TEST_P(Softmax, NormalizedRowsAddUpToOne) {
  const Shape& shape = GetParam();
  Rng rng(23);
  std::vector<float> x = RandomFloats(rng, shape.rows * shape.columns), y(x.size());
  for (float& v : x) v = std::abs(v) + 0.01f;
  std::vector<double> expected;
  for (int64_t r = 0; r < shape.rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < shape.columns; ++c) sum += x[static_cast<size_t>(r * shape.columns + c)];
    for (int64_t c = 0; c < shape.columns; ++c) expected.push_back(x[static_cast<size_t>(r * shape.columns + c)] / sum);
  }
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<NormalizeRows>(teams, shape.rows, {x.data(), y.data(), shape.columns});
    ExpectNear(y, expected, 2e-6, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Softmax, ::testing::ValuesIn(kShapes));

}  // namespace
}  // namespace bufplan::runtime
