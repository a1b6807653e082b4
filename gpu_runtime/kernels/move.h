// Data movement, and its check: strided boxes from one memory to another.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_MOVE_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_MOVE_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/boxes.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// Copies; what is read and what is written do not overlap.
struct MoveBoxes {
  static constexpr KernelId kId = KernelId::kMoveBoxes;
  struct Args {
    BoxList boxes;  // a: in `from`; b: in `to`
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachRun(args.boxes, team, item, [&](int64_t a, int64_t b, int64_t bytes, int32_t rank, int32_t size) {
      const std::byte* from = args.from + a;
      std::byte* to = args.to + b;
      const int64_t words = bytes / 8;
      for (int64_t w = rank; w < words; w += size) StoreWord(to + 8 * w, LoadWord(from + 8 * w));
      for (int64_t i = 8 * words + rank; i < bytes; i += size) to[i] = from[i];
    });
  }
};

// Lowers `*first` to the least `b` of a byte at which both differ.
struct CompareBoxes {
  static constexpr KernelId kId = KernelId::kCompareBoxes;
  struct Args {
    BoxList boxes;  // a: in `left`; b: in `right`
    const std::byte* left = nullptr;
    const std::byte* right = nullptr;
    uint64_t* first = nullptr;  // begins at all ones
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachRun(args.boxes, team, item, [&](int64_t a, int64_t b, int64_t bytes, int32_t rank, int32_t size) {
      const std::byte *left = args.left + a, *right = args.right + b;
      for (int64_t w = rank; 8 * w < bytes; w += size) {
        const int64_t end = 8 * w + 8 < bytes ? 8 * w + 8 : bytes;
        if (end == 8 * w + 8 && LoadWord(left + 8 * w) == LoadWord(right + 8 * w)) continue;
        for (int64_t i = 8 * w; i < end; ++i) {
          if (left[i] == right[i]) continue;
          AtomicMin(args.first, static_cast<uint64_t>(b + i));
          return;
        }
      }
    });
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_MOVE_H_
