#include "planner/placement/preference_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace bufplan {
namespace {

// Splitmix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  // In [-1, 1) * scale.
  int64_t Around(int64_t scale) { return static_cast<int64_t>(Next() % (2 * static_cast<uint64_t>(scale))) - scale; }

 private:
  uint64_t state_;
};

constexpr int kLogBits = 16;

// The binary logarithm of x > 0, times 2^kLogBits, without the differences between mathematical libraries.
int64_t Log2(int64_t x) {
  const int whole = 63 - std::countl_zero(static_cast<uint64_t>(x));
  uint64_t mantissa = static_cast<uint64_t>(x) << (63 - whole);  // [2^63, 2^64)
  mantissa >>= 32;                                               // [2^31, 2^32)
  int64_t log = whole;
  for (int bit = 0; bit < kLogBits; ++bit) {
    mantissa = (mantissa * mantissa) >> 31;
    const uint64_t carry = mantissa >> 32;
    mantissa >>= carry;
    log = 2 * log + static_cast<int64_t>(carry);
  }
  return log;
}

std::vector<int32_t> SortByKey(std::vector<std::pair<int64_t, int32_t>>& keyed) {
  std::sort(keyed.begin(), keyed.end());
  std::vector<int32_t> order;
  order.reserve(keyed.size());
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

}  // namespace

std::vector<int32_t> PreferenceOrder(const SectionProblem& problem, int64_t attempt) {
  std::vector<int64_t> length(problem.num_bars());
  for (size_t i = 0; i < length.size(); ++i) length[i] = problem.end[i] - problem.begin[i];
  return PreferenceOrder(problem.size, length, attempt);
}

std::vector<int32_t> PreferenceOrder(absl::Span<const int64_t> size, absl::Span<const int64_t> length,
                                     int64_t attempt) {
  // In units of the logarithm.
  constexpr int64_t kNoise[] = {int64_t{1} << (kLogBits - 1), 3 << (kLogBits - 1), 3 << kLogBits};
  const int64_t kind = attempt % 6, round = attempt / 6;
  const int64_t noise = round == 0 ? 0 : kNoise[round % 3];
  Random random(static_cast<uint64_t>(attempt) + 1);
  std::vector<std::pair<int64_t, int32_t>> keyed;
  keyed.reserve(size.size());
  for (size_t i = 0; i < size.size(); ++i) {
    const int64_t log_size = Log2(size[i]), log_length = Log2(length[i]);
    int64_t key = kind % 3 == 0 ? log_size : kind % 3 == 1 ? log_length : log_size + log_length;
    if (kind < 3) key = -key;
    if (noise > 0) key += random.Around(noise);
    keyed.emplace_back(key, static_cast<int32_t>(i));
  }
  return SortByKey(keyed);
}

std::vector<int32_t> OrderNear(absl::Span<const int64_t> offset, int64_t height, int64_t attempt) {
  // 2^-6 of the height up to a quarter of it.
  const int64_t noise = std::max<int64_t>(height >> (6 - attempt % 5), 1);
  Random random(static_cast<uint64_t>(attempt) + 1);
  std::vector<std::pair<int64_t, int32_t>> keyed;
  keyed.reserve(offset.size());
  for (size_t i = 0; i < offset.size(); ++i) {
    keyed.emplace_back(offset[i] + random.Around(noise), static_cast<int32_t>(i));
  }
  return SortByKey(keyed);
}

int64_t RunLength(int64_t run) {
  // Run 2^k - 2 is the last of a block that is the block before twice, and one run of length 2^(k-1).
  uint64_t place = static_cast<uint64_t>(run) + 1;
  while (!std::has_single_bit(place + 1)) place -= std::bit_floor(place) - 1;
  return static_cast<int64_t>((place + 1) / 2);
}

}  // namespace bufplan
