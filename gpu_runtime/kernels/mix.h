// The mixing op: reads every byte that it declares to read, and writes every byte that it declares to write as a
// function of what it read, of itself and of the byte's place. It stands for any op of any framework: if a plan gives
// it one wrong byte to read, all that it writes is wrong.
//
// HashBoxes reads: its slot grows by the sum over words of `word k * Key(k) + its bytes reversed * SecondKey(k)`, where
// word k are bytes [8k, 8k + 8) of the region in its own order. The sum is linear in each byte, so it does not matter
// how bytes are cut into boxes, runs and items; bytes that are left out count as zero. Reversed, as the highest bits of
// a word hardly count in its product. MixBoxes writes: word k of the region is Mix(h, k), h made of the slots of all
// reads and of the seed.
#ifndef BUFPLAN_GPU_RUNTIME_KERNELS_MIX_H_
#define BUFPLAN_GPU_RUNTIME_KERNELS_MIX_H_

#include <cstddef>
#include <cstdint>

#include "gpu_runtime/kernels/boxes.h"
#include "gpu_runtime/kernels/kernel_id.h"
#include "gpu_runtime/kernels/portable.h"

namespace bufplan::runtime {

// A bijection of words whose outputs look independent: the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast
// splittable pseudorandom number generators", OOPSLA 2014).
BUFPLAN_DEVICE constexpr uint64_t MixWord(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
BUFPLAN_DEVICE constexpr uint64_t MixTwo(uint64_t a, uint64_t b) {
  return MixWord(a ^ MixWord(b + 0x9e3779b97f4a7c15u));
}

// The factor of word k of what is read; odd.
BUFPLAN_DEVICE constexpr uint64_t HashKey(int64_t word) {
  uint64_t x = static_cast<uint64_t>(word + 1) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return (x * 0xd6e8feb86659fd93u) | 1;
}
BUFPLAN_DEVICE constexpr uint64_t SecondHashKey(uint64_t key) { return (key * 0x9fb21c651e98df25u) | 1; }
// What a byte adds: `place` of its word, k of which the key is.
BUFPLAN_DEVICE constexpr uint64_t HashOfByte(uint64_t byte, int64_t place, uint64_t key) {
  return (byte << (8 * place)) * key + (byte << (56 - 8 * place)) * SecondHashKey(key);
}
BUFPLAN_DEVICE constexpr uint64_t ReverseBytes(uint64_t x) {
  x = ((x & 0x00ff00ff00ff00ffu) << 8) | ((x >> 8) & 0x00ff00ff00ff00ffu);
  x = ((x & 0x0000ffff0000ffffu) << 16) | ((x >> 16) & 0x0000ffff0000ffffu);
  return (x << 32) | (x >> 32);
}
// Word k of what is written.
BUFPLAN_DEVICE constexpr uint64_t MixedWord(uint64_t seed, int64_t word) {
  return MixWord(seed + static_cast<uint64_t>(word + 1) * 0x9e3779b97f4a7c15u);
}
BUFPLAN_DEVICE constexpr std::byte MixedByte(uint64_t seed, int64_t index) {
  return static_cast<std::byte>(MixedWord(seed, index / 8) >> (8 * (index % 8)));
}
// Whether cover "part" leaves the old byte at that index of the region.
BUFPLAN_DEVICE constexpr bool KeepsOldByte(uint64_t seed, int64_t index) {
  return (MixTwo(seed, static_cast<uint64_t>(index)) & 1) != 0;
}

struct HashBoxes {
  static constexpr KernelId kId = KernelId::kHashBoxes;
  struct Args {
    BoxList boxes;  // a: from `base`; b: index
    const std::byte* base = nullptr;
    uint64_t* slot = nullptr;  // is added to
  };
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    uint64_t sum = 0;
    ForEachRun(args.boxes, team, item, [&](int64_t a, int64_t b, int64_t bytes, int32_t rank, int32_t size) {
      const std::byte* p = args.base + a;
      const WordSplit split = SplitWords(b, bytes);
      if (rank == 0) sum += HashBytes(p, b, split.head);
      const std::byte* words = p + split.head;
      const int64_t first = (b + split.head) / 8;
      for (int64_t w = rank; w < split.words; w += size) {
        const uint64_t word = LoadWord(words + 8 * w), key = HashKey(first + w);
        sum += word * key + ReverseBytes(word) * SecondHashKey(key);
      }
      const int64_t done = split.head + 8 * split.words;
      if (rank == 0) sum += HashBytes(p + done, b + done, bytes - done);
    });
    if (sum != 0) AtomicAdd(args.slot, sum);
  }

 private:
  static BUFPLAN_DEVICE uint64_t HashBytes(const std::byte* p, int64_t index, int64_t bytes) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < bytes; ++i) {
      sum += HashOfByte(static_cast<uint64_t>(p[i]), (index + i) % 8, HashKey((index + i) / 8));
    }
    return sum;
  }
};

struct MixBoxes {
  static constexpr KernelId kId = KernelId::kMixBoxes;
  struct Args {
    BoxList boxes;  // a: from `base`; b: index
    std::byte* base = nullptr;
    const uint64_t* slots = nullptr;  // of what the op read
    int32_t num_slots = 0;
    bool keep_some = false;  // where KeepsOldByte, the old byte stays
    uint64_t seed = 0;       // of the op and the result
  };
  static BUFPLAN_DEVICE uint64_t SeedOf(const Args& args) {
    uint64_t seed = args.seed;
    for (int32_t i = 0; i < args.num_slots; ++i) seed = MixTwo(seed, args.slots[i]);
    return seed;
  }
  template <class Team>
  static BUFPLAN_DEVICE void Run(const Args& args, Team& team, int64_t item) {
    const uint64_t seed = SeedOf(args);
    ForEachRun(args.boxes, team, item, [&](int64_t a, int64_t b, int64_t bytes, int32_t rank, int32_t size) {
      std::byte* p = args.base + a;
      if (args.keep_some) {
        for (int64_t i = rank; i < bytes; i += size) {
          if (!KeepsOldByte(args.seed, b + i)) p[i] = MixedByte(seed, b + i);
        }
        return;
      }
      const WordSplit split = SplitWords(b, bytes);
      const int64_t done = split.head + 8 * split.words;
      if (rank == 0) {
        for (int64_t i = 0; i < split.head; ++i) p[i] = MixedByte(seed, b + i);
        for (int64_t i = done; i < bytes; ++i) p[i] = MixedByte(seed, b + i);
      }
      const int64_t first = (b + split.head) / 8;
      for (int64_t w = rank; w < split.words; w += size) {
        StoreWord(p + split.head + 8 * w, MixedWord(seed, first + w));
      }
    });
  }
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_KERNELS_MIX_H_
