#include "planner/reuse/reuse_edges.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/planner/cases/plan_case.h"
#include "tests/planner/cases/small_orders.h"
#include "tests/planner/reuse/fewest_edges.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

Graph BuildOrDie(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

bool HasEdge(const Plan& plan, OpId before, OpId after) {
  return std::any_of(plan.added_order.begin(), plan.added_order.end(),
                     [&](const AddedEdge& e) { return e.before == before && e.after == after; });
}

// Programs of 3 to 7 ops on 2 or 3 streams: nothing in place, no groups.
SmallOrder RandomProgram(std::mt19937_64& random) {
  const size_t n = 3 + random() % 5, pairs = n * (n - 1) / 2;
  const uint64_t num_streams = 2 + random() % 2;
  std::vector<int32_t> stream;
  for (size_t i = 0; i < n; ++i) stream.push_back(static_cast<int32_t>(random() % num_streams));
  const uint64_t mask = (uint64_t{1} << pairs) - 1;
  const uint64_t reads = random() & random() & mask, edges = random() & random() & random() & random() & mask;
  SmallOrder order = FromMasks(stream, static_cast<uint32_t>(reads), static_cast<uint32_t>(edges));
  AddExtras(random, order);
  order.group.reset();
  while (order.num_values() > 8) {  // so that all sets can be tried
    --order.num_inputs;
    const size_t gone = order.num_values();
    order.bytes.pop_back();
    std::erase(order.outputs, gone);
    std::erase_if(order.reads, [gone](const auto& r) { return r.first == gone; });
    std::erase_if(order.keep, [gone](const auto& k) { return k.first == gone; });
  }
  return order;
}

struct Tally {
  int capacities = 0;                  // that so many edges reach, by the heaviest values alone
  int refused = 0;                     // of them, refused
  int more = 0;                        // planned with more edges than that
  int fewest = 0, edges = 0;           // of the planned ones
  int serial = 0, serial_refused = 0;  // capacities at the least peak of all runs
};

void Reach(const Graph& graph, const SmallOrder& order, int64_t capacity, int fewest, Effort effort, Tally& tally) {
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = effort, .capacity_bytes = capacity});
  ++tally.capacities;
  if (!plan.ok()) {
    ASSERT_TRUE(absl::IsDeadlineExceeded(plan.status())) << plan.status() << "\n" << order.Text();
    ++tally.refused;
    return;
  }
  const int edges = static_cast<int>(plan->added_order.size());
  ASSERT_LE(plan->arenas[0].bytes, capacity) << order.Text();
  ASSERT_GE(edges, fewest) << order.Text() << "; capacity " << capacity;
  ExpectEachEdgeNeeded(graph, *plan);
  tally.fewest += fewest;
  tally.edges += edges;
  tally.more += edges > fewest;
}

// Held against all sets of up to 4 edges.
TEST(ReuseEdges, AreTheFewest) {
  constexpr int kMaxEdges = 4;
  std::mt19937_64 random(61);
  Tally tally[2];
  for (int round = 0; round < 400; ++round) {
    const SmallOrder order = RandomProgram(random);
    const Graph graph = BuildOrDie(BuilderOf(order));
    const std::vector<int64_t> least = LeastBytesByEdges(order, kMaxEdges);
    const int64_t peak = AllRuns(order).LeastPeak();
    ASSERT_EQ(least[0], AllRuns(order).HeaviestAntichain()) << order.Text();
    ASSERT_GE(least.back(), peak) << order.Text();
    for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
      Tally& t = tally[effort == Effort::kDefault];
      for (int k = 1; k <= kMaxEdges; ++k) {
        const size_t i = static_cast<size_t>(k);
        if (least[i] == least[i - 1]) continue;
        Reach(graph, order, least[i], k, effort, t);          // just enough
        Reach(graph, order, least[i - 1] - 1, k, effort, t);  // just not enough for one edge less
        if (HasFatalFailure()) return;
      }
      if (peak == least[0]) continue;
      ++t.serial;
      const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = effort, .capacity_bytes = peak});
      t.serial_refused += !plan.ok();
      ASSERT_FALSE(absl::IsResourceExhausted(plan.status())) << plan.status() << "\n" << order.Text();
    }
  }
  for (const Tally& t : tally) {
    std::printf(
        "%d capacities, %d refused; of the others %d with more edges than the fewest: %d instead of %d; of %d least "
        "peaks of all runs %d refused\n",
        t.capacities, t.refused, t.more, t.edges, t.fewest, t.serial, t.serial_refused);
    EXPECT_GT(t.capacities, 500);
    EXPECT_EQ(t.refused, 0);
    EXPECT_EQ(t.edges, t.fewest);
    EXPECT_EQ(t.serial_refused, 0);
  }
}

TEST(ReuseEdges, NoneWhereThereIsRoom) {
  std::mt19937_64 random(62);
  for (int round = 0; round < 300; ++round) {
    const SmallOrder order = RandomProgram(random);
    const Graph graph = BuildOrDie(BuilderOf(order));
    for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
      const absl::StatusOr<Plan> free = MakePlan(graph, {.effort = effort, .reuse_edges = ReuseEdges::kNever});
      ASSERT_TRUE(free.ok()) << free.status();
      ASSERT_TRUE(free->added_order.empty()) << "nothing is shared";
      const absl::StatusOr<Plan> plan = MakePlan(graph, {.effort = effort, .capacity_bytes = free->arenas[0].bytes});
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_TRUE(plan->added_order.empty()) << order.Text();
    }
  }
}

// And never below what some run needs; below that, nothing fits.
TEST(ReuseEdges, AllowedOnesNeverCostBytes) {
  std::mt19937_64 random(63);
  int lower = 0, at_least_peak = 0, could_be_lower = 0;
  for (int round = 0; round < 300; ++round) {
    const SmallOrder order = RandomProgram(random);
    const Graph graph = BuildOrDie(BuilderOf(order));
    const int64_t peak = AllRuns(order).LeastPeak();
    for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
      const absl::StatusOr<Plan> free = MakePlan(graph, {.effort = effort});
      const absl::StatusOr<Plan> least = MakePlan(graph, {.effort = effort, .reuse_edges = ReuseEdges::kAllow});
      ASSERT_TRUE(free.ok() && least.ok()) << free.status() << least.status();
      ASSERT_LE(least->arenas[0].bytes, free->arenas[0].bytes) << order.Text();
      ASSERT_GE(least->arenas[0].bytes, peak) << order.Text();
      const bool lowered = least->arenas[0].bytes < free->arenas[0].bytes;
      EXPECT_TRUE(lowered || least->added_order.empty()) << order.Text();
      ExpectEachEdgeNeeded(graph, *least);
      could_be_lower += free->arenas[0].bytes > peak;
      lower += lowered;
      at_least_peak += free->arenas[0].bytes > peak && least->arenas[0].bytes == peak;
      for (const ReuseEdges reuse : {ReuseEdges::kIfShort, ReuseEdges::kAllow}) {
        const absl::StatusOr<Plan> none =
            MakePlan(graph, {.effort = effort, .capacity_bytes = peak - 1, .reuse_edges = reuse});
        ASSERT_FALSE(none.ok()) << order.Text();
      }
    }
  }
  std::printf("%d plans could be lower, %d are, %d as low as any run\n", could_be_lower, lower, at_least_peak);
  EXPECT_GE(at_least_peak * 100, could_be_lower * 96);  // measured: 463, 457, 449
}

// Only what every run needs is proven to be needed.
TEST(ReuseEdges, ARefusalSaysWhetherItIsProven) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId k0 = g.Op("k0", {}, 100, {}, {.stream = s0}), k1 = g.Op("k1", {}, 100, {}, {.stream = s1});
  const ValueId m0 = g.Op("m0", {k0}, 50, {}, {.stream = s0});
  g.R("r1", {k1}, {.stream = s1});
  g.R("r0", {m0}, {.stream = s0});
  const Graph graph = BuildOrDie(std::move(g));
  EXPECT_TRUE(MakePlan(graph, {.capacity_bytes = 150}).ok());
  for (const Effort effort : {Effort::kFast, Effort::kDefault}) {
    const absl::Status status = MakePlan(graph, {.effort = effort, .capacity_bytes = 149}).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("space \"device\" needs at least 150 bytes, and 150 are known to work"));
  }
}

// The ops of the streams in turns: whichever stream waits for another one, the edge leads back in the list.
TEST(ReuseEdges, LeadBackwardInTheListWhereThatHelps) {
  CaseGraph g;
  const StreamId s[] = {g.AddStream("s0"), g.AddStream("s1"), g.AddStream("s2")};
  std::vector<ValueId> k;
  for (int i = 0; i < 3; ++i) k.push_back(g.Op("", {}, 100, {}, {.stream = s[i]}));
  for (int i = 0; i < 3; ++i) g.R("", {k[static_cast<size_t>(i)]}, {.stream = s[i]});
  const Graph graph = BuildOrDie(std::move(g));
  for (const int64_t capacity : {100, 200}) {
    PlanAtEveryEffort(graph, {.capacity_bytes = capacity}, [&](const Plan& plan) {
      EXPECT_EQ(ArenaBytes(plan), capacity);
      EXPECT_EQ(plan.added_order.size(), capacity == 100 ? 2u : 1u);
      for (const AddedEdge& e : plan.added_order) EXPECT_GT(e.before, e.after);
      ExpectEachEdgeNeeded(graph, plan);
    });
  }
}

// What comes next waits for the readers on either stream.
TEST(ReuseEdges, AsManyAsThereAreStreamsToWaitFor) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1"), s2 = g.AddStream("s2");
  const ValueId x = g.Op("x", {}, 100, {}, {.stream = s0});
  const OpId r1 = g.R("r1", {x}, {.stream = s1}), r2 = g.R("r2", {x}, {.stream = s2});
  const ValueId y = g.Op("y", {}, 100, {}, {.stream = s0});
  const OpId write = g.last_op();
  g.R("ry", {y}, {.stream = s0});
  const Graph graph = BuildOrDie(std::move(g));
  PlanAtEveryEffort(graph, {.capacity_bytes = 199}, [&](const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, y));
    EXPECT_EQ(plan.added_order.size(), 2u);
    EXPECT_TRUE(HasEdge(plan, r1, write));
    EXPECT_TRUE(HasEdge(plan, r2, write));
    ExpectEachEdgeNeeded(graph, plan);
  });
}

TEST(ReuseEdges, ForScratch) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  g.R("a", {}, {.stream = s0, .scratch_bytes = 100});
  g.R("b", {}, {.stream = s1, .scratch_bytes = 100});
  const Graph graph = BuildOrDie(std::move(g));
  PlanAtEveryEffort(graph, {.capacity_bytes = 150}, [&](const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), 100);
    ASSERT_EQ(plan.added_order.size(), 1u);
    EXPECT_THAT(plan.added_order[0].why, HasSubstr("scratch of \"a\""));
    EXPECT_THAT(plan.added_order[0].why, HasSubstr("scratch of \"b\""));
    ExpectEachEdgeNeeded(graph, plan);
  });
}

// The device is short, the host is short, or both are; one edge may serve both.
TEST(ReuseEdges, ForSeveralSpaces) {
  for (int short_of = 0; short_of < 4; ++short_of) {
    CaseGraph g;
    const bool device_short = (short_of & 1) != 0, host_short = (short_of & 2) != 0;
    g.AddSpace("device", {.capacity_bytes = device_short ? 100 : 200});
    const SpaceId host = g.AddSpace("host", {.capacity_bytes = host_short ? 100 : 200});
    const StreamId s[] = {g.AddStream("s0"), g.AddStream("s1")};
    for (int i = 0; i < 2; ++i) {
      const ValueId d = g.Op("", {}, 100, {}, {.stream = s[i]});
      const ValueId h = g.Transfer("", d, Target("", {.space = host}), {.stream = s[i]});
      g.R("", {h}, {.stream = s[i]});
    }
    const Graph graph = BuildOrDie(std::move(g));
    PlanAtEveryEffort(graph, {}, [&](const Plan& plan) {
      EXPECT_LE(plan.arenas[0].bytes, device_short ? 100 : 200);
      EXPECT_LE(plan.arenas[1].bytes, host_short ? 100 : 200);
      EXPECT_GE(plan.added_order.size(), device_short || host_short ? 1u : 0u);
      EXPECT_LE(plan.added_order.size(), device_short && host_short ? 2u : device_short || host_short ? 1u : 0u);
      ExpectEachEdgeNeeded(graph, plan);
    });
  }
}

// A group runs as one: the other stream waits for all of it, or it for all of the other stream.
TEST(ReuseEdges, ForGroups) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId x = g.Op("x", {}, 100, {}, {.stream = s0});
  const ValueId inside = g.Op("f1", {x}, 100, {}, {.stream = s0});
  const ValueId y = g.Op("y", {}, 100, {}, {.stream = s1});
  const OpId ry = g.R("ry", {y}, {.stream = s1});
  g.Op("f2", {inside}, 10, {}, {.stream = s0});
  const OpId last = g.last_op();
  g.AddFusion({.name = "f", .ops = {OpId(1), last}, .required = true});
  const Graph graph = BuildOrDie(std::move(g));
  PlanAtEveryEffort(graph, {.capacity_bytes = 115}, [&](const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, y));
    EXPECT_EQ(plan.added_order.size(), 1u);
    EXPECT_TRUE(HasEdge(plan, last, OpId(2)) || HasEdge(plan, ry, OpId(0)));
    ExpectEachEdgeNeeded(graph, plan);
  });
}

}  // namespace
}  // namespace bufplan
