#include "gpu_runtime/kernels/half.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {
namespace {

std::vector<float> Interesting() {
  std::vector<float> all = {0.0f,
                            -0.0f,
                            1.0f,
                            65504.0f,
                            65519.996f,
                            65520.0f,
                            -65520.0f,
                            1e30f,
                            5.9604645e-8f,
                            2.9802322e-8f,
                            2.9802326e-8f,
                            6.1035156e-5f,
                            6.0975552e-5f,
                            3.4028235e38f,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()};
  Rng rng(7);
  for (int i = 0; i < 200000; ++i) {
    const float x = FloatOfBits(static_cast<uint32_t>(rng.Next()));
    if (!std::isnan(x)) all.push_back(x);
    // Of all sizes that f16 has.
    all.push_back(
        std::ldexp(static_cast<float>(rng.Between(-(1 << 24), 1 << 24)), static_cast<int>(rng.Between(-52, -7))));
  }
  // Ties.
  for (uint32_t h = 0; h < 0x7c00; ++h) {
    const float below = WidenF16(static_cast<uint16_t>(h)), above = WidenF16(static_cast<uint16_t>(h + 1));
    if (std::isfinite(above)) all.push_back((below + above) / 2);
  }
  return all;
}

TEST(Half, WidensAsEigenDoes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t h = static_cast<uint16_t>(bits);
    const float f16 = static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(h));
    const float bf16 = static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(h));
    if (std::isnan(f16)) {
      EXPECT_TRUE(std::isnan(WidenF16(h)));
    } else {
      EXPECT_EQ(BitsOfFloat(WidenF16(h)), BitsOfFloat(f16)) << bits;
    }
    if (std::isnan(bf16)) {
      EXPECT_TRUE(std::isnan(WidenBF16(h)));
    } else {
      EXPECT_EQ(BitsOfFloat(WidenBF16(h)), BitsOfFloat(bf16)) << bits;
    }
  }
}

TEST(Half, NarrowsAsEigenDoes) {
  for (float x : Interesting()) {
    ASSERT_EQ(NarrowF16(x), Eigen::numext::bit_cast<uint16_t>(Eigen::half(x))) << x;
    ASSERT_EQ(NarrowBF16(x), Eigen::numext::bit_cast<uint16_t>(Eigen::bfloat16(x))) << x;
  }
}

TEST(Half, ANanStaysOne) {
  for (uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xff800001u}) {
    EXPECT_TRUE(std::isnan(WidenF16(NarrowF16(FloatOfBits(bits)))));
    EXPECT_TRUE(std::isnan(WidenBF16(NarrowBF16(FloatOfBits(bits)))));
  }
}

}  // namespace
}  // namespace bufplan::runtime
