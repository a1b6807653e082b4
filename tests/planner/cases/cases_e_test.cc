// Section E of docs/cases.md: liveness.
#include <algorithm>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/where.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

TEST(CasesE, E1AnUnreadResultStillNeedsItsBytesAtItsOp) {
  CaseGraph g;
  const Results r = g.Compute("f", {.reads = {}, .writes = {{.name = "a", .bytes = 100}, {.name = "u", .bytes = 100}}});
  const ValueId b = g.Op("g", {}, 100);
  g.R("r", {r[0], b});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, r[0], r[1]));
    EXPECT_TRUE(SameBytes(graph, plan, b, r[1]));
    EXPECT_EQ(ArenaBytes(plan), 200);
  });
}

TEST(CasesE, E2AValueThatNobodyReadsDiesAtOnce) {
  CaseGraph g;
  const ValueId a = g.Op("f", {}, 100), b = g.Op("g", {}, 100);
  g.R("r", {b});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, a, b));
    EXPECT_EQ(ArenaBytes(plan), 100);
  });
}

TEST(CasesE, E2AViewThatNobodyReadsKeepsNothingAlive) {
  CaseGraph g;
  const ValueId a = g.Op("f", {}, 100), b = g.Op("g", {}, 100);
  g.R("r", {b});
  const ValueId view = g.View("v", a, 0, 50);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, a, b));
    EXPECT_TRUE(SameStart(graph, plan, a, view));
    EXPECT_EQ(ArenaBytes(plan), 100);
  });
}

TEST(CasesE, E2ABaseThatNobodyReadsDiesWhereItIsOverwritten) {
  CaseGraph g;
  const ValueId x = g.Input("x", 100);
  const ValueId a = g.Op("f", {}, 100);
  const ValueId x1 = g.W("w", x, 0, 100);  // nobody reads this either
  const ValueId b = g.Op("g", {}, 100);
  g.R("r", {b});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_EQ(SameBytes(graph, plan, a, x), !IsFast(plan));
    EXPECT_EQ(ArenaBytes(plan), IsFast(plan) ? 200 : 100);
  });
}

// The store is in other bytes than those that are read later: it is in the root, and the root lives on.
TEST(CasesE, E3AStoreIntoAPartOfAValueThatIsReadLater) {
  CaseGraph g;
  const ValueId root = g.Op("f", {}, 128);
  const ValueId stored = g.W("store", root, 0, 64);
  const ValueId between = g.Op("g", {}, 64);
  g.R("rb", {between});
  g.R("rr", root, 64, 64);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, root, stored));
    EXPECT_TRUE(SameStart(graph, plan, root, between));  // nobody reads what was stored
    EXPECT_EQ(ArenaBytes(plan), 128);
  });
}

// The store is in bytes whose old content is read later: it works on a copy, and the root lives on.
TEST(CasesE, E3AStoreIntoBytesThatAreReadLater) {
  CaseGraph g;
  const ValueId root = g.Op("f", {}, 128);
  const ValueId stored = g.W("store", root, 0, 64);
  const ValueId between = g.Op("g", {}, 128);
  g.R("rb", {between});
  g.R("rr", {root});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, root, stored));
    EXPECT_FALSE(Overlap(graph, plan, root, between));
    EXPECT_TRUE(SameBytes(graph, plan, stored, between));  // nobody reads what was stored
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesE, E4AnInputIsReusedAfterItsLastReader) {
  for (const bool preserve : {false, true}) {
    SCOPED_TRACE(preserve ? "preserve" : "");
    CaseGraph g;
    const ValueId x = g.Input("x", 100, {.preserve = preserve});
    const ValueId a = g.Op("f", {x}, 50);
    const ValueId b = g.Op("g", {a}, 100);
    g.R("r", {b});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(SameBytes(graph, plan, x, b), !preserve);
      EXPECT_EQ(Overlap(graph, plan, x, b), !preserve);
      EXPECT_EQ(ArenaBytes(plan), preserve ? 250 : 150);
    });
  }
}

TEST(CasesE, E5ScratchMeetsNothingOfItsOp) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 100), other = g.Op("h", {}, 100);
  const ValueId y = g.Op("g", {x}, 100, {}, {.scratch_bytes = 64});
  const ValueId z = g.Op("k", {y}, 64);
  g.R("r", {z, other});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ASSERT_EQ(plan.scratch.size(), 1u);
    EXPECT_EQ(graph.name(plan.scratch[0].op), "g");
    const int64_t at = plan.scratch[0].location.offset_bytes.constant();
    for (ValueId v : {x, y, other}) EXPECT_FALSE(RangeOf(graph, plan, v).Meets({at, at + 64})) << graph.name(v);
    EXPECT_EQ(ArenaBytes(plan), 364);  // the scratch is free again when z is made
  });
}

TEST(CasesE, E5ScratchMeetsNothingOfAConcurrentOp) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId x = g.Op("f", {}, 64, {}, {.stream = main, .scratch_bytes = 64});
  const ValueId y = g.Op("g", {}, 64, {}, {.stream = side, .scratch_bytes = 64});
  g.R("r", {x, y}, {.stream = main});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ASSERT_EQ(plan.scratch.size(), 2u);
    std::vector<int64_t> offsets = {OffsetOf(graph, plan, x), OffsetOf(graph, plan, y)};
    for (const ScratchPlace& s : plan.scratch) offsets.push_back(s.location.offset_bytes.constant());
    std::sort(offsets.begin(), offsets.end());
    EXPECT_THAT(offsets, testing::ElementsAre(0, 64, 128, 192));
  });
}

TEST(CasesE, E6AKeptValueIsNotTakenInPlace) {
  CaseGraph g;
  const ValueId v = g.Op("f", {}, 100);
  const ValueId r = g.Op("g", {v}, 100, {v});
  const ValueId q = g.Op("k", {r}, 100);
  g.KeepAliveUntil(v, g.last_op());
  const ValueId after = g.Op("after", {q}, 100);
  g.R("end", {after});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, v, r));
    EXPECT_FALSE(Overlap(graph, plan, v, q));
    EXPECT_FALSE(Overlap(graph, plan, r, q));
    EXPECT_EQ(ArenaBytes(plan), 300);
    EXPECT_TRUE(Overlap(graph, plan, after, v) || Overlap(graph, plan, after, r));
    EXPECT_THAT(NotesOn(graph, plan, "g"), HasSubstr("k still needs f.out there"));
  });
}

// Kept until the very op that could take it.
TEST(CasesE, E6AValueKeptUntilItsLastReaderIsNotTakenByIt) {
  for (const bool keep : {true, false}) {
    SCOPED_TRACE(keep ? "keep" : "");
    CaseGraph g;
    const ValueId v = g.Op("f", {}, 100);
    const ValueId r = g.Op("g", {v}, 100, {v});
    if (keep) g.KeepAliveUntil(v, g.last_op());
    g.R("end", {r});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(SameBytes(graph, plan, v, r), !keep);
      EXPECT_EQ(Overlap(graph, plan, v, r), !keep);
    });
  }
}

TEST(CasesE, E7AKeepAliveUntilAnEarlierOpIsRefused) {
  CaseGraph g;
  g.Op("early", {}, 8);
  const OpId early = g.last_op();
  const ValueId v = g.Op("f", {}, 8);
  g.KeepAliveUntil(v, early);
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("keep_alive of value \"f.out\" until op \"early\""));
  EXPECT_EQ(FaultPlace(refusal), "/keep_alive/0/until");
}

TEST(CasesE, E7AKeepAliveUntilAnUnknownOpIsRefused) {
  CaseGraph g;
  const ValueId v = g.Op("f", {}, 8);
  g.KeepAliveUntil(v, OpId(7));
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("keep_alive of value \"f.out\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("unknown op"));
  EXPECT_EQ(FaultPlace(refusal), "/keep_alive/0/until");
}

TEST(CasesE, E8TheSameKeepAliveTwiceCountsOnce) {
  for (const int times : {1, 2}) {
    CaseGraph g;
    const ValueId v = g.Op("f", {}, 100);
    const ValueId r = g.Op("g", {v}, 100, {v});
    const ValueId q = g.Op("k", {r}, 100);
    for (int i = 0; i < times; ++i) g.KeepAliveUntil(v, g.last_op());
    g.Output(q);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(graph.keep_alive().size(), 1u);
      EXPECT_EQ(ArenaBytes(plan), 300);
    });
  }
}

TEST(CasesE, E8AKeepAliveOfAConstantHasNoEffect) {
  CaseGraph g;
  const ValueId c = g.Constant("C", 100);
  const ValueId a = g.Op("f", {c}, 100);
  const ValueId b = g.Op("g", {a}, 100, {a});
  g.KeepAliveUntil(c, g.last_op());
  g.Output(b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, a, b));
    EXPECT_EQ(ArenaBytes(plan), 100);
  });
}

TEST(CasesE, E9TwoViewsOfOneRoot) {
  for (const bool read_after : {false, true}) {
    SCOPED_TRACE(read_after ? "read before and after" : "read before");
    CaseGraph g;
    const ValueId x = g.Op("f", {}, 256);
    const ValueId v0 = g.View("v0", x, 0, 128), v1 = g.View("v1", x, 64, 128);
    g.R("before", {v1});
    const ValueId w = g.W("w", v0, 0, 128);
    if (read_after) g.R("after", {v1});
    g.R("rw", {w});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(SameBytes(graph, plan, v0, w), !read_after);
      EXPECT_EQ(Overlap(graph, plan, v1, w), !read_after);
      EXPECT_EQ(ArenaBytes(plan), read_after ? 320 : 256);  // nobody reads [192, 256) of x: a place for half of w
    });
  }
}

}  // namespace
}  // namespace bufplan
