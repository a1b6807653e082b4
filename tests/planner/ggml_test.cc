// Real graphs, planned end to end: never above the buffer that ggml's own allocator asked for, and close to the bytes
// that are live at once.
#include "io/ggml.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/checker.h"
#include "planner/make_plan.h"
#include "tests/planner/ggml_dumps.h"

namespace bufplan {
namespace {

class GgmlTest : public testing::TestWithParam<const char*> {};

TEST_P(GgmlTest, FitsIntoGgmlsOwnBuffer) {
  const GgmlDump dump = GgmlDumpOf(GetParam());
  const absl::StatusOr<Graph> graph = GraphOfGgmlDump(dump);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (Effort effort : {Effort::kFast, Effort::kDefault}) {
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = effort, .check = false});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<CheckReport> report = CheckPlan(*graph, *plan);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->ok()) << report->violations[0].message;
    EXPECT_TRUE(report->exact);
    EXPECT_LE(plan->arenas[0].bytes, dump.buffer_size_bytes);
    EXPECT_GE(plan->arenas[0].bytes, plan->arenas[0].lower_bound);
    EXPECT_EQ(plan->stats.copies_kept, 0) << "ggml's writes into views are in place";
  }
}

INSTANTIATE_TEST_SUITE_P(All, GgmlTest, testing::ValuesIn(kGgmlGraphs),
                         [](const auto& info) { return std::string(info.param); });

TEST(GgmlQualityTest, IsWithinTwoPercentOfTheLiveBytesOnMostGraphs) {
  int close = 0;
  for (const char* name : kGgmlGraphs) {
    const GgmlDump dump = GgmlDumpOf(name);
    const absl::StatusOr<Graph> graph = GraphOfGgmlDump(dump);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {.check = false});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const double ratio = static_cast<double>(plan->arenas[0].bytes) / static_cast<double>(dump.peak_live_bytes);
    close += ratio <= 1.02;
    RecordProperty(name, std::to_string(ratio));
  }
  EXPECT_GE(close, 9);
}

}  // namespace
}  // namespace bufplan
