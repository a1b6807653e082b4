// Plans whose time is over before they begin, or never: no test here depends on how fast the machine is.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/make_plan.h"
#include "planner/placement/shortfall.h"
#include "planner/plan_problem.h"
#include "tests/oracle/random_graph.h"

namespace bufplan {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

const Deadline kPast(std::chrono::steady_clock::time_point::min());
constexpr absl::Duration kYear = absl::Hours(9000);

int64_t BytesOf(const Plan& plan) {
  int64_t bytes = 0;
  for (const Arena& arena : plan.arenas) bytes += arena.bytes;
  return bytes;
}

// One way to share, one set of groups. MakePlan() holds every plan against the checker.
TEST(TimeLimit, ATimeThatIsOverLeavesAValidPlan) {
  for (const RandomGraphOptions& kind : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      const absl::StatusOr<Graph> graph = RandomGraph(kind, seed);
      ASSERT_TRUE(graph.ok()) << graph.status();
      for (const Effort effort : {Effort::kFast, Effort::kDefault, Effort::kMax}) {
        for (const ReuseEdges reuse : {ReuseEdges::kIfShort, ReuseEdges::kAllow}) {
          const absl::StatusOr<Plan> plan =
              MakePlan(*graph, {.effort = effort, .reuse_edges = reuse, .deadline = kPast});
          ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.status();
        }
      }
    }
  }
}

TEST(TimeLimit, ATimeThatIsNotReachedChangesNothing) {
  for (const RandomGraphOptions& kind : RandomGraphOptions::Profiles()) {
    for (uint64_t seed = 1; seed <= 25; ++seed) {
      const absl::StatusOr<Graph> graph = RandomGraph(kind, seed);
      ASSERT_TRUE(graph.ok()) << graph.status();
      const absl::StatusOr<Plan> plan = MakePlan(*graph), timed = MakePlan(*graph, {.time_limit = kYear});
      ASSERT_TRUE(plan.ok() && timed.ok()) << plan.status() << timed.status();
      EXPECT_EQ(plan->locations, timed->locations) << "seed " << seed;
    }
  }
}

// Six values of which the greedy orders waste a byte, on one stream.
Graph SmallGraph() {
  GraphBuilder b;
  std::vector<ValueId> values;
  for (int i = 0; i < 12; ++i) {
    std::vector<Operand> reads;
    for (int k : {i - 1, i - 3, i - 4}) {
      if (k >= 0) reads.emplace_back(values[static_cast<size_t>(k)]);
    }
    values.push_back(b.Compute(absl::StrCat("op", i), {.reads = reads, .writes = {{.bytes = 40 + 37 * i % 90}}}));
  }
  b.Output(values.back());
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

// Nothing else ends this search: it has to find its proof.
TEST(TimeLimit, UntilProven) {
  const Graph graph = SmallGraph();
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = Effort::kMax, .time_limit = kYear});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->optimal);
  EXPECT_LE(BytesOf(*plan), BytesOf(*MakePlan(graph)));
}

TEST(TimeLimit, IsAnOptionOfThePlan) {
  const Graph graph = SmallGraph();
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = Effort::kFast, .time_limit = absl::Milliseconds(2500)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->options, Contains(Pair("time_limit", "2.5")));
  const absl::StatusOr<Plan> untimed = MakePlan(graph);
  ASSERT_TRUE(untimed.ok()) << untimed.status();
  for (const auto& [name, value] : untimed->options) EXPECT_NE(name, "time_limit");
  for (const absl::Duration bad : {absl::ZeroDuration(), absl::Seconds(-1), -absl::InfiniteDuration()}) {
    const absl::Status refused = MakePlan(graph, {.time_limit = bad}).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(refused.message()), HasSubstr("must be > 0"));
  }
}

TEST(TimeLimit, AMissedCapacityIsProvenOrGivenUp) {
  const Graph graph = SmallGraph();
  const int64_t least = BytesOf(*MakePlan(graph, {.effort = Effort::kMax}));
  const absl::Status proven = MakePlan(graph, {.capacity_bytes = 100, .deadline = kPast}).status();
  EXPECT_EQ(proven.code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(ShortfallOf(proven).has_value());
  EXPECT_EQ(ShortfallOf(proven)->capacity_bytes, 100);
  EXPECT_GT(ShortfallOf(proven)->lower_bound_bytes, 100);
  EXPECT_GE(ShortfallOf(proven)->best_bytes, least);
  EXPECT_EQ(ShortfallOf(proven)->space, "device");
}

// With the two streams one after the other it would fit, so nothing is proven where that was not tried.
TEST(TimeLimit, EdgesThatWereNotTriedAreNoProof) {
  GraphBuilder b;
  const StreamId s0 = b.AddStream("s0"), s1 = b.AddStream("s1");
  for (const StreamId s : {s0, s1}) {
    const ValueId x = b.Compute(absl::StrCat("x", s.value), {.writes = {{.bytes = 100}}, .options = {.stream = s}});
    b.Compute(absl::StrCat("r", s.value), {.reads = {x}, .options = {.stream = s}});
  }
  absl::StatusOr<Graph> graph = std::move(b).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(MakePlan(*graph, {.capacity_bytes = 100}).ok());
  const absl::Status cut = MakePlan(*graph, {.capacity_bytes = 100, .deadline = kPast}).status();
  EXPECT_EQ(cut.code(), absl::StatusCode::kDeadlineExceeded) << cut;
  ASSERT_TRUE(ShortfallOf(cut).has_value());
  EXPECT_LE(ShortfallOf(cut)->lower_bound_bytes, 100);
  const absl::Status never =
      MakePlan(*graph, {.capacity_bytes = 100, .reuse_edges = ReuseEdges::kNever, .deadline = kPast}).status();
  EXPECT_EQ(never.code(), absl::StatusCode::kResourceExhausted) << never;
}

TEST(TimeLimit, Problems) {
  Problem problem;
  const int64_t lives[][3] = {{0, 4, 9}, {1, 6, 7}, {2, 3, 12}, {3, 9, 5}, {4, 7, 11}, {5, 9, 6}, {6, 8, 8}};
  for (const auto& [begin, end, bytes] : lives) {
    Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = absl::StrCat("b", problem.buffers.size());
    buffer.bytes = bytes;
    buffer.begin = begin;
    buffer.end = end;
  }
  PlanProblemOptions options;
  options.placement.effort = PlacementEffort::kMax;
  options.placement.deadline = kPast;
  const absl::StatusOr<ProblemPlan> cut = PlanProblem(problem, options);
  ASSERT_TRUE(cut.ok()) << cut.status();
  options.placement.deadline = Deadline(std::chrono::steady_clock::now() + absl::ToChronoHours(kYear));
  const absl::StatusOr<ProblemPlan> best = PlanProblem(problem, options);
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_TRUE(best->optimal);
  EXPECT_LE(best->bytes, cut->bytes);
  problem.capacity_bytes = best->bytes;
  EXPECT_TRUE(PlanProblem(problem, options).ok());
  problem.capacity_bytes = best->bytes - 1;
  const absl::Status proven = PlanProblem(problem, options).status();
  EXPECT_EQ(proven.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ShortfallOf(proven)->lower_bound_bytes, best->bytes);
  EXPECT_EQ(ShortfallOf(proven)->best_bytes, best->bytes);
}

}  // namespace
}  // namespace bufplan
