#include "gpu_runtime/kernels/rope.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Case {
  int64_t rows, heads, head_dim, dims;
  bool neox;
};
constexpr Case kCases[] = {{1, 1, 2, 2, true},    {3, 1, 6, 6, false},    {3, 7, 10, 6, true},
                           {7, 3, 33, 32, false}, {2, 5, 128, 128, true}, {33, 2, 7, 4, true}};

class RopeTest : public ::testing::TestWithParam<Case> {
 protected:
  RopeTest() : rng_(13) {
    const Case& c = GetParam();
    x_ = RandomFloats(rng_, c.rows * c.heads * c.head_dim);
    positions_ = RandomIds(rng_, c.rows, 2000);
    y_.resize(x_.size());
    shape_ = {c.head_dim, c.dims, 10000.0f, c.neox};
  }

  // As a product of complex numbers.
  std::vector<double> Reference() const {
    const Case& c = GetParam();
    std::vector<double> y(x_.begin(), x_.end());
    for (int64_t head = 0; head < c.rows * c.heads; ++head) {
      const double position = positions_[static_cast<size_t>(head / c.heads)];
      for (int64_t p = 0; p < c.dims / 2; ++p) {
        const double angle = position * std::pow(10000.0, -2.0 * static_cast<double>(p) / static_cast<double>(c.dims));
        const size_t first = static_cast<size_t>(head * c.head_dim + (c.neox ? p : 2 * p));
        const size_t second = static_cast<size_t>(head * c.head_dim + (c.neox ? p + c.dims / 2 : 2 * p + 1));
        y[first] = x_[first] * std::cos(angle) - x_[second] * std::sin(angle);
        y[second] = x_[first] * std::sin(angle) + x_[second] * std::cos(angle);
      }
    }
    return y;
  }

  Rng rng_;
  std::vector<float> x_, y_;
  std::vector<int32_t> positions_;
  RopeShape shape_;
};

// An angle of up to 2,000 is known to some 2^-12 * 2^-12 * 2000 only.
constexpr double kTolerance = 2e-3;

TEST_P(RopeTest, TurnsPairs) {
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<Rope>(teams, GetParam().rows, {x_.data(), positions_.data(), y_.data(), GetParam().heads, shape_});
    ExpectNear(y_, Reference(), 0, kTolerance);
  }
}

TEST_P(RopeTest, PositionZeroTurnsNothing) {
  for (int32_t& p : positions_) p = 0;
  RunKernel<Rope>({}, GetParam().rows, {x_.data(), positions_.data(), y_.data(), GetParam().heads, shape_});
  EXPECT_EQ(y_, x_);
}

TEST_P(RopeTest, IntoRowsOfACache) {
  const Case& c = GetParam();
  const int64_t columns = c.heads * c.head_dim;
  RunKernel<Rope>({.team_size = 4}, c.rows, {x_.data(), positions_.data(), y_.data(), c.heads, shape_});
  for (ElementType type : kElementTypes) {
    const int64_t stride = (columns + 5) * SizeOf(type);
    for (const EmulationOptions& teams : TeamsToTry()) {
      std::vector<std::byte> cache(static_cast<size_t>(c.rows * stride), std::byte{0x5a}), expected = cache;
      for (int64_t i = 0; i < c.rows * columns; ++i) {
        StoreElement(type, expected.data() + i / columns * stride, i % columns, y_[static_cast<size_t>(i)]);
      }
      RunKernel<RopeConvert>(teams, c.rows,
                             {x_.data(), positions_.data(), cache.data(), c.heads, shape_, columns, stride, type});
      ASSERT_EQ(cache, expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RopeTest, ::testing::ValuesIn(kCases));

}  // namespace
}  // namespace bufplan::runtime
