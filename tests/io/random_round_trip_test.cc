// Random graphs and their plans, from the naive one and from the planner, survive writing and reading unchanged.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "io/json_plan.h"
#include "planner/make_plan.h"
#include "planner/options.h"
#include "tests/io/graph_equal.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/random_graph.h"

namespace bufplan {
namespace {

constexpr uint64_t kSeedsPerProfile = 100;

void ExpectPlanRoundTrip(const Graph& graph, const Plan& plan) {
  const std::string text = WritePlanJson(graph, plan);
  const absl::StatusOr<Plan> again = ReadPlanJson(text, graph);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  EXPECT_EQ(PlanDifference(graph, plan, *again), "") << text;
  EXPECT_EQ(WritePlanJson(graph, *again), text);
}

TEST(RandomRoundTrip, GraphsAndPlans) {
  int planned = 0;
  for (const RandomGraphOptions& options : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 0; seed < kSeedsPerProfile && !HasFailure(); ++seed) {
      SCOPED_TRACE(options.name + ", seed " + std::to_string(seed));
      const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
      ASSERT_TRUE(graph.ok()) << graph.status();
      const std::string text = WriteGraphJson(*graph);
      const absl::StatusOr<Graph> again = ReadGraphJson(text);
      ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
      EXPECT_EQ(GraphDifference(*graph, *again), "") << text;
      EXPECT_EQ(WriteGraphJson(*again), text);
      ExpectPlanRoundTrip(*graph, NaivePlan(*graph));
      const absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = Effort::kFast, .check = false});
      if (!plan.ok()) continue;  // Not what this test is about.
      ++planned;
      ExpectPlanRoundTrip(*graph, *plan);
    }
  }
  EXPECT_GT(planned, 0);
}

}  // namespace
}  // namespace bufplan
