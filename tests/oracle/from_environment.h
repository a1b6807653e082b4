// Numbers that scale random tests: bazel test --test_env=BUFPLAN_RANDOM_GRAPHS=2000 TARGET
#ifndef BUFPLAN_TESTS_ORACLE_FROM_ENVIRONMENT_H_
#define BUFPLAN_TESTS_ORACLE_FROM_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace bufplan {

// `fallback` where the variable is not set, or no number.
inline uint64_t FromEnvironment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  uint64_t n = 0;
  return text != nullptr && absl::SimpleAtoi(text, &n) ? n : fallback;
}

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_FROM_ENVIRONMENT_H_
