#include "gpu_runtime/kernels/attention.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/samples.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, heads, kv_heads, head_dim, length;
};
constexpr Shape kShapes[] = {{1, 1, 1, 1, 1},   {1, 4, 2, 8, 7}, {1, 6, 1, 33, 129},
                             {3, 2, 2, 64, 33}, {7, 3, 3, 7, 7}, {2, 8, 2, 256, 5}};

// Where element d of head g of position t is.
struct Layout {
  int64_t head, position;  // elements
};
std::vector<Layout> Layouts(const Shape& s) {
  return {{s.head_dim, s.kv_heads * s.head_dim},                // positions first
          {s.length * s.head_dim, s.head_dim},                  // heads first
          {(s.length + 3) * (s.head_dim + 1), s.head_dim + 1},  // heads first, in a larger cache with gaps
          {s.head_dim + 2, s.kv_heads * (s.head_dim + 2) + 5}};
}
int64_t CountOf(const Shape& s, const Layout& l) {
  return (s.kv_heads - 1) * l.head + (s.length - 1) * l.position + s.head_dim;
}

std::vector<double> Reference(const Shape& s, const Layout& layout, const std::vector<float>& q,
                              const std::vector<float>& k, const std::vector<float>& v, double scale, bool causal) {
  std::vector<double> y;
  for (int64_t r = 0; r < s.rows; ++r) {
    const int64_t seen = causal ? s.length - s.rows + 1 + r : s.length;
    for (int64_t h = 0; h < s.heads; ++h) {
      const int64_t g = h * s.kv_heads / s.heads;
      Eigen::VectorXd scores(seen);
      const auto at = [&](const std::vector<float>& cache, int64_t t, int64_t d) {
        return static_cast<double>(cache[static_cast<size_t>(g * layout.head + t * layout.position + d)]);
      };
      for (int64_t t = 0; t < seen; ++t) {
        scores[t] = 0;
        for (int64_t d = 0; d < s.head_dim; ++d) {
          scores[t] += q[static_cast<size_t>((r * s.heads + h) * s.head_dim + d)] * at(k, t, d);
        }
      }
      Eigen::VectorXd p = (scores * scale).array() - (scores * scale).maxCoeff();
      p = p.array().exp();
      p /= p.sum();
      for (int64_t d = 0; d < s.head_dim; ++d) {
        double value = 0;
        for (int64_t t = 0; t < seen; ++t) value += p[t] * at(v, t, d);
        y.push_back(value);
      }
    }
  }
  return y;
}

class AttentionTest : public ::testing::TestWithParam<Shape> {};

TEST_P(AttentionTest, OverEveryLayoutAndType) {
  const Shape& s = GetParam();
  Rng rng(41);
  const std::vector<float> q = RandomFloats(rng, s.rows * s.heads * s.head_dim);
  std::vector<float> y(q.size());
  for (const Layout& layout : Layouts(s)) {
    for (ElementType type : kElementTypes) {
      const Elements k = RandomElements(rng, type, CountOf(s, layout)),
                     v = RandomElements(rng, type, CountOf(s, layout));
      const int64_t size = SizeOf(type);
      for (bool causal : {false, true}) {
        const std::vector<double> expected = Reference(s, layout, q, k.floats, v.floats, 1.5, causal);
        for (const EmulationOptions& teams : TeamsToTry()) {
          // Barriers take long here, and differ neither by type nor by layout.
          const bool plain = layout.head == s.head_dim && type == ElementType::kF16;
          if (teams.team_size > 1 && (!plain || s.head_dim > 100)) continue;
          RunKernel<Attention>(teams, s.rows * s.heads,
                               {q.data(),
                                {k.bytes.data(), layout.head * size, layout.position * size},
                                {v.bytes.data(), layout.head * size, layout.position * size},
                                y.data(),
                                s.rows,
                                s.heads,
                                s.kv_heads,
                                s.head_dim,
                                s.length,
                                1.5f,
                                causal,
                                type});
          ExpectNear(y, expected, 0, 4e-6);
        }
      }
    }
  }
}

// The largest score comes last, and by far.
TEST(Attention, RunningMaximum) {
  const int64_t length = 50;
  std::vector<float> q = {1.0f}, k, v, y(1);
  for (int64_t t = 0; t < length; ++t) k.push_back(static_cast<float>(t) * 5), v.push_back(static_cast<float>(t));
  for (const EmulationOptions& teams : TeamsToTry()) {
    RunKernel<Attention>(teams, 1,
                         {q.data(),
                          {reinterpret_cast<const std::byte*>(k.data()), 4, 4},
                          {reinterpret_cast<const std::byte*>(v.data()), 4, 4},
                          y.data(),
                          1,
                          1,
                          1,
                          1,
                          length,
                          1.0f,
                          false,
                          ElementType::kF32});
    EXPECT_NEAR(y[0], 49.0 - 1 / (std::exp(5.0) - 1), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionTest, ::testing::ValuesIn(kShapes));

}  // namespace
}  // namespace bufplan::runtime
