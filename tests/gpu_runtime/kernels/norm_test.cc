#include "gpu_runtime/kernels/norm.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "gpu_runtime/kernels/elementwise.h"
#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, columns;
};
constexpr Shape kShapes[] = {{1, 1}, {3, 7}, {7, 33}, {33, 3}, {2, 129}, {5, 1030}};

class Norm : public ::testing::TestWithParam<Shape> {
 protected:
  Norm() : rng_(17), rows_(GetParam().rows), columns_(GetParam().columns), count_(rows_ * columns_) {
    x_ = RandomFloats(rng_, count_);
    y_.resize(x_.size());
  }
  Rng rng_;
  int64_t rows_, columns_, count_;
  std::vector<float> x_, y_;
};

TEST_P(Norm, ByRows) {
  const Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> x(x_.data(), rows_,
                                                                                                  columns_);
  std::vector<double> expected;
  for (int64_t r = 0; r < rows_; ++r) {
    const double squares = x.row(r).cast<double>().squaredNorm() / static_cast<double>(columns_);
    for (int64_t c = 0; c < columns_; ++c) expected.push_back(x(r, c) / std::sqrt(squares + 1e-5));
  }
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<RmsNorm>(teams, rows_, {x_.data(), y_.data(), columns_, 1e-5f});
    ExpectNear(y_, expected, 2e-6, 1e-9);
  }
}

// Whatever is left out, the fused kernel gives the bits of the kernels that it stands for.
TEST_P(Norm, FusedIsTheSequence) {
  const int64_t head_dim = columns_ % 2 == 0 ? columns_ / 2 : columns_;
  const int64_t heads = count_ / head_dim;  // of one token
  const std::vector<float> addend = RandomFloats(rng_, count_), weight = RandomFloats(rng_, columns_);
  const std::vector<int32_t> positions = {77};
  for (int mask = 0; mask < 16; ++mask) {
    const bool add = (mask & 1) != 0, sum = add && (mask & 2) != 0, mul = (mask & 4) != 0, rope = (mask & 8) != 0;
    for (const EmulationOptions& teams : TeamsToTry()) {
      std::vector<float> sums = x_, expected(x_.size()), found(x_.size()), found_sums(x_.size());
      if (add) RunKernel<AddRows>(teams, ItemsOf(count_), {x_.data(), addend.data(), sums.data(), count_, count_});
      RunKernel<RmsNorm>(teams, rows_, {sums.data(), expected.data(), columns_, 1e-6f});
      if (mul) {
        RunKernel<MulRows>(teams, ItemsOf(count_), {expected.data(), weight.data(), expected.data(), count_, columns_});
      }
      const RopeShape shape{head_dim, head_dim / 2 * 2, 500.0f, true};
      if (rope) RunKernel<Rope>(teams, 1, {expected.data(), positions.data(), expected.data(), heads, shape});

      FusedRmsNorm::Args args{.x = x_.data(),
                              .addend = add ? addend.data() : nullptr,
                              .sum = sum ? found_sums.data() : nullptr,
                              .weight = mul ? weight.data() : nullptr,
                              .positions = rope ? positions.data() : nullptr,
                              .y = found.data(),
                              .columns = columns_,
                              .addend_period = count_,
                              .weight_period = columns_,
                              .epsilon = 1e-6f,
                              .rope_heads = heads,
                              .rope = shape};
      RunKernel<FusedRmsNorm>(teams, rows_, args);
      ASSERT_EQ(found, expected) << "mask " << mask << ", team of " << teams.team_size;
      if (sum) {
        ASSERT_EQ(found_sums, sums);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Norm, ::testing::ValuesIn(kShapes));

}  // namespace
}  // namespace bufplan::runtime
