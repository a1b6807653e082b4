#include "io/json_problem.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

Problem Everything() {
  Problem p;
  p.name = "every \"thing\"";
  p.alignment_bytes = 64;
  p.capacity_bytes = 4096;
  p.buffers = {{.name = "a",
                .bytes = 100,
                .begin = -3,
                .end = 9,
                .alignment_bytes = 32,
                .offset_bytes = 96,
                .hint_bytes = 7,
                .gaps = {{-1, 2}, {5, 6}}},
               {.name = "é",
                .bytes = 0,
                .begin = 4,
                .end = 4,
                .alignment_bytes = {},
                .offset_bytes = {},
                .hint_bytes = {},
                .gaps = {}}};
  return p;
}

constexpr absl::string_view kGood = R"({"format": "bufplan.problem", "version": 1,
 "buffers": [
  {"name": "a", "bytes": 4, "begin": 0, "end": 3},
  {"name": "b", "bytes": 4, "begin": 3, "end": 9, "gaps": [[4, 5]]}]})";

TEST(JsonProblem, RoundTripLosesNothing) {
  const std::string text = WriteProblemJson(Everything());
  const absl::StatusOr<Problem> again = ReadProblemJson(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*again == Everything()) << text;
  EXPECT_EQ(WriteProblemJson(*again), text);
  EXPECT_EQ(text,
            R"({"format": "bufplan.problem", "version": 1, "name": "every \"thing\"", "alignment": 64, "capacity": 4096,
 "buffers": [
  {"name": "a", "bytes": 100, "begin": -3, "end": 9, "alignment": 32, "offset": 96, "gaps": [[-1, 2], [5, 6]], "hint": 7},
  {"name": "é", "bytes": 0, "begin": 4, "end": 4}]}
)");
}

TEST(JsonProblem, RefusesWithAPointer) {
  const struct {
    const char *from, *to, *error;
  } kCases[] = {
      {R"("bytes": 4, "begin": 0)", R"("bytes": "4", "begin": 0)",
       R"(at /buffers/0/bytes: must be an integer, is a string "4")"},
      {R"("begin": 3, )", "", R"(at /buffers/1: "begin" is missing)"},
      {R"([[4, 5]])", R"([[4]])", "at /buffers/1/gaps/0: must be [begin, end], has 1 elements"},
      {R"([[4, 5]])", R"([4, 5])", "at /buffers/1/gaps/0: must be an array, is an integer 4"},
      {R"("name": "b")", R"("name": "b", "size": 4)",
       R"(at /buffers/1/size: unknown key "size"; known are "name", "bytes", "begin", "end", "alignment", "offset", "gaps", "hint")"},
      {R"("version": 1,)", R"("version": 1, "alignment": 0,)",
       "at /alignment: alignment=0 bytes, must be a power of two"},
      {R"("bytes": 4, "begin": 0)", R"("bytes": -4, "begin": 0)",
       R"(at /buffers/0/bytes: buffer "a": bytes=-4, must be >= 0)"},
      {R"("name": "b")", R"("name": "a")",
       R"(at /buffers/1/name: buffer "a": buffers 0 and 1 (from 0) have this name, must be unique)"},
      {R"("end": 9)", R"("end": 2)", R"(at /buffers/1/end: buffer "b": end=2, must be >= begin=3)"},
  };
  for (const auto& c : kCases) {
    ASSERT_TRUE(absl::StrContains(kGood, c.from)) << c.from;
    const absl::StatusOr<Problem> problem = ReadProblemJson(absl::StrReplaceAll(kGood, {{c.from, c.to}}));
    ASSERT_FALSE(problem.ok()) << c.to;
    EXPECT_EQ(std::string(problem.status().message()), c.error);
  }
}

ProblemPlanFile FileOfEverything() {
  ProblemPlanFile file;
  file.plan = {.offsets = {96, 128}, .bytes = 196, .lower_bound = 100, .optimal = false};
  file.options = {{"effort", "max"}};
  file.bound = BoundKind::kSearch;
  return file;
}

TEST(JsonProblemPlan, IsAPlanWhoseValuesAreTheBuffers) {
  const std::string text = WriteProblemPlanJson(Everything(), FileOfEverything());
  EXPECT_EQ(
      absl::StrReplaceAll(text, {{ProblemFingerprint(Everything()), "FINGERPRINT"}}),
      R"({"format": "bufplan.plan", "version": 1, "graph": "every \"thing\"", "fingerprint": "FINGERPRINT", "options": {"effort": "max"}, "status": "feasible",
 "arenas": [
  {"space": "device", "bytes": 196, "lower_bound": 100, "bound": "search", "optimal": false, "chunks": [196]}],
 "values": [
  {"name": "a", "in": "device", "offset": 96},
  {"name": "é", "in": "device", "offset": 128}],
 "ops": [],
 "fused": [],
 "order": [],
 "stats": {"copies_elided": 0, "copies_kept": 0, "bytes_copied": 0, "bytes_not_copied": 0, "sum_bytes": 100, "peak_op": null, "live_at_peak": []}}
)");
  const absl::StatusOr<ProblemPlanFile> again = ReadProblemPlanJson(text, Everything());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->plan.offsets, FileOfEverything().plan.offsets);
  EXPECT_EQ(again->plan.bytes, 196);
  EXPECT_EQ(again->plan.lower_bound, 100);
  EXPECT_FALSE(again->plan.optimal);
  EXPECT_EQ(again->bound, BoundKind::kSearch);
  EXPECT_EQ(again->options, FileOfEverything().options);
  EXPECT_TRUE(CheckProblemFingerprint(Everything(), *again).ok());
  EXPECT_EQ(WriteProblemPlanJson(Everything(), *again), text);
  Problem other = Everything();
  other.buffers[0].bytes = 99;
  EXPECT_FALSE(CheckProblemFingerprint(other, *again).ok());
}

TEST(JsonProblemPlan, RefusesWithAPointer) {
  const std::string good = WriteProblemPlanJson(Everything(), FileOfEverything());
  const struct {
    const char *from, *to, *error;
  } kCases[] = {
      {R"({"name": "a", "in": "device", "offset": 96},)", "", R"(at /values: no entry for buffer "a")"},
      {R"({"name": "a")", R"({"name": "q")", R"(at /values/0/name: the problem has no buffer "q")"},
      {R"({"name": "a")", R"({"name": "é")", "at /values/1: the name is listed twice"},
      {R"("in": "device", "offset": 96)", R"("in": "host", "offset": 96)", R"(at /values/0/in: must be "device")"},
      {R"("in": "device", "offset": 96)", R"("in": "device", "chunk": 1, "offset": 96)",
       "at /values/0/chunk: must be 0"},
      {R"("offset": 96)", R"("offset": "s")", R"(at /values/0/offset: must be an integer, is a string "s")"},
      {R"("ops": [])", R"("ops": [{}])", "at /ops: must be empty: a problem has no ops"},
      {R"({"space": "device")", R"({"space": "host")", R"(at /arenas/0/space: must be "device")"},
  };
  for (const auto& c : kCases) {
    ASSERT_TRUE(absl::StrContains(good, c.from)) << c.from;
    const absl::StatusOr<ProblemPlanFile> file =
        ReadProblemPlanJson(absl::StrReplaceAll(good, {{c.from, c.to}}), Everything());
    ASSERT_FALSE(file.ok()) << c.to;
    EXPECT_EQ(std::string(file.status().message()), c.error);
  }
}

}  // namespace
}  // namespace bufplan
