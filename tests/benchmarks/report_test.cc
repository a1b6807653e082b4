#include "benchmarks/suite/report.h"

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

BenchResult Result(const std::string& problem, const std::string& method, int64_t bytes, int64_t time_ns) {
  BenchResult r;
  r.suite = "hard";
  r.problem = problem;
  r.method = method;
  r.buffers = 7;
  r.lower_bound = 1000;
  r.measured.bytes = bytes;
  r.measured.time_ns = time_ns;
  r.measured.runs = 3;
  r.measured.memory_bytes = method == "ggml" ? 4096 : 3 << 20;
  r.optimal = bytes == 1000;
  return r;
}

BenchResult Skipped(const std::string& problem, const std::string& method) {
  BenchResult r = Result(problem, method, 0, 0);
  r.optimal = false;
  r.measured = {};
  r.measured.skipped = "too many pairs";
  return r;
}

constexpr int64_t kMs = 1'000'000;

TEST(ReportTest, JsonBothWays) {
  std::vector<BenchResult> results = {Result("A", "default", 1000, kMs), Skipped("A", "usmp \"x\"")};
  results.push_back(Result("B", "ggml", 1100, 5));
  results.back().measured.memory_bytes.reset();
  results.back().measured.chunks = 4;
  const std::string text = WriteReportJson(results);
  EXPECT_THAT(text, HasSubstr("{\"format\": \"bufplan.bench\", \"version\": 1, \"bufplan\": \""));
  EXPECT_THAT(text, HasSubstr("{\"suite\": \"hard\", \"problem\": \"A\", \"method\": \"default\", \"buffers\": 7, "
                              "\"bytes\": 1000, \"lower_bound\": 1000, \"optimal\": true, \"chunks\": 1, "
                              "\"time_ns\": 1000000, \"runs\": 3, \"memory_bytes\": 3145728}"));
  const absl::StatusOr<std::vector<BenchResult>> read = ReadReportJson(text);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[1].measured.skipped, "too many pairs");
  EXPECT_EQ((*read)[2].measured.chunks, 4);
  EXPECT_FALSE((*read)[2].measured.memory_bytes.has_value());
  EXPECT_EQ(WriteReportJson(*read), text);
}

TEST(ReportTest, BadJson) {
  const auto error = [](const std::string& text) { return std::string(ReadReportJson(text).status().message()); };
  const std::string good = WriteReportJson(std::vector<BenchResult>{Result("A", "default", 1000, kMs)});
  ASSERT_TRUE(ReadReportJson(good).ok());
  EXPECT_THAT(error("{"), HasSubstr("line 1"));
  EXPECT_THAT(error("[]"), HasSubstr("at top level"));
  EXPECT_THAT(error(R"({"format": "bufplan.plan", "version": 1})"), HasSubstr("/format"));
  EXPECT_THAT(error(R"({"format": "bufplan.bench", "version": 1})"), HasSubstr("results"));
  EXPECT_THAT(error(absl::StrReplaceAll(good, {{"\"bytes\": 1000", "\"bytes\": \"x\""}})),
              HasSubstr("at /results/0/bytes"));
  EXPECT_THAT(error(absl::StrReplaceAll(good, {{"\"bytes\": 1000", "\"bytes\": -1"}})),
              HasSubstr("at /results/0/bytes: must be >= 0"));
  EXPECT_THAT(error(absl::StrReplaceAll(good, {{"\"bytes\": 1000, ", ""}})), HasSubstr("bytes"));
  EXPECT_THAT(error(absl::StrReplaceAll(good, {{"\"runs\"", "\"rums\""}})), HasSubstr("rums"));
}

TEST(ReportTest, Tables) {
  const std::vector<BenchResult> results = {
      Result("A", "default", 1000, kMs),        Result("A", "ggml", 1250, 20'000), Skipped("A", "usmp"),
      Result("B", "default", 1100, 2000 * kMs), Result("B", "ggml", 1050, kMs),    Skipped("B", "usmp")};
  EXPECT_EQ(ReportTable(results),
            "  problem  buffers  method       bytes    over  chunks     time    memory  optimal\n"
            "  A              7  lower bound  1,000\n"
            "                    default      1,000      0%       1  1.00 ms  3.00 MiB  yes\n"
            "                    ggml         1,250  25.00%       1    20 us  <0.1 MiB\n"
            "                    usmp             -       -       -        -         -\n"
            "  B              7  lower bound  1,000\n"
            "                    default      1,100  10.00%       1   2.00 s  3.00 MiB\n"
            "                    ggml         1,050   5.00%       1  1.00 ms  <0.1 MiB\n"
            "                    usmp             -       -       -        -         -\n");
  EXPECT_EQ(SummaryTable(results),
            "  method   problems  optimal  mean over  worst over     time\n"
            "  default         2        1      5.00%      10.00%   2.00 s\n"
            "  ggml            2        0     15.00%      25.00%  1.02 ms\n"
            "  usmp            -        -          -           -        -\n");
}

TEST(CompareTest, MoreBytesAreARegression) {
  const std::vector<BenchResult> old_results = {Result("A", "default", 1000, kMs), Result("A", "ggml", 1100, kMs)};
  std::vector<BenchResult> now = old_results;
  EXPECT_THAT(Compare(old_results, now, {}).regressions, IsEmpty());
  EXPECT_EQ(Compare(old_results, now, {}).compared, 2);
  now[0].measured.bytes = 1001;
  now[1].measured.bytes = 1099;
  EXPECT_THAT(Compare(old_results, now, {}).regressions, ElementsAre("hard A, default: 1,000 bytes, now 1,001"));
}

TEST(CompareTest, TimeBeyondToleranceAndFloorIsARegression) {
  const CompareOptions options = {.time_tolerance_percent = 50, .time_floor_ns = 10 * kMs};
  const auto slower = [&](const std::string& method, int64_t before, int64_t now) {
    const std::vector<BenchResult> a = {Result("A", method, 1000, before)}, b = {Result("A", method, 1000, now)};
    return !Compare(a, b, options).regressions.empty();
  };
  EXPECT_FALSE(slower("default", 100 * kMs, 150 * kMs));
  EXPECT_TRUE(slower("default", 100 * kMs, 150 * kMs + 1));
  EXPECT_FALSE(slower("default", 1 * kMs, 11 * kMs));  // the floor
  EXPECT_TRUE(slower("default", 1 * kMs, 11 * kMs + 1));
  EXPECT_FALSE(slower("default", 100 * kMs, 1 * kMs));
  EXPECT_TRUE(slower("graph fast", 100 * kMs, 200 * kMs));
  EXPECT_FALSE(slower("ggml", 100 * kMs, 900 * kMs));  // not ours
}

TEST(CompareTest, SkippedNowIsARegression) {
  const std::vector<BenchResult> done = {Result("A", "default", 1000, kMs)}, skipped = {Skipped("A", "default")};
  EXPECT_THAT(Compare(done, skipped, {}).regressions,
              ElementsAre("hard A, default: 1,000 bytes, now none: too many pairs"));
  EXPECT_THAT(Compare(skipped, done, {}).regressions, IsEmpty());
}

TEST(CompareTest, WhatOneReportLacksDoesNotCount) {
  const std::vector<BenchResult> a = {Result("A", "max", 1000, kMs)}, b = {Result("B", "max", 2000, kMs)};
  const Comparison comparison = Compare(a, b, {});
  EXPECT_THAT(comparison.regressions, IsEmpty());
  EXPECT_EQ(comparison.compared, 0);
}

}  // namespace
}  // namespace bufplan
