// Matmul of every device against three nested loops.
#include "gpu_runtime/device/matmul.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "absl/strings/str_cat.h"
#include "gpu_runtime/device/device.h"
#include "tests/gpu_runtime/device/device_under_test.h"

namespace bufplan::runtime {
namespace {

struct Shape {
  int64_t rows, columns, inner, batches;
  int64_t gap;  // elements between rows, and again between batches
};

// All types take these values without rounding, and f32 sums of their products are exact in any order.
float SmallInteger(std::mt19937_64& random) { return static_cast<float>(random() % 17) - 8; }

std::vector<uint8_t> Encode(ElementType type, const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * static_cast<size_t>(SizeOf(type)));
  for (size_t i = 0; i < values.size(); ++i) {
    switch (type) {
      case ElementType::kF32: std::memcpy(&bytes[4 * i], &values[i], 4); break;
      case ElementType::kF16: {
        const _Float16 half = static_cast<_Float16>(values[i]);
        std::memcpy(&bytes[2 * i], &half, 2);
        break;
      }
      case ElementType::kBF16: {
        // The upper half of an f32; the lower one is zero here.
        uint32_t word = 0;
        std::memcpy(&word, &values[i], 4);
        const uint16_t upper = static_cast<uint16_t>(word >> 16);
        std::memcpy(&bytes[2 * i], &upper, 2);
        break;
      }
    }
  }
  return bytes;
}

MatmulArgs ArgsOf(const Shape& shape, ElementType type, float beta) {
  MatmulArgs m = {.rows = shape.rows, .columns = shape.columns, .inner = shape.inner};
  m.a_stride = shape.inner + shape.gap;
  m.b_stride = shape.inner + 2 * shape.gap;
  m.c_stride = shape.columns + shape.gap;
  m.batches = shape.batches;
  m.a_batch_stride = shape.rows * m.a_stride + shape.gap;
  m.b_batch_stride = shape.columns * m.b_stride + 3 * shape.gap;
  m.c_batch_stride = shape.rows * m.c_stride + shape.gap;
  m.type = type;
  m.beta = beta;
  return m;
}

// `magnitude`: the same sums of absolute values.
void Multiply(const MatmulArgs& m, const std::vector<float>& a, const std::vector<float>& b, std::vector<double>& c,
              std::vector<double>& magnitude) {
  for (int64_t n = 0; n < m.batches; ++n) {
    for (int64_t i = 0; i < m.rows; ++i) {
      for (int64_t j = 0; j < m.columns; ++j) {
        const size_t at = static_cast<size_t>(n * m.c_batch_stride + i * m.c_stride + j);
        c[at] = m.beta == 0 ? 0 : m.beta * c[at];
        magnitude[at] = std::abs(c[at]);
        for (int64_t k = 0; k < m.inner; ++k) {
          const double product = double{a[static_cast<size_t>(n * m.a_batch_stride + i * m.a_stride + k)]} *
                                 double{b[static_cast<size_t>(n * m.b_batch_stride + j * m.b_stride + k)]};
          c[at] += product;
          magnitude[at] += std::abs(product);
        }
      }
    }
  }
}

class Matmul : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    stream_ = Stream();
    // A product of nothing: the device says whether it has a library.
    device().Matmul(stream_, {.batches = 0});
    const absl::Status status = device().Synchronize();
    if (status.code() == absl::StatusCode::kUnimplemented) GTEST_SKIP() << status.message();
    ASSERT_TRUE(status.ok()) << status;
  }

  // Runs it on uploaded copies of a, b and c; returns c.
  std::vector<float> Product(MatmulArgs m, const std::vector<float>& a, const std::vector<float>& b,
                             const std::vector<float>& c) {
    m.a = Upload(Encode(m.type, a));
    m.b = Upload(Encode(m.type, b));
    m.c = Upload(c);
    device().Matmul(stream_, m);
    Synchronize();
    return Download(m.c, c.size());
  }
  std::vector<float> Random(int64_t count, const std::function<float(std::mt19937_64&)>& value) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = value(random_);
    return values;
  }

  std::mt19937_64 random_{11};
  StreamHandle stream_;
};

TEST_P(Matmul, IsExactOnSmallIntegers) {
  constexpr Shape kShapes[] = {{1, 1, 1, 1, 0}, {3, 5, 7, 1, 0},    {1, 65, 33, 1, 0},  {17, 1, 129, 2, 3},
                               {8, 8, 8, 3, 1}, {31, 29, 37, 2, 5}, {64, 48, 32, 4, 0}, {2, 130, 257, 1, 8}};
  for (const Shape& shape : kShapes) {
    for (const ElementType type : {ElementType::kF32, ElementType::kF16, ElementType::kBF16}) {
      for (const float beta : {0.0f, 1.0f, -2.0f}) {
        SCOPED_TRACE(
            absl::StrCat(shape.rows, "x", shape.columns, "x", shape.inner, " ", static_cast<int>(type), " ", beta));
        const MatmulArgs m = ArgsOf(shape, type, beta);
        const std::vector<float> a = Random(m.batches * m.a_batch_stride, SmallInteger);
        const std::vector<float> b = Random(m.batches * m.b_batch_stride, SmallInteger);
        std::vector<float> c = Random(m.batches * m.c_batch_stride, SmallInteger);
        std::vector<double> expected(c.begin(), c.end()), magnitude(c.size());
        Multiply(m, a, b, expected, magnitude);
        const std::vector<float> product = Product(m, a, b, c);
        // Gaps of c are as they were.
        ASSERT_EQ(std::vector<double>(product.begin(), product.end()), expected);
      }
    }
  }
}

TEST_P(Matmul, DoesNotReadWhatBetaZeroForgets) {
  const MatmulArgs m = ArgsOf({5, 6, 7, 1, 0}, ElementType::kF32, 0.0f);
  const std::vector<float> a(35, 1.0f), b(42, 2.0f), c(30, std::nanf(""));
  EXPECT_EQ(Product(m, a, b, c), std::vector<float>(30, 14.0f));
}

TEST_P(Matmul, WithoutInnerElementsItIsBetaTimesC) {
  const MatmulArgs m = ArgsOf({4, 3, 0, 1, 0}, ElementType::kF32, 3.0f);
  EXPECT_EQ(Product(m, {1.0f}, {1.0f}, std::vector<float>(12, 2.0f)), std::vector<float>(12, 6.0f));
}

// Rounding f32 to TF32 would be off by a thousandth.
TEST_P(Matmul, KeepsThePrecisionOfF32) {
  const MatmulArgs m = ArgsOf({70, 90, 310, 2, 2}, ElementType::kF32, 1.0f);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto value = [&](std::mt19937_64& random) { return uniform(random); };
  const std::vector<float> a = Random(m.batches * m.a_batch_stride, value);
  const std::vector<float> b = Random(m.batches * m.b_batch_stride, value);
  const std::vector<float> c = Random(m.batches * m.c_batch_stride, value);
  std::vector<double> expected(c.begin(), c.end()), magnitude(c.size());
  Multiply(m, a, b, expected, magnitude);
  const std::vector<float> product = Product(m, a, b, c);
  for (size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(product[i], expected[i], 4e-6 * magnitude[i]) << i;
}

// The same bits again and again, also from a capture, and while other streams multiply.
TEST_P(Matmul, RepeatsItself) {
  MatmulArgs m = ArgsOf({50, 70, 900, 1, 0}, ElementType::kBF16, 0.0f);
  std::normal_distribution<float> normal;
  const auto value = [&](std::mt19937_64& random) { return normal(random); };
  const std::vector<float> a = Random(m.a_batch_stride, value), b = Random(m.b_batch_stride, value);
  m.a = Upload(Encode(m.type, a));
  m.b = Upload(Encode(m.type, b));
  const std::vector<float> poison(static_cast<size_t>(m.c_batch_stride), 5.0f);
  m.c = Upload(poison);
  device().Matmul(stream_, m);
  Synchronize();
  const std::vector<float> expected = Download(m.c, poison.size());
  Write(reinterpret_cast<std::byte*>(m.c), poison);
  ASSERT_TRUE(device().BeginCapture(stream_).ok());
  device().Matmul(stream_, m);
  const absl::StatusOr<GraphHandle> graph = device().EndCapture();
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::vector<MatmulArgs> others(6, m);
  std::vector<StreamHandle> streams;
  for (MatmulArgs& other : others) {
    other.c = Upload(poison);
    streams.push_back(Stream());
  }
  for (int i = 0; i < 3; ++i) {
    device().Replay(stream_, *graph);
    for (size_t s = 0; s < others.size(); ++s) device().Matmul(streams[s], others[s]);
  }
  Synchronize();
  EXPECT_EQ(Download(m.c, poison.size()), expected);
  for (const MatmulArgs& other : others) EXPECT_EQ(Download(other.c, poison.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(On, Matmul, testing::ValuesIn(ConcurrentDevicesUnderTest()), NameOf);

}  // namespace
}  // namespace bufplan::runtime
