#include "examples/decoder/weights.h"

#include <cmath>
#include <cstring>

#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/mix.h"

namespace bufplan::decoder {
namespace {

using runtime::ElementType;

// In [-1, 1).
double Uniform(uint64_t seed, int64_t i) {
  return static_cast<double>(runtime::MixedWord(seed, i) >> 11) * 0x1p-52 - 1.0;
}

void Put(float x, ElementType type, std::byte* to) {
  if (type == ElementType::kF32) {
    std::memcpy(to, &x, sizeof(x));
    return;
  }
  const uint16_t half = type == ElementType::kF16 ? runtime::NarrowF16(x) : runtime::NarrowBF16(x);
  std::memcpy(to, &half, sizeof(half));
}

}  // namespace

std::vector<std::byte> WeightBytes(const Weight& weight, uint64_t seed, size_t number) {
  const uint64_t own = runtime::MixTwo(seed, number);
  const int64_t count = weight.rows * weight.columns, size = runtime::SizeOf(weight.type);
  std::vector<std::byte> bytes(static_cast<size_t>(count * size));
  const bool norm = weight.rows == 1;
  const double scale = norm ? 0.1 : std::sqrt(3.0 / static_cast<double>(weight.columns));
  for (int64_t i = 0; i < count; ++i) {
    const double x = (norm ? 1.0 : 0.0) + scale * Uniform(own, i);
    Put(static_cast<float>(x), weight.type, &bytes[static_cast<size_t>(i * size)]);
  }
  return bytes;
}

}  // namespace bufplan::decoder
