#include "benchmarks/random_problem.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"

namespace bufplan {

Problem RandomProblem(int64_t num_buffers, uint64_t seed) {
  constexpr int64_t kStepsPerBuffer = 16, kShortest = 480, kGrain = 64;
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  const int64_t steps = std::max<int64_t>(num_buffers, 1) * kStepsPerBuffer;
  Problem problem;
  problem.name = absl::StrCat("random-", num_buffers);
  problem.alignment_bytes = kGrain;
  problem.buffers.resize(static_cast<size_t>(num_buffers));
  for (int64_t i = 0; i < num_buffers; ++i) {
    Buffer& b = problem.buffers[static_cast<size_t>(i)];
    b.name = absl::StrCat("b", i);
    b.begin = below(steps);
    int64_t octave = kShortest;
    while (octave < steps && below(1000) < 354) octave *= 2;
    b.end = b.begin + std::clamp<int64_t>(octave + below(octave), 1, std::max<int64_t>(steps / 4, 1));
    const int64_t size = kGrain << below(16);
    b.bytes = (size + below(size)) / kGrain * kGrain;
  }
  return problem;
}

}  // namespace bufplan
