// A product of matrices as the devices' libraries take it.
//
//   c[i, j] = beta * c[i, j] + sum over k of a[i, k] * b[j, k]       all row-major; b transposed, as weights lie
//
// `c` is f32; sums are made in f32. Element [i, k] of `a` is at a + (i * a_stride + k) * its size, and so on; of batch
// n at `n * a_batch_stride` elements beyond.
#ifndef BUFPLAN_GPU_RUNTIME_DEVICE_MATMUL_H_
#define BUFPLAN_GPU_RUNTIME_DEVICE_MATMUL_H_

#include <cstdint>

namespace bufplan::runtime {

enum class ElementType : uint8_t { kF32, kF16, kBF16 };

constexpr int64_t SizeOf(ElementType type) { return type == ElementType::kF32 ? 4 : 2; }

struct MatmulArgs {
  const void* a = nullptr;  // rows x inner
  const void* b = nullptr;  // columns x inner
  float* c = nullptr;       // rows x columns
  int64_t rows = 0, columns = 0, inner = 0;
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;  // elements from row to row
  int64_t batches = 1;
  int64_t a_batch_stride = 0, b_batch_stride = 0, c_batch_stride = 0;  // elements
  ElementType type = ElementType::kF32;                                // of a and b
  float beta = 0.0f;                                                   // 0: c is not read
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_DEVICE_MATMUL_H_
