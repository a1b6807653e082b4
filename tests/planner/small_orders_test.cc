// Small programs on up to 3 streams, planned: never below the heaviest values of which no two may share bytes, found by
// running through all runs of the program; at the default effort with that very bound.
#include "tests/planner/cases/small_orders.h"

#include <cstdio>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"

namespace bufplan {
namespace {

constexpr uint64_t kSeed = 12;

struct Tally {
  int plans = 0, above = 0;  // above the bound
};

void PlanAndCompare(const SmallOrder& order, Tally& tally) {
  const AllRuns runs(order);
  const int64_t heaviest = runs.HeaviestAntichain();
  const absl::StatusOr<Graph> graph = BuilderOf(order).Build();
  ASSERT_TRUE(graph.ok()) << graph.status() << "\n" << order.Text();
  for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = effort});  // and the checker accepts it
    ASSERT_TRUE(plan.ok()) << plan.status() << "\n" << order.Text();
    const Arena& arena = plan->arenas[0];
    ASSERT_GE(arena.bytes, heaviest) << order.Text();
    ASSERT_LE(arena.lower_bound, heaviest) << order.Text();
    ASSERT_TRUE(plan->added_order.empty()) << order.Text();
    if (effort == Effort::kFast) continue;
    ASSERT_EQ(arena.lower_bound, heaviest) << order.Text();
    ASSERT_EQ(arena.optimal, arena.bytes == heaviest) << order.Text();
    ++tally.plans;
    tally.above += arena.bytes > heaviest;
  }
}

TEST(SmallOrders, AreBoundedByTheHeaviestAntichain) {
  std::mt19937_64 random(kSeed);
  Tally tally;
  for (size_t n = 1; n <= 5; ++n) {
    const uint32_t mask = (uint32_t{1} << (n * (n - 1) / 2)) - 1;
    for (const std::vector<int32_t>& streams : StreamsOf(n, 3)) {
      for (int i = 0; i < (n < 4 ? 60 : 400); ++i) {
        const uint32_t reads = static_cast<uint32_t>(random()), edges = static_cast<uint32_t>(random() & random());
        SmallOrder order = FromMasks(streams, reads & mask, (i % 2 == 0 ? edges : edges & reads) & mask);
        AddExtras(random, order);
        PlanAndCompare(order, tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  std::printf("%d programs, %d of them above the bound\n", tally.plans, tally.above);
  EXPECT_LT(tally.above, tally.plans / 100);
}

TEST(SmallOrders, NothingFitsBelowTheLeastPeakOfAllRuns) {
  std::mt19937_64 random(kSeed);
  int refused = 0;
  for (const std::vector<int32_t>& streams : StreamsOf(4, 3)) {
    for (int i = 0; i < 100; ++i) {
      SmallOrder order = FromMasks(streams, static_cast<uint32_t>(random()) & 63u, 0);
      AddExtras(random, order);
      const int64_t least = AllRuns(order).LeastPeak();
      const absl::StatusOr<Graph> graph = BuilderOf(order).Build();
      ASSERT_TRUE(graph.ok()) << graph.status() << "\n" << order.Text();
      const absl::StatusOr<Plan> plan = MakePlan(*graph, {.capacity_bytes = least - 1});
      ASSERT_FALSE(plan.ok()) << order.Text() << "\n" << plan->arenas[0].bytes << " of at least " << least;
      ASSERT_TRUE(absl::IsResourceExhausted(plan.status()) || absl::IsDeadlineExceeded(plan.status())) << plan.status();
      ++refused;
    }
  }
  EXPECT_EQ(refused, 1400);
}

}  // namespace
}  // namespace bufplan
