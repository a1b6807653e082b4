#include "io/tool/progress.h"

#include <chrono>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

TEST(ProgressTest, ShownAfterASecondAndErased) {
  FakeIo fake;
  fake.io().err_is_terminal = true;
  {
    const Progress progress(fake.io(), "planning");
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  EXPECT_THAT(fake.err(), ::testing::StartsWith("\rplanning: 1 s"));
  EXPECT_THAT(fake.err(), ::testing::EndsWith("\r\033[K"));
}

TEST(ProgressTest, NothingWhereWorkIsShort) {
  FakeIo fake;
  fake.io().err_is_terminal = true;
  { const Progress progress(fake.io(), "planning"); }
  EXPECT_EQ(fake.err(), "");
}

TEST(ProgressTest, NothingWithoutATerminal) {
  FakeIo fake;
  {
    const Progress progress(fake.io(), "planning");
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  }
  EXPECT_EQ(fake.err(), "");
}

}  // namespace
}  // namespace bufplan
