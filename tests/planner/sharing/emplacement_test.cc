// Values that are made where they are going to be copied to, or lie where others of their copies do: nothing moves that
// need not.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

// A half of q goes into a concat: q lies there and hangs over, before its first byte or behind its last one.
TEST(Emplacement, AValueOfWhichAPartIsCopiedHangsOver) {
  for (const bool lower : {false, true}) {
    CaseGraph g;
    const ValueId q = g.Op("fq", {}, 64);
    const ValueId part = g.Slice("part", q, lower ? 0 : 32, 32);
    const ValueId other = g.Op("fo", {}, 16);
    const ValueId c = lower ? g.Concat("concat", {other, part}, "c") : g.Concat("concat", {part, other}, "c");
    g.R("rq", {q});
    g.Output(c);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      EXPECT_EQ(OffsetOf(graph, plan, c) - OffsetOf(graph, plan, q), lower ? -16 : 32);
    });
  }
}

TEST(Emplacement, NobodyReachesOutOfTheCallersStorage) {
  CaseGraph g;
  const ValueId k = g.Variable("K", 48);
  const ValueId q = g.Op("fq", {}, 64);
  const ValueId c = g.Concat("concat", {g.Slice("part", q, 32, 32), g.Op("fo", {}, 16)}, "c");
  g.Commit("commit", c, k);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) { ExpectOneCopy(graph, plan, 32); });
}

// c = [a, b], d = [a, b, x]: c is the beginning of d.
TEST(Emplacement, AConcatThatAnotherOneBeginsWith) {
  CaseGraph g;
  const ValueId a = g.Op("fa", {}, 64), b = g.Op("fb", {}, 64);
  const ValueId c = g.Concat("c", {a, b});
  g.R("rc", {c});
  const ValueId x = g.Op("fx", {}, 8);
  const ValueId d = g.Concat("d", {a, b, x});
  g.Output(d);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameStart(graph, plan, c, d));
    EXPECT_EQ(ArenaBytes(plan), 136);
  });
}

// However deep concats are nested, all of it is written straight into the outermost.
TEST(Emplacement, NestedConcats) {
  for (const int depth : {2, 9, 10, 40}) {
    SCOPED_TRACE(depth);
    CaseGraph g;
    ValueId all = g.Op("f0", {}, 8);
    for (int i = 1; i <= depth; ++i) {
      const ValueId next = g.Op(absl::StrCat("f", i), {}, 8);
      all = g.Concat(absl::StrCat("concat", i), {all, next});
    }
    g.Output(all);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      EXPECT_EQ(ArenaBytes(plan), 8 * (depth + 1));
    });
  }
}

// Where one copy had to be made, the others are it.
TEST(Emplacement, CopiesOfTheSameBytesAreOne) {
  CaseGraph g;
  const ValueId k = g.Constant("K", 64);
  const ValueId a = g.Concat("a", {k, k}), b = g.Concat("b", {k, k});
  g.Output(a);
  g.Output(b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 128);
    EXPECT_TRUE(SameBytes(graph, plan, a, b));
  });
}

TEST(Emplacement, BytesThatAreThereAlreadyAreNotWrittenAgain) {
  CaseGraph g;
  const ValueId k = g.Constant("K", 64);
  const ValueId a = g.Concat("a", {k, k});
  g.R("ra", {a});
  const ValueId b = g.Update("b", a, k, 64);
  g.Output(b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 128);
    EXPECT_TRUE(SameBytes(graph, plan, a, b));
  });
}

// A movement without parts, which carries its base.
TEST(Emplacement, ACopyOfNothing) {
  CaseGraph g;
  const ValueId x = g.Input("x", 16, {.preserve = true});
  g.Output(g.Copy("copy", {}, x, 16));
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) { EXPECT_LE(plan.stats.bytes_copied, 16) << graph.name(); });
}

TEST(Emplacement, TwoDownloadsOfOneValue) {
  CaseGraph g;
  g.AddSpace("device", {});
  const SpaceId host = g.AddSpace("host", {});
  const ValueId x = g.Op("fx", {}, 64);
  const ValueId h1 = g.Transfer("t1", x, {"h1", {.space = host}});
  const ValueId h2 = g.Transfer("t2", x, {"h2", {.space = host}});
  g.Output(h1);
  g.Output(h2);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 64);
    EXPECT_TRUE(SameBytes(graph, plan, h1, h2));
  });
}

// s lies on K at first, and K is going to be overwritten: then s is copied, and t is s.
TEST(Emplacement, WhoMustLeaveAStorageLooksForAnother) {
  CaseGraph g;
  const ValueId k = g.Variable("K", 16);
  const ValueId s = g.Slice("s", k, 0, 16);
  const ValueId k1 = g.W("w", k, 0, 16);
  const ValueId t = g.Slice("t", s, 0, 16);
  g.Commit("commit", k1, k);
  g.Output(t);
  g.R("rs", {s});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) { ExpectOneCopy(graph, plan, 16); });
}

// A slice that is needed late keeps the large value that it is a slice of, so it had better be copied; the other slices
// are none the worse for that.
TEST(Emplacement, OnlyWhatCostsMemoryIsCopied) {
  CaseGraph g;
  ValueId last = g.Input("i", 64);
  for (int i = 0; i < 20; ++i) {
    const ValueId a = g.Op("", {last}, 4096);
    last = g.Op("", {g.Slice("", a, 1024, 1024)}, 64);
  }
  const ValueId large = g.Op("fl", {last}, 1 << 20);
  const ValueId late = g.Slice("late", large, 1 << 19, 4096);
  const ValueId other = g.Op("fo", {}, 1 << 20);
  g.Output(g.Op("end", {late, other}, 64));
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    if (plan.stats.bytes_copied == 0) {  // fewest copies
      EXPECT_GT(ArenaBytes(plan), (1 << 20) + (1 << 18));
    } else {
      ExpectOneCopy(graph, plan, 4096);
      EXPECT_LE(ArenaBytes(plan), (1 << 20) + 4096 + 64);
    }
  });
}

}  // namespace
}  // namespace bufplan
