// Lists of strided boxes: which bytes a kernel touches, in which order.
//
// A box pairs two places byte by byte: address `a` of one memory with address `b` of another, or with an index that
// counts bytes in the order of a region:
//
//   run j of box   a + i0 * a_stride[0] + i1 * a_stride[1] + ...    pairs with    b + i0 * b_stride[0] + ...
//                  (i0, i1, ... the digits of j, the last one fastest), run_bytes bytes each
//
// Kernels are launched over items; an item is some runs of one box, about kItemBytes. gpu_runtime/steps/box_list.h
// makes such lists.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_BOXES_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_BOXES_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

inline constexpr int kMaxBoxDims = 6;
inline constexpr int64_t kItemBytes = 64 << 10;

struct Box {
  int64_t a = 0, b = 0;
  int64_t run_bytes = 0;  // > 0
  int32_t num_dims = 0;
  int64_t count[kMaxBoxDims] = {}, a_stride[kMaxBoxDims] = {}, b_stride[kMaxBoxDims] = {};
  int64_t num_runs = 1;  // the product of the counts; > 0
  // How the list is cut into items.
  int64_t first_item = 0;  // of the list, that is of this box
  int64_t runs_per_item = 1;
};

// In the memory of the device.
struct BoxList {
  const Box* boxes = nullptr;
  int32_t num_boxes = 0;
};

// The box that an item is of.
BUFPLAN_DEVICE const Box& BoxOfItem(const BoxList& list, int64_t item) {
  int32_t low = 0, high = list.num_boxes;
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    (list.boxes[middle].first_item <= item ? low : high) = middle;
  }
  return list.boxes[low];
}

// Calls f(a, b, bytes, rank, size) for the runs of an item: `size` threads, of which this one is the `rank`th, share
// the bytes of the run. Long runs are shared by the team, short ones have a thread each.
template <class Team, class F>
BUFPLAN_DEVICE void ForEachRun(const BoxList& list, Team& team, int64_t item, const F& f) {
  const Box& box = BoxOfItem(list, item);
  const bool shared = box.run_bytes >= 256;
  const int64_t begin = (item - box.first_item) * box.runs_per_item;
  const int64_t end = begin + box.runs_per_item < box.num_runs ? begin + box.runs_per_item : box.num_runs;
  for (int64_t run = begin + (shared ? 0 : team.rank()); run < end; run += shared ? 1 : team.size()) {
    int64_t a = box.a, b = box.b, rest = run;
    for (int d = box.num_dims - 1; d > 0; --d) {
      const int64_t digit = rest % box.count[d];
      rest /= box.count[d];
      a += digit * box.a_stride[d];
      b += digit * box.b_stride[d];
    }
    if (box.num_dims > 0) {
      a += rest * box.a_stride[0];
      b += rest * box.b_stride[0];
    }
    f(a, b, box.run_bytes, shared ? team.rank() : 0, shared ? team.size() : 1);
  }
}

// Eight bytes at any address, the first one lowest.
BUFPLAN_DEVICE uint64_t LoadWord(const std::byte* p) {
  uint64_t word = 0;
#ifdef BUFPLAN_ON_DEVICE
  if (reinterpret_cast<uintptr_t>(p) % 8 == 0) return *reinterpret_cast<const uint64_t*>(p);
  for (int i = 0; i < 8; ++i) word |= static_cast<uint64_t>(p[i]) << (8 * i);
#else
  __builtin_memcpy(&word, p, 8);
#endif
  return word;
}
BUFPLAN_DEVICE void StoreWord(std::byte* p, uint64_t word) {
#ifdef BUFPLAN_ON_DEVICE
  if (reinterpret_cast<uintptr_t>(p) % 8 == 0) {
    *reinterpret_cast<uint64_t*>(p) = word;
    return;
  }
  for (int i = 0; i < 8; ++i) p[i] = static_cast<std::byte>(word >> (8 * i));
#else
  __builtin_memcpy(p, &word, 8);
#endif
}

// Of bytes [index, index + bytes): those before the first index that is a multiple of 8, and whole words behind them.
struct WordSplit {
  int64_t head = 0, words = 0;
};
BUFPLAN_DEVICE WordSplit SplitWords(int64_t index, int64_t bytes) {
  WordSplit split;
  split.head = (8 - index % 8) % 8;
  if (split.head > bytes) split.head = bytes;
  split.words = (bytes - split.head) / 8;
  return split;
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_BOXES_H_
