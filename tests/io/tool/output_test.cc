#include "io/tool/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/write_file.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const std::string& path) {
  const absl::Status status = CheckOutputPath(path);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
  return std::string(status.message());
}

TEST(OutputTest, PathsThatCannotBeWritten) {
  EXPECT_THAT(Refusal("/no/such/folder/p.json"), HasSubstr("/no/such/folder/p.json: cannot write: folder "));
  EXPECT_THAT(Refusal(testing::TempDir()), HasSubstr("Is a directory"));
  EXPECT_THAT(Refusal(""), HasSubstr("empty"));
  const std::string file = TempPath("a_file");
  ASSERT_TRUE(WriteFile(file, "x").ok());
  EXPECT_THAT(Refusal(absl::StrCat(file, "/p.json")), HasSubstr("Not a directory"));
}

TEST(OutputTest, ReadOnlyFolders) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string folder = TempPath("read_only");
  mkdir(folder.c_str(), 0555);
  EXPECT_THAT(Refusal(absl::StrCat(folder, "/p.json")), HasSubstr("Permission denied"));
}

TEST(OutputTest, PathsThatCan) {
  for (const std::string& path :
       {std::string("-"), TempPath("new.json"), std::string("/dev/null"), std::string("new.json")}) {
    EXPECT_TRUE(CheckOutputPath(path).ok()) << path;
  }
  EXPECT_EQ(ContentOf(TempPath("new.json")), "<none>");  // Asking leaves nothing behind.
}

TEST(OutputTest, SameFile) {
  const std::string a = TempPath("same_a"), b = TempPath("same_b"), link = TempPath("same_link");
  ASSERT_TRUE(WriteFile(a, "x").ok());
  ASSERT_TRUE(WriteFile(b, "x").ok());
  unlink(link.c_str());
  ASSERT_EQ(symlink(a.c_str(), link.c_str()), 0);
  EXPECT_TRUE(SameFile(a, a));
  EXPECT_TRUE(SameFile(a, link));
  EXPECT_FALSE(SameFile(a, b));
  EXPECT_FALSE(SameFile("-", "-"));
  EXPECT_FALSE(SameFile("/dev/null", "/dev/null"));
  EXPECT_FALSE(SameFile(TempPath("none"), TempPath("none")));
}

TEST(OutputTest, Endings) {
  EXPECT_TRUE(IsCsvPath("x.csv"));
  EXPECT_TRUE(IsCsvPath("x.CSV"));
  EXPECT_FALSE(IsCsvPath("csv"));
  EXPECT_FALSE(IsCsvPath("x.csv.json"));
}

TEST(OutputTest, Writing) {
  FakeIo fake;
  const std::string path = TempPath("written");
  EXPECT_TRUE(WriteOutput(path, "text", fake.io()).ok());
  EXPECT_EQ(ContentOf(path), "text");
  EXPECT_TRUE(WriteOutput("-", "to out", fake.io()).ok());
  EXPECT_EQ(fake.out(), "to out");
  EXPECT_EQ(WriteOutput("/dev/full", "text", fake.io()).code(), absl::StatusCode::kInvalidArgument);
  fake.out_fails = true;
  EXPECT_EQ(WriteResult("text", fake.io()).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bufplan
