// Data for tests of kernels.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_KERNELS_SAMPLES_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_KERNELS_SAMPLES_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/kernels/half.h"
#include "gtest/gtest.h"
#include "tests/gpu_runtime/kernels/emulated_teams.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {

// In [-1, 1).
inline std::vector<float> RandomFloats(Rng& rng, int64_t count) {
  std::vector<float> all(static_cast<size_t>(count));
  for (float& x : all) x = static_cast<float>(rng.Between(-(1 << 23), (1 << 23) - 1)) / (1 << 23);
  return all;
}
inline std::vector<int32_t> RandomIds(Rng& rng, int64_t count, int64_t end) {
  std::vector<int32_t> all(static_cast<size_t>(count));
  for (int32_t& x : all) x = static_cast<int32_t>(rng.Between(0, end - 1));
  return all;
}

// An array of any element type, and what its elements are as f32.
struct Elements {
  ElementType type;
  std::vector<std::byte> bytes;
  std::vector<float> floats;
};
inline Elements RandomElements(Rng& rng, ElementType type, int64_t count) {
  Elements e{type, std::vector<std::byte>(static_cast<size_t>(count * SizeOf(type))), RandomFloats(rng, count)};
  for (int64_t i = 0; i < count; ++i) {
    StoreElement(type, e.bytes.data(), i, e.floats[static_cast<size_t>(i)]);
    e.floats[static_cast<size_t>(i)] = LoadElement(type, e.bytes.data(), i);
  }
  return e;
}

inline constexpr ElementType kElementTypes[] = {ElementType::kF32, ElementType::kF16, ElementType::kBF16};

// The host's way to run kernels, and teams of some threads.
inline std::vector<EmulationOptions> TeamsToTry() {
  return {
      {.team_size = 1, .teams = 1, .seed = 1}, {.team_size = 5, .teams = 3, .seed = 2}, {.team_size = 8, .seed = 3}};
}

// Each element within `relative` of what it should be, or within `absolute`.
inline void ExpectNear(const std::vector<float>& found, const std::vector<double>& expected, double relative,
                       double absolute) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const double off = std::abs(static_cast<double>(found[i]) - expected[i]);
    ASSERT_LE(off, std::max(absolute, relative * std::abs(expected[i])))
        << "at " << i << ": " << found[i] << ", expected " << expected[i];
  }
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_KERNELS_SAMPLES_H_
