// Section F of docs/cases.md: streams.
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/make_plan.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CasesF, F1AForkIntoThreeBranches) {
  CaseGraph g;
  const StreamId s[] = {g.AddStream("s0"), g.AddStream("s1"), g.AddStream("s2")};
  const ValueId n = g.Op("n", {}, 64, {}, {.stream = s[0]});
  std::vector<ValueId> branch, all;
  for (int i = 0; i < 3; ++i) {
    const ValueId first = g.Op("", {n}, 64, {n}, {.stream = s[i]});
    const ValueId second = g.Op("", {first}, 64, {first}, {.stream = s[i]});
    branch.push_back(second);
    all.insert(all.end(), {first, second});
  }
  const ValueId join = g.Op("join", {branch[0], branch[1], branch[2]}, 64, {branch[0]}, {.stream = s[0]});
  g.Output(join);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    for (ValueId v : all) EXPECT_FALSE(Overlap(graph, plan, n, v)) << graph.name(v);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(SameBytes(graph, plan, all[2 * i], all[2 * i + 1]));
    EXPECT_TRUE(SameBytes(graph, plan, join, branch[0]));
    EXPECT_EQ(ArenaBytes(plan), 4 * 64);
    EXPECT_TRUE(plan.added_order.empty());
  });
}

TEST(CasesF, F2ACopyToTheHostOnAnotherStream) {
  for (const bool edge : {false, true}) {
    SCOPED_TRACE(edge ? "with an order edge" : "without an edge");
    CaseGraph g;
    g.AddSpace("device", {});
    const SpaceId host = g.AddSpace("host", {});
    const StreamId main = g.AddStream("main"), copies = g.AddStream("copies");
    const ValueId a = g.Op("fa", {}, 4096, {}, {.stream = main});
    const ValueId h = g.Transfer("to_host", a, Target("h", {.space = host}), {.stream = copies});
    const OpId transfer = g.last_op();
    const ValueId b = g.Op("k", {}, 4096, {}, {.stream = main});
    if (edge) g.Order(transfer, g.last_op());
    g.R("r", {b}, {.stream = main});
    g.Output(h);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(Overlap(graph, plan, a, b), edge);
      EXPECT_EQ(plan.arenas[0].bytes, edge ? 4096 : 8192);
      EXPECT_EQ(plan.arenas[1].bytes, 4096);
    });
  }
}

TEST(CasesF, F3AChainInPlaceAcrossStreams) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId a = g.Op("a", {}, 64, {}, {.stream = main});
  const ValueId b = g.Op("b", {a}, 64, {a}, {.stream = side});
  const ValueId c = g.Op("c", {b}, 64, {b}, {.stream = main});
  const ValueId d = g.Op("d", {}, 64, {}, {.stream = side});
  g.R("rd", {d}, {.stream = side});
  g.R("rc", {c}, {.stream = main});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, a, c));
    EXPECT_FALSE(Overlap(graph, plan, d, a));
    EXPECT_EQ(ArenaBytes(plan), 128);
  });
}

struct TwoMatmuls {
  CaseGraph graph;
  std::vector<ValueId> k, q;
  std::vector<OpId> readers;
};

TwoMatmuls MakeTwoMatmuls() {
  TwoMatmuls m;
  CaseGraph& g = m.graph;
  const StreamId streams[] = {g.AddStream("s0"), g.AddStream("s1")};
  for (const StreamId s : streams) {
    m.k.push_back(g.Op("", {}, 32768, {}, {.stream = s}));
    m.q.push_back(g.Op("", {}, 4096, {}, {.stream = s}));
    m.readers.push_back(g.R("", {m.k.back(), m.q.back()}, {.stream = s}));
  }
  return m;
}

TEST(CasesF, F4StreamsKeepTheirOverlapWhereThereIsRoom) {
  TwoMatmuls m = MakeTwoMatmuls();
  absl::StatusOr<Graph> graph = std::move(m.graph).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  PlanAtEveryEffort(*graph, {.capacity_bytes = 131072}, [&](const Plan& plan) {
    for (ValueId a : {m.k[0], m.q[0]}) {
      for (ValueId b : {m.k[1], m.q[1]}) EXPECT_FALSE(Overlap(*graph, plan, a, b));
    }
    EXPECT_TRUE(plan.added_order.empty());
    EXPECT_EQ(ArenaBytes(plan), 73728);
  });
}

// Both k together do not fit: one matmul waits for the other one.
TEST(CasesF, F4StreamsThatMustShare) {
  TwoMatmuls m = MakeTwoMatmuls();
  absl::StatusOr<Graph> graph = std::move(m.graph).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  PlanAtEveryEffort(*graph, {.capacity_bytes = 40960}, [&](const Plan& plan) {
    EXPECT_LE(ArenaBytes(plan), 40960);
    ASSERT_EQ(plan.added_order.size(), 1u);
    const AddedEdge& e = plan.added_order[0];
    EXPECT_EQ(graph->op(e.before).kind, OpKind::kCompute);
    EXPECT_EQ(e.before, m.readers[0]);
    EXPECT_EQ(e.after, *graph->producer(m.k[1]));
    EXPECT_THAT(e.why, HasSubstr("takes bytes of"));
    ExpectEachEdgeNeeded(*graph, plan);
  });
}

// What does not fit one after the other either is refused; one byte more is enough.
TEST(CasesF, F4NoEdgeHelpsBelowOneMatmul) {
  for (const int64_t capacity : {36863, 36864}) {
    TwoMatmuls m = MakeTwoMatmuls();
    absl::StatusOr<Graph> graph = std::move(m.graph).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {.capacity_bytes = capacity});
    EXPECT_EQ(plan.ok(), capacity == 36864) << plan.status();
  }
}

// The same with the ops of the streams in turns: the edge leads back in the list, from the first matmul's reader to the
// second one's first op.
TEST(CasesF, F4AnEdgeAgainstTheList) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId k0 = g.Op("k0", {}, 32768, {}, {.stream = s0}), k1 = g.Op("k1", {}, 32768, {}, {.stream = s1});
  const ValueId q0 = g.Op("q0", {}, 4096, {}, {.stream = s0}), q1 = g.Op("q1", {}, 4096, {}, {.stream = s1});
  g.R("m0", {k0, q0}, {.stream = s0});
  g.R("m1", {k1, q1}, {.stream = s1});
  absl::StatusOr<Graph> graph = std::move(g).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  PlanAtEveryEffort(*graph, {.capacity_bytes = 40960}, [&](const Plan& plan) {
    EXPECT_LE(ArenaBytes(plan), 40960);
    EXPECT_EQ(plan.added_order.size(), 1u);
    ExpectEachEdgeNeeded(*graph, plan);
  });
}

TEST(CasesF, F4EdgesThatLowerThePeakWhereAllowed) {
  for (const bool allow : {false, true}) {
    TwoMatmuls m = MakeTwoMatmuls();
    absl::StatusOr<Graph> graph = std::move(m.graph).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    PlanAtEveryEffort(*graph, {.reuse_edges = allow ? ReuseEdges::kAllow : ReuseEdges::kIfShort},
                      [&](const Plan& plan) {
                        EXPECT_EQ(ArenaBytes(plan), allow ? 36864 : 73728);
                        EXPECT_EQ(plan.added_order.size(), allow ? 1u : 0u);
                        ExpectEachEdgeNeeded(*graph, plan);
                      });
  }
}

TEST(CasesF, F5AWriteThatNoEdgeOrdersAfterARead) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1"), s2 = g.AddStream("s2");
  const ValueId x = g.Op("f", {}, 8, {}, {.stream = s0});
  g.R("r", x, 0, 4, {.stream = s0});
  const OpId r = g.last_op();
  const ValueId x1 = g.W("w1", x, 4, 4, {}, {.stream = s1});
  const ValueId x2 = g.W("w2", x1, 0, 4, {}, {.stream = s2});
  const OpId w2 = g.last_op();
  g.R("rx", {x2}, {.stream = s2});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));  // [4, 8) is nobody's
    bool ordered = false;
    for (const AddedEdge& e : plan.added_order) ordered = ordered || (e.before == r && e.after == w2);
    EXPECT_TRUE(ordered || !Overlap(graph, plan, x, x2));
  });
}

// Nobody reads of either version what the other one writes: both are x, at once.
TEST(CasesF, F6WritersOfDisjointRangesMayRunAtOnce) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId x = g.Op("f", {}, 8, {}, {.stream = s0});
  const ValueId x0 = g.W("w0", x, 0, 4, {}, {.stream = s0});
  const ValueId x1 = g.W("w1", x, 4, 4, {}, {.stream = s1});
  g.R("r0", x0, 0, 4, {.stream = s0});
  g.R("r1", x1, 4, 4, {.stream = s1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(plan.added_order.empty());
    EXPECT_TRUE(SameBytes(graph, plan, x, x0));
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 8);
  });
}

// One byte that both write, or that one reads and the other one writes. What is carried to a copy is read on one stream
// while the other one may write it, so neither can stay and each works on a copy.
TEST(CasesF, F6WritersOrReadersOfOneCommonByte) {
  for (const bool write : {true, false}) {
    SCOPED_TRACE(write ? "written by both" : "read by one");
    CaseGraph g;
    const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
    const ValueId x = g.Op("f", {}, 8, {}, {.stream = s0});
    const ValueId x0 = g.W("w0", x, 0, write ? 5 : 4, {}, {.stream = s0});
    const ValueId x1 = g.W("w1", x, 4, 4, {}, {.stream = s1});
    g.R("r0", x0, 0, 5, {.stream = s0});
    g.R("r1", x1, 4, 4, {.stream = s1});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(plan.added_order.empty());
      EXPECT_FALSE(Overlap(graph, plan, x0, x1));
      EXPECT_THAT(Moving(graph, plan), ElementsAre("w0", "w1"));
      EXPECT_EQ(plan.stats.bytes_copied, write ? 3 + 4 : 4 + 4);
      EXPECT_THAT(NotesOn(graph, plan, "w0"), HasSubstr("w1"));
    });
  }
}

// The same with an order edge from the first reader to the second writer: one carries, the other one stays.
TEST(CasesF, F6WritersOfOneCommonByteInOrder) {
  CaseGraph g;
  const StreamId s0 = g.AddStream("s0"), s1 = g.AddStream("s1");
  const ValueId x = g.Op("f", {}, 8, {}, {.stream = s0});
  const ValueId x0 = g.W("w0", x, 0, 5, {}, {.stream = s0});
  const OpId r0 = g.R("r0", x0, 0, 5, {.stream = s0});
  const ValueId x1 = g.W("w1", x, 4, 4, {}, {.stream = s1});
  g.Order(r0, g.last_op());
  g.R("r1", {x1}, {.stream = s1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, x0, x1));
    ExpectOneCopy(graph, plan, 3);  // w0 leaves three bytes
    EXPECT_EQ(ArenaBytes(plan), 16);
  });
}

}  // namespace
}  // namespace bufplan
