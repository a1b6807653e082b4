#include "ir/problem.h"

#include <cstdint>
#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "ir/where.h"

namespace bufplan {
namespace {

Problem Good() {
  Problem p;
  p.alignment_bytes = 16;
  p.capacity_bytes = 0;
  p.buffers.resize(2);
  p.buffers[0].name = "a";
  p.buffers[0].bytes = 100;
  p.buffers[0].begin = -5;
  p.buffers[0].end = 9;
  p.buffers[0].gaps = {{-5, 0}, {0, 0}, {3, 9}};
  p.buffers[0].offset_bytes = 32;
  p.buffers[1].name = "b";
  p.buffers[1].alignment_bytes = 4;
  p.buffers[1].offset_bytes = 4;
  return p;
}

TEST(ValidateProblem, AcceptsWhatIsRight) {
  EXPECT_TRUE(ValidateProblem(Good()).ok()) << ValidateProblem(Good());
  EXPECT_TRUE(ValidateProblem(Problem()).ok());
}

TEST(ValidateProblem, NamesTheFaultAndItsPlace) {
  const struct {
    std::function<void(Problem&)> spoil;
    const char *where, *message;
  } kCases[] = {
      {[](Problem& p) { p.alignment_bytes = 12; }, "/alignment", "alignment=12 bytes, must be a power of two"},
      {[](Problem& p) { p.capacity_bytes = -1; }, "/capacity", "capacity=-1 bytes, must be >= 0"},
      {[](Problem& p) { p.buffers[0].name = ""; }, "/buffers/0/name",
       "buffer \"\": the name has 0 bytes, must have 1..1024"},
      {[](Problem& p) { p.buffers[1].name = "a"; }, "/buffers/1/name",
       "buffer \"a\": buffers 0 and 1 (from 0) have this name, must be unique"},
      {[](Problem& p) { p.buffers[0].bytes = -1; }, "/buffers/0/bytes", "buffer \"a\": bytes=-1, must be >= 0"},
      {[](Problem& p) { p.buffers[1].end = -1; }, "/buffers/1/end", "buffer \"b\": end=-1, must be >= begin=0"},
      {[](Problem& p) { p.buffers[1].alignment_bytes = INT64_MIN; }, "/buffers/1/alignment",
       "buffer \"b\": alignment=-9223372036854775808 bytes, must be a power of two"},
      {[](Problem& p) { p.buffers[1].offset_bytes = 6; }, "/buffers/1/offset",
       "buffer \"b\": offset=6 bytes, must be a multiple >= 0 of its alignment 4"},
      {[](Problem& p) { p.buffers[0].offset_bytes = -16; }, "/buffers/0/offset",
       "buffer \"a\": offset=-16 bytes, must be a multiple >= 0 of its alignment 16"},
      {[](Problem& p) {
         p.buffers[0].gaps[2] = {3, 10};
       },
       "/buffers/0/gaps/2",
       "buffer \"a\": gap [3, 10) must be ascending and within [0, 9): the lifetime behind the gap before"},
      {[](Problem& p) {
         p.buffers[0].gaps[1] = {-1, 0};
       },
       "/buffers/0/gaps/1",
       "buffer \"a\": gap [-1, 0) must be ascending and within [0, 9): the lifetime behind the gap before"},
      {[](Problem& p) { p.buffers[0].bytes = INT64_MAX; }, "/buffers/0/bytes",
       "buffer \"a\": the sum of sizes, aligned, and pinned offsets exceeds 64 bits"},
      {[](Problem& p) { p.buffers[1].bytes = INT64_MAX - 100; }, "/buffers/1/bytes",
       "buffer \"b\": the sum of sizes, aligned, and pinned offsets exceeds 64 bits"},
  };
  for (const auto& c : kCases) {
    Problem p = Good();
    c.spoil(p);
    const absl::Status status = ValidateProblem(p);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(status.message()), c.message);
    EXPECT_EQ(FaultPlace(status), c.where) << c.message;
  }
}

}  // namespace
}  // namespace bufplan
