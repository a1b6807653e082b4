// Files that tests read, and golden files that they compare with and, when asked, rewrite. For tests.
//
// Golden files are rewritten by
//   UPDATE_GOLDEN=1 bazel run //tests/io:golden_test
#ifndef BUFPLAN_TESTS_IO_TEST_FILES_H_
#define BUFPLAN_TESTS_IO_TEST_FILES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace bufplan {

// The content of a file by its path from the repository's root; a test failure and "" if it cannot be read.
std::string TestFile(const std::string& path);

// A path for a file of this test's own, e.g. "plan.json".
std::string TemporaryPath(absl::string_view name);

// Expects that the file has this content; with UPDATE_GOLDEN set, writes it.
void ExpectGolden(const std::string& path, absl::string_view content);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IO_TEST_FILES_H_
