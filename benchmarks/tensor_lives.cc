#include "benchmarks/tensor_lives.h"

#include <algorithm>

namespace bufplan {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014), as the standard's distributions differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  int64_t Below(int64_t bound) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(bound)); }

  // In [low, high), low > 0. The scale is log-linear between powers of two, as that needs no logarithm, of which
  // libraries round the last digit as they like.
  int64_t OnLogScale(int64_t low, int64_t high) {
    for (;;) {
      int octaves = 1;
      while (low << octaves < high) ++octaves;
      const int64_t base = low << Below(octaves);
      const int64_t value = base + Below(base);
      if (value < high) return value;
    }
  }

 private:
  uint64_t state_;
};

}  // namespace

PlacementProblem RandomTensorLives(const TensorLives& lives) {
  Random random(lives.seed);
  const int64_t n = static_cast<int64_t>(lives.num_storages);
  PlacementProblem problem;
  problem.storages.resize(lives.num_storages);
  problem.pieces.resize(lives.num_storages);
  for (size_t s = 0; s < lives.num_storages; ++s) {
    const int64_t begin = random.Below(n);
    const bool is_long = random.Below(10) == 0;
    const int64_t life = is_long ? random.OnLogScale(32, lives.longest_life) : random.OnLogScale(1, 32);
    const int64_t size = random.OnLogScale(lives.least_bytes, lives.most_bytes);
    problem.storages[s] = {size, lives.alignment_bytes, {}, static_cast<uint32_t>(s), 1};
    problem.pieces[s] = {begin, std::min(begin + life, n), 0, size};
  }
  return problem;
}

}  // namespace bufplan
