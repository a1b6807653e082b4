#include "io/tool/plan_summary.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PlanSummary Example() {
  PlanSummary s;
  s.arenas.push_back({"device", 3145728, 3000000, false, {3145728}});
  s.arenas.push_back({"host", 0, 0, true, {0}});
  s.stats.copies_kept = 2;
  s.stats.bytes_copied = 4096;
  s.stats.copies_elided = 1000;
  s.stats.bytes_not_copied = 123456;
  s.stats.sum_bytes = 31457280;
  s.peak_op = "mul \"x\"";
  s.live_at_peak = {"a", "b"};
  s.symbols = {{"s", 0, 4094, 1}, {"t", 16, 16, 16}, {"u", 0, 64, 8}};
  s.added_edges = 3;
  s.time = absl::Microseconds(1234);
  return s;
}

TEST(PlanSummaryTest, Table) {
  EXPECT_EQ(SummaryTable(Example()),
            "space       bytes            lower bound    gap  optimal\n"
            "device  3,145,728  3.00 MiB    3,000,000  4.86%  not proven\n"
            "host            0       0 B            0     0%  yes\n"
            "\n"
            "copies kept        2 (4,096 bytes copied)\n"
            "copies elided      1,000\n"
            "bytes moved        127,552 before, 4,096 after\n"
            "order edges added  3\n"
            "sum of sizes       31,457,280 bytes (30.00 MiB); the arena is 10.00 times smaller\n"
            "symbols            s=0..4094, t=16 by 16, u=0..64 by 8\n"
            "time               1.23 ms\n");
}

TEST(PlanSummaryTest, Json) {
  EXPECT_EQ(
      SummaryJson(Example()),
      "{\"status\": \"feasible\", \"arenas\": [{\"space\": \"device\", \"bytes\": 3145728, \"lower_bound\": 3000000, "
      "\"optimal\": false, \"chunks\": [3145728]}, {\"space\": \"host\", \"bytes\": 0, \"lower_bound\": 0, "
      "\"optimal\": true, \"chunks\": [0]}], \"order_edges_added\": 3, \"stats\": {\"copies_elided\": 1000, "
      "\"copies_kept\": 2, \"bytes_copied\": 4096, \"bytes_not_copied\": 123456, \"sum_bytes\": 31457280, \"peak_op\": "
      "\"mul "
      "\\\"x\\\"\", \"live_at_peak\": [\"a\", \"b\"]}, \"seconds\": 0.001234}\n");
}

TEST(PlanSummaryTest, ChunksAreShownWhereThereAreSeveral) {
  PlanSummary s = Example();
  s.arenas[0].chunks = {1000000, 1000000, 1145728};
  EXPECT_THAT(SummaryTable(s), HasSubstr("optimal     chunks\n"));
  EXPECT_THAT(SummaryTable(s), HasSubstr("not proven  3: 1,000,000 1,000,000 1,145,728\n"));
  EXPECT_THAT(SummaryTable(s), HasSubstr("yes         1\n"));
}

TEST(PlanSummaryTest, AProblemHasNoCopies) {
  Problem problem;
  problem.buffers.resize(2);
  problem.buffers[0].bytes = 100;
  problem.buffers[1].bytes = 50;
  const PlanSummary s = SummaryOf(problem, {{0, 0}, 100, 100, true}, absl::Seconds(2));
  EXPECT_THAT(SummaryTable(s), Not(HasSubstr("copies")));
  EXPECT_THAT(SummaryTable(s), HasSubstr("sum of sizes  150 bytes (150 B); the arena is 1.50 times smaller\n"));
  EXPECT_THAT(SummaryTable(s), HasSubstr("time          2.00 s\n"));
  EXPECT_THAT(SummaryJson(s), HasSubstr("\"peak_op\": null, \"live_at_peak\": []"));
  EXPECT_THAT(SummaryJson(s), HasSubstr("\"status\": \"optimal\""));
}

TEST(PlanSummaryTest, GapsAndSumsAtTheEdges) {
  PlanSummary s = Example();
  s.stats.bytes_not_copied = INT64_MAX;
  EXPECT_THAT(SummaryTable(s), HasSubstr("9,223,372,036,854,775,807 before, 4,096 after\n"));
  s.arenas[0].lower_bound = s.arenas[0].bytes - 1;
  EXPECT_THAT(SummaryTable(s), HasSubstr(" <0.01%  "));
  s.arenas[0].lower_bound = 0;
  EXPECT_THAT(SummaryTable(s), HasSubstr("-  not proven"));
  s.stats.sum_bytes = s.arenas[0].bytes;
  EXPECT_THAT(SummaryTable(s), HasSubstr("; the arena is as large\n"));
  s.stats.sum_bytes = s.arenas[0].bytes / 2;
  EXPECT_THAT(SummaryTable(s), HasSubstr("; the arena is 100.00% larger, by alignment, scratch or pins\n"));
}

}  // namespace
}  // namespace bufplan
