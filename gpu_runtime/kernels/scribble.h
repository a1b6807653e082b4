// Garbage for bytes that hold nothing, and the check that it lies there untouched: poison and guards.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_SCRIBBLE_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_SCRIBBLE_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/boxes.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// The byte at index b is MixedByte(seed, b).
struct ScribbleBoxes {
  static constexpr KernelId kId = KernelId::kScribbleBoxes;
  struct Args {
    BoxList boxes;  // a: from `base`; b: index
    std::byte* base = nullptr;
    uint64_t seed = 0;
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    MixBoxes::Run({args.boxes, args.base, nullptr, 0, false, args.seed}, team, item);
  }
};

// Lowers `*first` to the least index of a byte that is another one.
struct VerifyBoxes {
  static constexpr KernelId kId = KernelId::kVerifyBoxes;
  struct Args {
    BoxList boxes;
    const std::byte* base = nullptr;
    uint64_t seed = 0;
    uint64_t* first = nullptr;  // begins at all ones
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    ForEachRun(args.boxes, team, item, [&](int64_t a, int64_t b, int64_t bytes, int32_t rank, int32_t size) {
      const std::byte* p = args.base + a;
      const WordSplit split = SplitWords(b, bytes);
      for (int64_t w = rank - 1; w <= split.words; w += size) {
        // Word -1 is the head, word split.words the tail.
        const int64_t begin = w < 0 ? 0 : split.head + 8 * w;
        int64_t end = w < 0 ? split.head : begin + 8;
        if (end > bytes) end = bytes;
        if (end - begin == 8 && LoadWord(p + begin) == MixedWord(args.seed, (b + begin) / 8)) continue;
        for (int64_t i = begin; i < end; ++i) {
          if (p[i] == MixedByte(args.seed, b + i)) continue;
          AtomicMin(args.first, static_cast<uint64_t>(b + i));
          return;
        }
      }
    });
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_SCRIBBLE_H_
