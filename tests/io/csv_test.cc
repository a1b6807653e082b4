#include "io/csv.h"

#include <string>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(Csv, ReadsColumnsInAnyOrder) {
  const absl::StatusOr<Problem> problem = ReadProblemCsv(
      "\xEF\xBB\xBF"
      "size,hint,id,gaps,lower,offset,upper,alignment\r\n8,, a ,1-2 "
      "4-6,0,64,9,32\r\n4,3,\"x,\"\"y\"\"\",,-5,,-1,\r\n\r\n\n");
  ASSERT_TRUE(problem.ok()) << problem.status();
  ASSERT_EQ(problem->buffers.size(), 2u);
  const Buffer a{.name = " a ",
                 .bytes = 8,
                 .begin = 0,
                 .end = 9,
                 .alignment_bytes = 32,
                 .offset_bytes = 64,
                 .hint_bytes = {},
                 .gaps = {{1, 2}, {4, 6}}};
  const Buffer b{.name = "x,\"y\"",
                 .bytes = 4,
                 .begin = -5,
                 .end = -1,
                 .alignment_bytes = {},
                 .offset_bytes = {},
                 .hint_bytes = 3,
                 .gaps = {}};
  EXPECT_TRUE(problem->buffers[0] == a);
  EXPECT_TRUE(problem->buffers[1] == b);
}

TEST(Csv, RoundTripLosesNothing) {
  Problem p;
  p.buffers = {{.name = "a,\"b\"\r\nc",
                .bytes = 1,
                .begin = -9,
                .end = 9,
                .alignment_bytes = 8,
                .offset_bytes = 16,
                .hint_bytes = -1,
                .gaps = {{-8, -7}, {-7, 5}}},
               {.name = " é",
                .bytes = 2,
                .begin = 0,
                .end = 0,
                .alignment_bytes = {},
                .offset_bytes = {},
                .hint_bytes = {},
                .gaps = {}},
               {.name = "c\rd",
                .bytes = 3,
                .begin = 0,
                .end = 1,
                .alignment_bytes = {},
                .offset_bytes = 0,
                .hint_bytes = {},
                .gaps = {}}};
  const std::string text = WriteProblemCsv(p);
  EXPECT_EQ(
      text,
      "id,lower,upper,size,alignment,gaps,hint,offset\n\"a,\"\"b\"\"\r\nc\",-9,9,1,8,-8--7 -7-5,-1,16\n é,0,0,2,,,,\n"
      "\"c\rd\",0,1,3,,,,0\n");
  const absl::StatusOr<Problem> again = ReadProblemCsv(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*again == p);
}

TEST(Csv, WritesOnlyTheColumnsInUse) {
  Problem p;
  p.buffers = {{.name = "a",
                .bytes = 1,
                .begin = 0,
                .end = 2,
                .alignment_bytes = {},
                .offset_bytes = {},
                .hint_bytes = {},
                .gaps = {}}};
  EXPECT_EQ(WriteProblemCsv(p), "id,lower,upper,size\na,0,2,1\n");
  const int64_t kOffsets[] = {12};
  EXPECT_EQ(WriteProblemCsv(p, kOffsets), "id,lower,upper,size,offset\na,0,2,1,12\n");
  p.alignment_bytes = 4;
  EXPECT_EQ(WriteProblemCsv(p, kOffsets), "id,lower,upper,size,alignment,offset\na,0,2,1,4,12\n");
}

TEST(Csv, AHeaderAloneIsAProblem) {
  const absl::StatusOr<Problem> problem = ReadProblemCsv("id,lower,upper,size");
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_TRUE(problem->buffers.empty());
}

TEST(Csv, RefusesWithLineAndColumn) {
  const std::string header = "id,lower,upper,size\n";
  const std::pair<std::string, const char*> kCases[] = {
      {"", "line 1: the file is empty, must begin with a header"},
      {"id,lower,upper\n", "line 1: column size is missing"},
      {"id,lower,upper,size,width\n",
       R"(line 1: unknown column "width"; known are id, lower, upper, size, alignment, gaps, hint, offset)"},
      {"id,lower,upper,size,id\n", "line 1: column id is there twice"},
      {header + "a,0,1,4\nb,0,1\n", "line 3: has 3 cells, must have 4 as the header"},
      {header + "a,0,1,4,5\n", "line 2: has 5 cells, must have 4 as the header"},
      {header + "a,0,x,4\n", R"(line 2, column upper: "x" must be an integer)"},
      {header + "a,0,1.5,4\n", R"(line 2, column upper: "1.5" must be an integer)"},
      {header + "a,,1,4\n", R"(line 2, column lower: "" must be an integer)"},
      {header + "a,0,1,99999999999999999999\n", R"(line 2, column size: "99999999999999999999" exceeds 64 bits)"},
      {header + "a,0,1,-4\n", R"(line 2, column size: buffer "a": bytes=-4, must be >= 0)"},
      {header + "a,0,1,4\nb,5,1,4\n", R"(line 3, column upper: buffer "b": end=1, must be >= begin=5)"},
      {header + "a,0,1,4\na,0,1,4\n",
       R"(line 3, column id: buffer "a": buffers 0 and 1 (from 0) have this name, must be unique)"},
      {header + ",0,1,4\n", R"(line 2, column id: buffer "": the name has 0 bytes, must have 1..1024)"},
      {header + "a,0,1,4\n\nb,0,1,4\n", "line 3: blank line before the end"},
      {header + "\"a,0,1,4\n", "line 2: cell 1: a quote is not closed"},
      {header + "\"a\"b,0,1,4\n", "line 2: cell 1: text behind the closing quote"},
      {header + "\"a\nb\",0,1,4\nc,0,1,x\n", R"(line 4, column size: "x" must be an integer)"},
      {header + "a\xFF,0,1,4\n", "line 2: is not UTF-8"},
      {"id,lower,upper,size,gaps\na,0,9,4,1-2:3-4\n",
       R"(line 2, column gaps: "1-2:3-4": windows within gaps are not supported)"},
      {"id,lower,upper,size,gaps\na,0,9,4,1\n",
       R"(line 2, column gaps: "1" must be BEGIN-END, integers of 64 bits; a blank parts two gaps)"},
      {"id,lower,upper,size,gaps\na,0,9,4,1-\n",
       R"(line 2, column gaps: "1-" must be BEGIN-END, integers of 64 bits; a blank parts two gaps)"},
      {"id,lower,upper,size,gaps\na,0,9,4,5-99\n",
       R"(line 2, column gaps: buffer "a": gap [5, 99) must be ascending and within [0, 9): the lifetime behind the gap before)"},
      {"id,lower,upper,size,alignment\na,0,9,4,3\n",
       R"(line 2, column alignment: buffer "a": alignment=3 bytes, must be a power of two)"},
      {"id,lower,upper,size,alignment,offset\na,0,9,4,8,4\n",
       R"(line 2, column offset: buffer "a": offset=4 bytes, must be a multiple >= 0 of its alignment 8)"},
  };
  for (const auto& [text, error] : kCases) {
    const absl::StatusOr<Problem> problem = ReadProblemCsv(text);
    ASSERT_FALSE(problem.ok()) << text;
    EXPECT_EQ(problem.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(problem.status().message()), error) << text;
  }
}

}  // namespace
}  // namespace bufplan
