// Random numbers for generators and executions: the same on every machine, unlike the distributions of <random>.
//
// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
//
// COST: a few ns per number. THREADS: one at a time.
#ifndef BUFPLAN_TESTS_ORACLE_RANDOM_H_
#define BUFPLAN_TESTS_ORACLE_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bufplan {

// A bijection of 64-bit words whose outputs look independent.
constexpr uint64_t MixBits(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
constexpr uint64_t HashWords(uint64_t a, uint64_t b) { return MixBits(MixBits(a) ^ (b * 0xff51afd7ed558ccdu)); }
template <class... Rest>
constexpr uint64_t HashWords(uint64_t a, uint64_t b, Rest... rest) {
  return HashWords(HashWords(a, b), rest...);
}

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(MixBits(seed)) {}

  uint64_t Next() { return MixBits(state_ += 0x9e3779b97f4a7c15u); }
  // Uniform in [min, max]; min if the range is empty.
  int64_t Between(int64_t min, int64_t max) {
    return max <= min ? min : min + static_cast<int64_t>(Next() % static_cast<uint64_t>(max - min + 1));
  }
  size_t Below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(Next() % n); }
  bool Percent(int chance) { return Between(0, 99) < chance; }
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  template <class T>
  void Shuffle(std::vector<T>& v) {
    for (size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[Below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_RANDOM_H_
