#include "gpu_runtime/kernels/elementwise.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, columns, b_rows;
};
constexpr Shape kShapes[] = {{1, 1, 1}, {3, 7, 1}, {3, 7, 3}, {6, 33, 2}, {7, 129, 1}, {33, 129, 33}};

class Elementwise : public ::testing::TestWithParam<Shape> {
 protected:
  Elementwise() : rng_(11), count_(GetParam().rows * GetParam().columns) {
    a_ = RandomFloats(rng_, count_);
    b_ = RandomFloats(rng_, GetParam().b_rows * GetParam().columns);
    y_.resize(a_.size());
  }
  float b(size_t i) const { return b_[i % b_.size()]; }
  BinaryArgs Args() { return {a_.data(), b_.data(), y_.data(), count_, static_cast<int64_t>(b_.size())}; }

  Rng rng_;
  int64_t count_;
  std::vector<float> a_, b_, y_;
};

// One rounding each, so exactly what the host's own operation gives.
TEST_P(Elementwise, AddsAndMultiplies) {
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<AddRows>(teams, ItemsOf(count_), Args());
    for (size_t i = 0; i < y_.size(); ++i) ASSERT_EQ(y_[i], a_[i] + b(i));
    RunKernel<MulRows>(teams, ItemsOf(count_), Args());
    for (size_t i = 0; i < y_.size(); ++i) ASSERT_EQ(y_[i], a_[i] * b(i));
  }
}

TEST_P(Elementwise, Silu) {
  for (float& x : a_) x *= 20;
  std::vector<double> expected, gated;
  for (size_t i = 0; i < a_.size(); ++i) {
    expected.push_back(a_[i] / (1 + std::exp(-static_cast<double>(a_[i]))));
    gated.push_back(expected.back() * b(i));
  }
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<Silu>(teams, ItemsOf(count_), {a_.data(), y_.data(), count_});
    ExpectNear(y_, expected, 1e-6, 1e-12);
    RunKernel<SiluMul>(teams, ItemsOf(count_), {a_.data(), b_.data(), y_.data(), count_, count_, Args().b_period});
    ExpectNear(y_, gated, 1e-6, 1e-12);
  }
}

TEST_P(Elementwise, AddsManyTermsFromTheLeft) {
  std::vector<std::vector<float>> more;
  AddChain::Args args{.y = y_.data(), .count = count_};
  args.terms[0] = a_.data(), args.periods[0] = count_;
  args.terms[1] = b_.data(), args.periods[1] = Args().b_period;
  for (int32_t t = 2; t < AddChain::kMaxTerms; ++t) more.push_back(RandomFloats(rng_, count_));
  for (size_t t = 2; t < AddChain::kMaxTerms; ++t) args.terms[t] = more[t - 2].data(), args.periods[t] = count_;
  for (const EmulationOptions& teams : TeamsToTry()) {
    for (args.num_terms = 1; args.num_terms <= AddChain::kMaxTerms; ++args.num_terms) {
      RunKernel<AddChain>(teams, ItemsOf(count_), args);
      for (size_t i = 0; i < y_.size(); ++i) {
        float sum = a_[i];
        for (int32_t t = 1; t < args.num_terms; ++t) sum += t == 1 ? b(i) : more[static_cast<size_t>(t) - 2][i];
        ASSERT_EQ(y_[i], sum);
      }
    }
  }
}

TEST_P(Elementwise, ScalesRows) {
  const std::vector<float> factors = RandomFloats(rng_, GetParam().rows);
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<ScaleRows>(teams, ItemsOf(count_),
                         {a_.data(), factors.data(), y_.data(), GetParam().rows, GetParam().columns});
    for (size_t i = 0; i < y_.size(); ++i) {
      ASSERT_EQ(y_[i], a_[i] * factors[i / static_cast<size_t>(GetParam().columns)]);
    }
  }
}

TEST_P(Elementwise, ConvertsRowsBetweenAnyTypesAndStrides) {
  const auto [rows, columns, unused] = GetParam();
  for (ElementType from : kElementTypes) {
    for (ElementType to : kElementTypes) {
      const int64_t x_stride = (columns + 3) * SizeOf(from), y_stride = (columns + 2) * SizeOf(to);
      const Elements x = RandomElements(rng_, from, rows * (columns + 3));
      for (const EmulationOptions& teams : TeamsToTry()) {
        std::vector<std::byte> y(static_cast<size_t>(rows * y_stride), std::byte{0x5a}), expected = y;
        for (int64_t i = 0; i < count_; ++i) {
          StoreElement(to, expected.data() + i / columns * y_stride, i % columns,
                       x.floats[static_cast<size_t>(i / columns * (columns + 3) + i % columns)]);
        }
        RunKernel<ConvertRows>(teams, ItemsOf(count_),
                               {x.bytes.data(), y.data(), rows, columns, x_stride, y_stride, from, to});
        ASSERT_EQ(y, expected);  // between the rows too
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Elementwise, ::testing::ValuesIn(kShapes));

}  // namespace
}  // namespace bufplan::runtime
