#include "gpu_runtime/kernels/sort.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, columns, k;
};
constexpr Shape kShapes[] = {{1, 1, 1}, {3, 7, 2}, {7, 33, 33}, {2, 129, 8}, {33, 3, 1}};

// Few different values, so that many are equal.
std::vector<float> WithTies(Rng& rng, int64_t count) {
  std::vector<float> x(static_cast<size_t>(count));
  for (float& v : x) v = static_cast<float>(rng.Between(-3, 3)) * 0.5f;
  if (count > 4) x[2] = -0.0f, x[4] = 0.0f;
  return x;
}

std::vector<int32_t> Sorted(const float* row, int64_t columns, bool descending) {
  std::vector<int32_t> ids(static_cast<size_t>(columns));
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(),
                   [&](int32_t a, int32_t b) { return descending ? row[a] > row[b] : row[a] < row[b]; });
  return ids;
}

class Sort : public ::testing::TestWithParam<Shape> {};

TEST_P(Sort, RowsAreSortedAndTiesKeepTheirOrder) {
  const auto [rows, columns, k] = GetParam();
  Rng rng(29);
  for (const std::vector<float>& x : {WithTies(rng, rows * columns), RandomFloats(rng, rows * columns)}) {
    for (bool descending : {false, true}) {
      std::vector<int32_t> expected;
      for (int64_t r = 0; r < rows; ++r) {
        const std::vector<int32_t> row = Sorted(x.data() + r * columns, columns, descending);
        expected.insert(expected.end(), row.begin(), row.end());
      }
      for (const EmulationOptions& teams : TeamsToTry()) {
        std::vector<int32_t> ids(x.size(), -1);
        RunKernel<ArgsortRows>(teams, rows, {x.data(), ids.data(), columns, descending});
        ASSERT_EQ(ids, expected);
      }
    }
  }
}

TEST_P(Sort, TopK) {
  const auto [rows, columns, k] = GetParam();
  Rng rng(31);
  const std::vector<float> x = WithTies(rng, rows * columns);
  std::vector<int32_t> expected_ids;
  std::vector<float> expected;
  for (int64_t r = 0; r < rows; ++r) {
    const std::vector<int32_t> row = Sorted(x.data() + r * columns, columns, true);
    for (int64_t i = 0; i < k; ++i) {
      expected_ids.push_back(row[static_cast<size_t>(i)]);
      expected.push_back(x[static_cast<size_t>(r * columns + expected_ids.back())]);
    }
  }
  for (const EmulationOptions& teams : TeamsToTry()) {
    std::vector<float> values(expected.size());
    std::vector<int32_t> ids(expected.size());
    RunKernel<TopKRows>(teams, rows, {x.data(), values.data(), ids.data(), columns, k});
    EXPECT_EQ(ids, expected_ids);
    EXPECT_EQ(values, expected);
  }
}

TEST_P(Sort, ChoiceOfExpertsIsTheSequence) {
  const auto [rows, columns, k] = GetParam();
  Rng rng(37);
  for (const std::vector<float>& x : {WithTies(rng, rows * columns), RandomFloats(rng, rows * columns)}) {
    for (const EmulationOptions& teams : TeamsToTry()) {
      std::vector<float> probabilities(x.size()), values(static_cast<size_t>(rows * k)), weights = values;
      std::vector<int32_t> ids(values.size()), fused_ids = ids;
      RunKernel<SoftmaxRows>(teams, rows, {x.data(), nullptr, probabilities.data(), columns, 1, 0.7f, 0});
      RunKernel<TopKRows>(teams, rows, {probabilities.data(), values.data(), ids.data(), columns, k});
      RunKernel<NormalizeRows>(teams, rows, {values.data(), values.data(), k});
      RunKernel<TopKMoe>(teams, rows, {x.data(), weights.data(), fused_ids.data(), columns, k, 0.7f});
      ASSERT_EQ(fused_ids, ids);
      ASSERT_EQ(weights, values);
    }
  }
}

TEST(SortKeys, AreInTheOrderOfFloats) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> ascending = {-inf, -3e38f, -1.0f, -1e-40f, 0.0f, 1e-40f, 1.0f, 3e38f, inf, std::nanf("")};
  for (size_t i = 1; i < ascending.size(); ++i) EXPECT_LT(OrderKey(ascending[i - 1]), OrderKey(ascending[i]));
  EXPECT_EQ(OrderKey(0.0f), OrderKey(-0.0f));
  EXPECT_EQ(OrderKey(-std::nanf("")), OrderKey(std::nanf("")));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Sort, ::testing::ValuesIn(kShapes));

}  // namespace
}  // namespace bufplan::runtime
