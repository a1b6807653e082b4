#include "io/read_file.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "io/write_file.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

TEST(ReadFile, ReadsAnySize) {
  const std::string path = TemporaryPath("big");
  for (size_t size : {size_t{0}, size_t{1}, size_t{1} << 20, (size_t{1} << 20) + 1, size_t{5'000'000}}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = '\0';
    ASSERT_TRUE(WriteFile(path, text).ok());
    const absl::StatusOr<std::string> read = ReadFile(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == text) << size;
  }
}

TEST(ReadFile, NamesThePathAndTheReason) {
  const absl::Status missing = ReadFile("no/such/file").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StartsWith(missing.message(), "no/such/file: cannot open: No such file")) << missing;
  const absl::Status folder = ReadFile("/").status();
  EXPECT_FALSE(folder.ok());
  EXPECT_TRUE(absl::StartsWith(folder.message(), "/: cannot read: Is a directory")) << folder;
}

}  // namespace
}  // namespace bufplan
