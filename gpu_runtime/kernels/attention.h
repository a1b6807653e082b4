// Attention of query rows over cached keys and values, several query heads to one of them (GQA).
//
//   y[r, h] = sum over t of softmax over t (scale * q[r, h] . k[t, g]) * v[t, g]        g = h / (heads / kv_heads)
//
// over positions 0 <= t < length; causal: the query rows are the last `rows` positions, and row r sees
// t < length - rows + 1 + r. Keys and values lie anyhow: head g of position t begins at
// g * head_stride_bytes + t * position_stride_bytes.
//
// Each thread takes every size()th position and keeps a running maximum, sum and weighted value ("online softmax":
// Milakov, Gimelshein, 2018; Dao et al.: "FlashAttention", 2022); then the team adds them up in a fixed order.
//
// COST: an item reads each key and value it sees once; head_dim sums over the team at the end. Few rows and heads leave
// a large device idle.
//
// ALIASING: y on q: an item reads one head of one row, and writes the same one after all threads have read it.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_ATTENTION_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_ATTENTION_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"
#include "gpu_runtime/kernels/softmax.h"

namespace bufplan::runtime {

struct Cache {
  const std::byte* data = nullptr;
  int64_t head_stride_bytes = 0, position_stride_bytes = 0;
};

struct Attention {
  static constexpr KernelId kId = KernelId::kAttention;
  static constexpr int64_t kMaxHeadDim = 256;
  struct Args {
    const float* q = nullptr;  // rows x heads x head_dim
    Cache k, v;
    float* y = nullptr;  // as q
    int64_t rows = 0, heads = 0, kv_heads = 0;
    int64_t head_dim = 0;  // <= kMaxHeadDim
    int64_t length = 0;    // causal: >= rows
    float scale = 1.0f;
    bool causal = false;
    ElementType type = ElementType::kF32;  // of k and v
  };

  // Items: rows * heads.
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const int64_t row = item / args.heads, group = item % args.heads / (args.heads / args.kv_heads);
    const float* q = args.q + item * args.head_dim;
    float* y = args.y + item * args.head_dim;
    const int64_t seen = args.causal ? args.length - args.rows + 1 + row : args.length;
    const std::byte* k = args.k.data + group * args.k.head_stride_bytes;
    const std::byte* v = args.v.data + group * args.v.head_stride_bytes;

    Running own;
    for (int64_t t = team.rank(); t < seen; t += team.size()) {
      const std::byte* key = k + t * args.k.position_stride_bytes;
      float dot = 0.0f;
      for (int64_t d = 0; d < args.head_dim; ++d) dot += q[d] * LoadElement(args.type, key, d);
      own.Take(dot * args.scale, args.type, v + t * args.v.position_stride_bytes, args.head_dim);
    }
    const float max = team.Max(own.max);
    const float factor = own.sum == 0.0f ? 0.0f : expf(own.max - max);
    const float sum = team.Sum(own.sum * factor);
    for (int64_t d = 0; d < args.head_dim; ++d) {
      const float value = team.Sum(factor == 0.0f ? 0.0f : own.weighted[d] * factor);
      if (d % team.size() == team.rank()) y[d] = sum == 0.0f ? 0.0f : value / sum;
    }
  }

 private:
  struct Running {
    float max = kLeastFloat, sum = 0.0f;
    float weighted[kMaxHeadDim];  // not set before the first Take

    BUFPLAN_DEVICE void Take(float score, ElementType type, const std::byte* value, int64_t head_dim) {
      const float above = fmaxf(max, score);
      const float old = sum == 0.0f ? 0.0f : expf(max - above), fresh = expf(score - above);
      max = above;
      sum = sum * old + fresh;
      for (int64_t d = 0; d < head_dim; ++d) {
        const float before = old == 0.0f ? 0.0f : weighted[d] * old;
        weighted[d] = before + fresh * LoadElement(type, value, d);
      }
    }
  };
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_ATTENTION_H_
