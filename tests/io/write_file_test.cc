#include "io/write_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "io/read_file.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

int FilesIn(const std::string& folder) {
  int count = 0;
  DIR* const dir = opendir(folder.c_str());
  while (dir != nullptr && readdir(dir) != nullptr) ++count;
  if (dir != nullptr) closedir(dir);
  return count - 2;  // . and ..
}

class WriteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = TemporaryPath(testing::UnitTest::GetInstance()->current_test_info()->name());
    ASSERT_EQ(mkdir(folder_.c_str(), 0755), 0);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

TEST_F(WriteFileTest, WritesAndReplaces) {
  ASSERT_TRUE(WriteFile(Path("f"), "one").ok());
  ASSERT_TRUE(WriteFile(Path("f"), "two").ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "two");
  EXPECT_EQ(FilesIn(folder()), 1);
}

TEST_F(WriteFileTest, KeepsPermissionsAndHonoursTheMask) {
  const mode_t old_mask = umask(027);
  ASSERT_TRUE(WriteFile(Path("new"), "").ok());
  umask(old_mask);
  struct stat info;
  ASSERT_EQ(stat(Path("new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, mode_t{0640});
  ASSERT_EQ(chmod(Path("new").c_str(), 0600), 0);
  ASSERT_TRUE(WriteFile(Path("new"), "x").ok());
  ASSERT_EQ(stat(Path("new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, mode_t{0600});
}

TEST_F(WriteFileTest, FollowsSymbolicLinks) {
  ASSERT_TRUE(WriteFile(Path("target"), "old").ok());
  ASSERT_EQ(symlink("target", Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_EQ(ReadFile(Path("target")).value(), "new");
  struct stat info;
  ASSERT_EQ(lstat(Path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST_F(WriteFileTest, LeavesDevicesAlone) {
  EXPECT_TRUE(WriteFile("/dev/null", "x").ok());
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  const absl::Status full = WriteFile("/dev/full", "x");
  EXPECT_TRUE(absl::StartsWith(full.message(), "/dev/full: cannot write: No space left")) << full;
}

TEST_F(WriteFileTest, LeavesNothingBehindAfterAnError) {
  EXPECT_FALSE(WriteFile(Path("no/such/folder"), "x").ok());
  const absl::Status folder_status = WriteFile(folder(), "x");
  EXPECT_TRUE(absl::StrContains(folder_status.message(), "Is a directory")) << folder_status;
  EXPECT_EQ(FilesIn(folder()), 0);
}

}  // namespace
}  // namespace bufplan
