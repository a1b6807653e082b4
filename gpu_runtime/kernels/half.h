// The 16-bit floating-point types by bit operations: the same bits on every device.
//
//   f16    1 sign, 5 exponent, 10 mantissa bits (IEEE 754 binary16)
//   bf16   1 sign, 8 exponent, 7 mantissa bits: the upper half of an f32
//
// Widening is exact. Narrowing rounds to nearest, ties to even; what is too large becomes infinity, a NaN stays one.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_HALF_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_HALF_H_

#include <cstdint>

#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

BUFPLAN_DEVICE uint32_t BitsOfFloat(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
BUFPLAN_DEVICE float FloatOfBits(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

BUFPLAN_DEVICE float WidenF16(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu, mantissa = h & 0x3ffu;
  if (exponent == 0x1f) return FloatOfBits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return FloatOfBits(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Subnormal or zero: mantissa * 2^-24, exact.
  const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
  return FloatOfBits(sign | BitsOfFloat(magnitude));
}

// bits >> shift, rounded to nearest, ties to even. 1 <= shift <= 31.
BUFPLAN_DEVICE uint32_t ShiftRounded(uint32_t bits, uint32_t shift) {
  const uint32_t kept = bits >> shift, rest = bits & ((1u << shift) - 1), half = 1u << (shift - 1);
  return kept + ((rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
}

BUFPLAN_DEVICE uint16_t NarrowF16(float x) {
  const uint32_t bits = BitsOfFloat(x);
  const uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t half = 0;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u;  // NaN
  } else if (magnitude >= 0x477ff000u) {
    half = 0x7c00u;  // 65520 and above
  } else if (magnitude >= 0x38800000u) {
    half = ShiftRounded(magnitude - (112u << 23), 13);  // a carry moves into the exponent, as it should
  } else if (magnitude >= 0x33000000u) {
    half = ShiftRounded((magnitude & 0x7fffffu) | 0x800000u, 126 - (magnitude >> 23));  // subnormal
  }
  return static_cast<uint16_t>(sign | half);
}

BUFPLAN_DEVICE float WidenBF16(uint16_t b) { return FloatOfBits(static_cast<uint32_t>(b) << 16); }
BUFPLAN_DEVICE uint16_t NarrowBF16(float x) {
  const uint32_t bits = BitsOfFloat(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

// Element i of an array of that type.
BUFPLAN_DEVICE float LoadElement(ElementType type, const void* array, int64_t i) {
  if (type == ElementType::kF32) return static_cast<const float*>(array)[i];
  const uint16_t bits = static_cast<const uint16_t*>(array)[i];
  return type == ElementType::kF16 ? WidenF16(bits) : WidenBF16(bits);
}
BUFPLAN_DEVICE void StoreElement(ElementType type, void* array, int64_t i, float x) {
  if (type == ElementType::kF32) {
    static_cast<float*>(array)[i] = x;
  } else {
    static_cast<uint16_t*>(array)[i] = type == ElementType::kF16 ? NarrowF16(x) : NarrowBF16(x);
  }
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_HALF_H_
