// Spoils texts at random: bytes, truncations, repetitions, numbers at their extremes, pieces of other texts. For fuzz
// tests.
//
// The same seed gives the same texts on every machine.
#ifndef BUFPLAN_TESTS_FUZZ_MUTATOR_H_
#define BUFPLAN_TESTS_FUZZ_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bufplan {

class Mutator {
 public:
  // `seeds` is not empty.
  Mutator(std::vector<std::string> seeds, uint64_t seed) : seeds_(std::move(seeds)), state_(seed) {}

  // One of the seeds with 0 to 4 changes.
  std::string Next();

 private:
  // Uniform in [0, bound), bound > 0.
  size_t Below(size_t bound);
  const std::string& AnySeed() { return seeds_[Below(seeds_.size())]; }
  void Change(std::string& text);
  void ReplaceNumber(std::string& text);
  void RepeatOrDropElement(std::string& text);

  std::vector<std::string> seeds_;
  uint64_t state_;
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_FUZZ_MUTATOR_H_
