#include "tests/io/test_files.h"

#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/read_file.h"
#include "io/write_file.h"

namespace bufplan {

std::string TestFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path);  // Tests run in the root of their files.
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *std::move(text) : "";
}

std::string TemporaryPath(absl::string_view name) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? testing::TempDir() : folder, "/", name);
}

void ExpectGolden(const std::string& path, absl::string_view content) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    const char* const root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    ASSERT_NE(root, nullptr) << "run it by `bazel run`";
    const absl::Status status = WriteFile(absl::StrCat(root, "/", path), content);
    ASSERT_TRUE(status.ok()) << status;
    return;
  }
  EXPECT_EQ(TestFile(path), content) << path
                                     << " differs; UPDATE_GOLDEN=1 bazel run //tests/io:golden_test rewrites it";
}

}  // namespace bufplan
