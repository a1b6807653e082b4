// The kernels of every device against plain loops over bytes: lists of boxes of all shapes, at all alignments.
#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "gmock/gmock.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/kernels/all_kernels.h"
#include "tests/gpu_runtime/device/device_under_test.h"

namespace bufplan::runtime {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint64_t kNone = ~uint64_t{0};

uint64_t ByteOfWord(uint64_t word, int64_t index) { return (word >> (8 * (index % 8))) & 255; }

struct Boxes {
  std::vector<Box> boxes;
  int64_t a_bytes = 0, b_bytes = 0;  // All that boxes touch is below these.
  int64_t items = 0;
};

// Boxes that do not meet, neither in a nor in b, with gaps between all runs.
Boxes RandomBoxes(std::mt19937_64& random, int32_t num_boxes) {
  Boxes list;
  list.a_bytes = static_cast<int64_t>(random() % 9);
  list.b_bytes = static_cast<int64_t>(random() % 9);
  for (int32_t n = 0; n < num_boxes; ++n) {
    Box box;
    constexpr int64_t kLongest[] = {1, 7, 40, 300, 3000};
    box.run_bytes = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(kLongest[random() % 5]));
    box.num_dims = static_cast<int32_t>(random() % (kMaxBoxDims + 1));
    int64_t a_pitch = box.run_bytes, b_pitch = box.run_bytes;
    for (int d = box.num_dims; d-- > 0;) {
      box.count[d] = 1 + static_cast<int64_t>(random() % 3);
      box.a_stride[d] = a_pitch + static_cast<int64_t>(random() % 10);
      box.b_stride[d] = b_pitch + static_cast<int64_t>(random() % 10);
      a_pitch = box.a_stride[d] * box.count[d];
      b_pitch = box.b_stride[d] * box.count[d];
      box.num_runs *= box.count[d];
    }
    box.a = list.a_bytes;
    box.b = list.b_bytes;
    box.first_item = list.items;
    box.runs_per_item = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(box.num_runs));
    list.items += (box.num_runs + box.runs_per_item - 1) / box.runs_per_item;
    list.a_bytes += a_pitch + static_cast<int64_t>(random() % 20);
    list.b_bytes += b_pitch + static_cast<int64_t>(random() % 20);
    list.boxes.push_back(box);
  }
  return list;
}

// Very many items, which no device runs at once: single bytes.
Boxes ManyItems() {
  Box box = {.a = 3, .b = 5, .run_bytes = 1, .num_dims = 1, .count = {150'001}, .a_stride = {2}, .b_stride = {1}};
  box.num_runs = box.count[0];
  return {{box}, 3 + 2 * 150'001, 5 + 150'001, 150'001};
}

// Calls f(a, b) for every byte.
void ForEachByte(const Boxes& list, const std::function<void(int64_t, int64_t)>& f) {
  for (const Box& box : list.boxes) {
    for (int64_t run = 0; run < box.num_runs; ++run) {
      int64_t a = box.a, b = box.b, rest = run;
      for (int d = box.num_dims; d-- > 0; rest /= box.count[d]) {
        a += rest % box.count[d] * box.a_stride[d];
        b += rest % box.count[d] * box.b_stride[d];
      }
      for (int64_t i = 0; i < box.run_bytes; ++i) f(a + i, b + i);
    }
  }
}

class Kernels : public DeviceTest {
 protected:
  Bytes RandomBytes(int64_t count) {
    Bytes bytes(static_cast<size_t>(count));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random_());
    return bytes;
  }
  // Memory of these bytes at an address that is `shift` behind an aligned one.
  std::byte* UploadAt(size_t shift, const Bytes& bytes) {
    std::byte* memory = Memory(bytes.size() + shift) + shift;
    Write(memory, bytes);
    return memory;
  }
  Bytes Read(const std::byte* from, size_t count) { return Download(reinterpret_cast<const uint8_t*>(from), count); }
  BoxList UploadBoxes(const Boxes& list) { return {Upload(list.boxes), static_cast<int32_t>(list.boxes.size())}; }
  template <class Kernel>
  void Run(int64_t items, const typename Kernel::Args& arguments) {
    device().Launch<Kernel>(stream_, items, arguments);
    Synchronize();
  }
  // Calls f(list, shift) for several lists of boxes and alignments of memory.
  void ForEachList(const std::function<void(const Boxes&, size_t)>& f) {
    stream_ = Stream();
    for (int i = 0; i < 24; ++i) {
      SCOPED_TRACE(i);
      f(RandomBoxes(random_, 1 + i % 6), static_cast<size_t>(i % 9));
      if (HasFatalFailure()) return;
    }
    f(ManyItems(), 1);
  }
  // Changes a byte that the list touches, and returns the least such b of `times` of them.
  uint64_t Spoil(const Boxes& list, Bytes& bytes, bool by_a, int times) {
    std::vector<std::pair<int64_t, int64_t>> all;
    ForEachByte(list, [&](int64_t a, int64_t b) { all.push_back({a, b}); });
    uint64_t least = kNone;
    for (int i = 0; i < times; ++i) {
      const auto [a, b] = all[random_() % all.size()];
      // Once or twice: spoiling a byte again does not repair it.
      bytes[static_cast<size_t>(by_a ? a : b)] += 17;
      least = std::min(least, static_cast<uint64_t>(b));
    }
    return least;
  }

  std::mt19937_64 random_{7};
  StreamHandle stream_;
};

// Words are those of SplitMix64, here the first of seed 0 as it is published.
TEST_P(Kernels, WordsAreThePublishedOnes) {
  stream_ = Stream();
  std::byte* word = Memory(8);
  const Boxes list = {{{.run_bytes = 8}}, 8, 8, 1};
  Run<ScribbleBoxes>(1, {UploadBoxes(list), word, 0});
  EXPECT_EQ(Download(reinterpret_cast<const uint64_t*>(word)), 0xe220a8397b1dcdafu);
}

TEST_P(Kernels, DelayTakesItsTime) {
  const StreamHandle s = Stream();
  for (const int64_t items : {1, 3}) {
    const auto begin = std::chrono::steady_clock::now();
    device().Launch<Delay>(s, items, {.nanoseconds = 3'000'000});
    Synchronize();
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(3));
  }
}

TEST_P(Kernels, HashBoxesSumsWordsTimesKeys) {
  ForEachList([this](const Boxes& list, size_t shift) {
    const Bytes bytes = RandomBytes(list.a_bytes);
    uint64_t* slot = Upload(std::vector<uint64_t>{1000});
    uint64_t expected = 1000;
    ForEachByte(list, [&](int64_t a, int64_t b) {
      expected += (uint64_t{bytes[static_cast<size_t>(a)]} << (8 * (b % 8))) * HashKey(b / 8) +
                  (uint64_t{bytes[static_cast<size_t>(a)]} << (56 - 8 * (b % 8))) * SecondHashKey(HashKey(b / 8));
    });
    Run<HashBoxes>(list.items, {UploadBoxes(list), UploadAt(shift, bytes), slot});
    ASSERT_EQ(Download(slot), expected);
  });
}

// Changes in the same high bit of several words do not cancel.
TEST_P(Kernels, HashBoxesSeesTheHighBitsOfWords) {
  const Boxes list = {{{.run_bytes = 64}}, 64, 64, 1};
  Bytes bytes(64, 0);
  const auto hash = [&] {
    uint64_t* slot = Upload(std::vector<uint64_t>{0});
    Run<HashBoxes>(1, {UploadBoxes(list), UploadAt(0, bytes), slot});
    return Download(slot);
  };
  std::vector<uint64_t> hashes = {hash()};
  for (size_t word = 0; word < 8; ++word) {
    bytes[8 * word + 7] = 0x80;
    hashes.push_back(hash());
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST_P(Kernels, MixBoxesWritesWhatItDeclares) {
  ForEachList([this](const Boxes& list, size_t shift) {
    for (const bool keep_some : {false, true}) {
      Bytes bytes = RandomBytes(list.a_bytes);
      std::byte* memory = UploadAt(shift, bytes);
      const std::vector<uint64_t> slots = {random_(), random_(), random_()};
      const uint64_t seed = random_();
      uint64_t word_seed = seed;
      for (const uint64_t slot : slots) word_seed = MixTwo(word_seed, slot);
      ForEachByte(list, [&](int64_t a, int64_t b) {
        if (keep_some && (MixTwo(seed, static_cast<uint64_t>(b)) & 1) != 0) return;
        bytes[static_cast<size_t>(a)] = static_cast<uint8_t>(ByteOfWord(MixedWord(word_seed, b / 8), b));
      });
      Run<MixBoxes>(list.items, {UploadBoxes(list), memory, Upload(slots), 3, keep_some, seed});
      ASSERT_EQ(Read(memory, bytes.size()), bytes);
    }
  });
}

TEST_P(Kernels, MoveBoxesMovesWhatItDeclares) {
  ForEachList([this](const Boxes& list, size_t shift) {
    const Bytes from = RandomBytes(list.a_bytes);
    Bytes to = RandomBytes(list.b_bytes);
    std::byte* memory = UploadAt(8 - shift % 8, to);
    ForEachByte(list, [&](int64_t a, int64_t b) { to[static_cast<size_t>(b)] = from[static_cast<size_t>(a)]; });
    Run<MoveBoxes>(list.items, {UploadBoxes(list), UploadAt(shift, from), memory});
    ASSERT_EQ(Read(memory, to.size()), to);
  });
}

TEST_P(Kernels, CompareBoxesFindsTheFirstDifference) {
  ForEachList([this](const Boxes& list, size_t shift) {
    for (const int differences : {0, 1, 1, 5}) {
      const Bytes left = RandomBytes(list.a_bytes);
      Bytes right = RandomBytes(list.b_bytes);
      ForEachByte(list, [&](int64_t a, int64_t b) { right[static_cast<size_t>(b)] = left[static_cast<size_t>(a)]; });
      const uint64_t expected = Spoil(list, right, /*by_a=*/false, differences);
      uint64_t* first = Upload(std::vector<uint64_t>{kNone});
      Run<CompareBoxes>(list.items, {UploadBoxes(list), UploadAt(shift, left), UploadAt(shift * 3 % 8, right), first});
      ASSERT_EQ(Download(first), expected);
    }
  });
}

TEST_P(Kernels, ScribbleBoxesWritesWhatVerifyBoxesExpects) {
  ForEachList([this](const Boxes& list, size_t shift) {
    Bytes bytes = RandomBytes(list.a_bytes);
    std::byte* memory = UploadAt(shift, bytes);
    const uint64_t seed = random_();
    ForEachByte(list, [&](int64_t a, int64_t b) {
      bytes[static_cast<size_t>(a)] = static_cast<uint8_t>(ByteOfWord(MixedWord(seed, b / 8), b));
    });
    Run<ScribbleBoxes>(list.items, {UploadBoxes(list), memory, seed});
    ASSERT_EQ(Read(memory, bytes.size()), bytes);
    for (const int differences : {0, 1, 1, 4}) {
      Bytes spoiled = bytes;
      const uint64_t expected = Spoil(list, spoiled, /*by_a=*/true, differences);
      Write(memory, spoiled);
      uint64_t* first = Upload(std::vector<uint64_t>{kNone});
      Run<VerifyBoxes>(list.items, {UploadBoxes(list), memory, seed, first});
      ASSERT_EQ(Download(first), expected);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(On, Kernels, testing::ValuesIn(ConcurrentDevicesUnderTest()), NameOf);

}  // namespace
}  // namespace bufplan::runtime
