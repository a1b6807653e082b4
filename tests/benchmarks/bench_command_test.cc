// `bufplan bench` as a command: what it prints, writes, compares and refuses.
#include "benchmarks/suite/bench_command.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/suite/report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/explain/text_table.h"
#include "io/tool/tool.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Outcome {
  int exit_status;
  std::string out, err;
};

Outcome RunWith(const std::map<std::string, std::string>& files, const std::vector<std::string>& arguments) {
  FakeIo fake;
  fake.files = files;
  const Command bench[] = {{&kBenchCommand, RunBench}};
  const int exit_status = RunTool(arguments, fake.io(), bench);
  return {exit_status, fake.out(), fake.err()};
}

Outcome RunBenchTool(const std::vector<std::string>& arguments) { return RunWith({}, arguments); }

TEST(BenchCommandTest, Help) {
  const Outcome help = RunBenchTool({"bench", "--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_THAT(help.out, StartsWith("usage: bufplan bench [SUITE] [-o FILE]"));
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(RunBenchTool({"--help"}).out, HasSubstr("  bench [SUITE] "));
}

TEST(BenchCommandTest, BadUsage) {
  const auto error = [](const std::vector<std::string>& arguments) {
    const Outcome o = RunBenchTool(arguments);
    EXPECT_EQ(o.exit_status, 2);
    EXPECT_EQ(o.out, "");
    return o.err;
  };
  EXPECT_EQ(error({"bench", "hrad"}),
            "bufplan: there is no suite \"hrad\"; there are hard, real, known, chunks, scale; did you mean \"hard\"?\n"
            "see: bufplan bench --help\n");
  EXPECT_THAT(error({"bench", "known", "hard"}), HasSubstr("bench takes [SUITE]"));
  EXPECT_THAT(error({"bench", "known", "--problem", "cut-21"}),
              HasSubstr("there is no \"cut-21\" in known; did you mean \"cut-20\"?"));
  EXPECT_THAT(error({"bench", "known", "--time-floor", "5"}), HasSubstr("--time-floor goes with --compare"));
  EXPECT_THAT(error({"bench", "known", "--huge"}), HasSubstr("--huge goes with the suite scale"));
  EXPECT_THAT(error({"bench", "hard", "--data", "/nowhere"}),
              HasSubstr("\"/nowhere\" is no folder that has minimalloc"));
  EXPECT_THAT(error({"bench", "known", "-o", "/nowhere/x.json"}), HasSubstr("cannot write"));
}

TEST(BenchCommandTest, AProblemSolvedByAll) {
  const Outcome o = RunBenchTool({"bench", "known", "--problem", "cut-20", "-o", "-"});
  ASSERT_EQ(o.exit_status, 0) << o.err;
  const absl::StatusOr<std::vector<BenchResult>> results = ReadReportJson(o.out);
  ASSERT_TRUE(results.ok()) << results.status();
  for (const BenchResult& r : *results) EXPECT_EQ(r.lower_bound, 1 << 20) << r.method;
  EXPECT_THAT(o.err, StartsWith("known\n  problem "));
}

// The old report is a new one with a word replaced. No clock: times count for nothing.
Outcome CompareWith(const std::string& text) {
  return RunWith({{"old.json", text}},
                 {"bench", "known", "--problem", "cut-20", "--compare", "old.json", "--time-floor", "1000000000"});
}

std::string Report() { return RunBenchTool({"bench", "known", "--problem", "cut-20", "-o", "-"}).out; }

TEST(BenchCommandTest, CompareFindsNoRegression) {
  const Outcome o = CompareWith(Report());
  EXPECT_EQ(o.exit_status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("compared with old.json: 14 results, no regression\n"));
}

TEST(BenchCommandTest, CompareFindsARegression) {
  absl::StatusOr<std::vector<BenchResult>> results = ReadReportJson(Report());
  ASSERT_TRUE(results.ok());
  ASSERT_EQ((*results)[1].method, "default");
  const int64_t bytes = (*results)[1].measured.bytes--;
  const Outcome o = CompareWith(WriteReportJson(*results));
  EXPECT_EQ(o.exit_status, 1);
  EXPECT_THAT(o.out, HasSubstr(absl::StrCat("14 results, 1 regression\n  known cut-20, default: ",
                                            FormatCount(bytes - 1), " bytes, now ", FormatCount(bytes), "\n")));
}

TEST(BenchCommandTest, CompareNeedsAReport) {
  const auto error = [](const Outcome& o) {
    EXPECT_EQ(o.exit_status, 2);
    return o.err;
  };
  EXPECT_THAT(error(RunBenchTool({"bench", "known", "--compare", "/nowhere.json"})), HasSubstr("/nowhere.json"));
  EXPECT_THAT(error(CompareWith("{]")), StartsWith("bufplan: old.json: line 1"));
  EXPECT_THAT(error(CompareWith(R"({"format": "bufplan.bench", "version": 1, "results": [3]})")),
              HasSubstr("old.json: at /results/0"));
  EXPECT_THAT(error(CompareWith(WriteReportJson({}))), HasSubstr("old.json: has none of the results"));
}

TEST(BenchCommandTest, ResultsGoToAFile) {
  const std::string path = TempPath("bench.json");
  const Outcome o = RunBenchTool({"bench", "known", "--problem", "cut-20", "-o", path});
  ASSERT_EQ(o.exit_status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_THAT(o.out, StartsWith("known\n  problem "));
  EXPECT_TRUE(ReadReportJson(ContentOf(path)).ok());
}

// Tests run where benchmarks/data is.
TEST(BenchCommandTest, ProblemsFromFiles) {
  Outcome o = RunBenchTool({"bench", "hard", "--problem", "F", "--data", "benchmarks/data"});
  EXPECT_EQ(o.exit_status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("lower bound"));
  EXPECT_THAT(o.out, HasSubstr("1,048,576"));
  o = RunBenchTool({"bench", "real", "--problem", "ggml/moe8x7b_decode"});
  EXPECT_EQ(o.exit_status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("  graph default "));
  o = RunBenchTool({"bench", "chunks", "--problem", "unet_64@72", "-o", "-"});
  EXPECT_EQ(o.exit_status, 0) << o.err;
  const absl::StatusOr<std::vector<BenchResult>> results = ReadReportJson(o.out);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_GE((*results)[1].measured.chunks, 2);
  EXPECT_THAT(o.err, HasSubstr("  ggml "));
  EXPECT_THAT(o.err, Not(HasSubstr("usmp")));  // knows no chunks
}

// An empty folder of the right form: the file that is missing is named.
TEST(BenchCommandTest, AMissingFileIsNamed) {
  const std::string folder = TempPath("data");
  for (const char* part : {"minimalloc", "somas", "iopddl"}) {
    std::filesystem::create_directories(absl::StrCat(folder, "/", part));
  }
  const Outcome o = RunBenchTool({"bench", "hard", "--data", folder});
  EXPECT_EQ(o.exit_status, 2);
  EXPECT_THAT(o.err, HasSubstr("minimalloc/A.1048576.csv"));
}

}  // namespace
}  // namespace bufplan
