// Section B of docs/cases.md: slices and views.
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/where.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

TEST(CasesB, B1ASliceIsReadBeforeOtherBytesAreWritten) {
  CaseGraph g;
  const ValueId x = g.Input("X", 400);
  const ValueId s = g.Slice("s", x, 100, 100);
  const ValueId d = g.Op("D", {s}, 8);
  const ValueId x1 = g.W("w", x, 200, 100);
  g.Output(d);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 508);
  });
}

TEST(CasesB, B2ASliceIsReadBeforeItsBytesAreWritten) {
  CaseGraph g;
  const ValueId x = g.Input("X", 400);
  const ValueId s = g.Slice("s", x, 100, 100);
  const ValueId d = g.Op("D", {s}, 8);
  const ValueId x1 = g.W("w", x, 0, 200);
  g.Output(d);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 1);
  });
}

TEST(CasesB, B3OtherBytesAreWrittenBeforeASliceIsRead) {
  CaseGraph g;
  const ValueId x = g.Input("X", 400);
  const ValueId s = g.Slice("s", x, 0, 100);
  const ValueId x1 = g.W("w", x, 200, 100);
  const ValueId d = g.Op("D", {s}, 8);
  g.Output(d);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 1);
  });
}

// The same with a view: no copy in any version, so both must hold the right bytes in one storage.
TEST(CasesB, B3OtherBytesAreWrittenBeforeAViewIsRead) {
  CaseGraph g;
  const ValueId x = g.Input("X", 400);
  const ValueId s = g.View("s", x, 0, 100);
  const ValueId x1 = g.W("w", x, 200, 100);
  const ValueId d = g.Op("D", {s}, 8);
  g.Output(d);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_TRUE(SameStart(graph, plan, x, s));
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_EQ(ArenaBytes(plan), 408);
  });
}

TEST(CasesB, B4ASliceOfAWrittenValue) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId x1 = g.W("w", x, 0, 256);
  const ValueId s = g.Slice("s", x1, 0, 64);
  g.R("D", {s});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 320);
  });
}

TEST(CasesB, B5ASliceOfASlice) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId s = g.Slice("s", x, 64, 128);
  const ValueId s2 = g.Slice("s2", s, 32, 64);
  g.R("D", {s, s2});
  g.Plan([&](const Graph&, const Plan& plan) { EXPECT_LE(plan.stats.copies_kept, 2); });
}

TEST(CasesB, B5AViewOfAView) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId s = g.View("s", x, 64, 128);
  const ValueId s2 = g.View("s2", s, 32, 64);
  g.R("D", {s, s2});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(OffsetOf(graph, plan, s2), OffsetOf(graph, plan, x) + 96);
    EXPECT_EQ(ArenaBytes(plan), 256);
    EXPECT_EQ(plan.stats.copies_kept, 0);
  });
}

TEST(CasesB, B6AWriteIntoASliceWhoseBytesAreNotReadLater) {
  CaseGraph g;
  const ValueId x = g.Input("X", 300);
  const ValueId s = g.Slice("s", x, 100, 100);
  const ValueId s1 = g.W("w", s, 0, 50);
  g.R("rx", {Operand(x, Bytes(0, 100)), Operand(x, Bytes(200, 100))});
  g.R("rs", {s1});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, s, s1));
    EXPECT_LE(plan.stats.copies_kept, 1);
  });
}

// With a view the write is in the root's bytes, which are read outside of it only.
TEST(CasesB, B6AWriteIntoAViewWhoseBytesAreNotReadLater) {
  CaseGraph g;
  const ValueId x = g.Input("X", 300);
  const ValueId s = g.View("s", x, 100, 100);
  const ValueId s1 = g.W("w", s, 0, 50);
  g.R("rx", {Operand(x, Bytes(0, 100)), Operand(x, Bytes(200, 100))});
  g.R("rs", {s1});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, s, s1));
    EXPECT_EQ(OffsetOf(graph, plan, s1), OffsetOf(graph, plan, x) + 100);
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_EQ(ArenaBytes(plan), 300);
  });
}

TEST(CasesB, B7KeepsTheCopyWhenALaterVersionOverwrites) {
  CaseGraph g;
  const ValueId x = g.Input("X", 200);
  const ValueId s = g.Slice("s", x, 0, 100);
  const ValueId x1 = g.W("w1", x, 100, 100);
  const ValueId x2 = g.W("w2", x1, 0, 50);
  g.R("D", {s});
  g.R("rx", {x2});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, s, x2));
    EXPECT_EQ(plan.stats.copies_kept, 1);
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_TRUE(SameBytes(graph, plan, x1, x2));
    EXPECT_EQ(ArenaBytes(plan), 300);
  });
}

// With a view in the slice's place it is the write that must move away.
TEST(CasesB, B7AViewForcesTheLaterVersionAway) {
  CaseGraph g;
  const ValueId x = g.Input("X", 200);
  const ValueId s = g.View("s", x, 0, 100);
  const ValueId x1 = g.W("w1", x, 100, 100);
  const ValueId x2 = g.W("w2", x1, 0, 50);
  g.R("D", {s});
  g.R("rx", {x2});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_FALSE(Overlap(graph, plan, s, x2));
    EXPECT_EQ(plan.stats.copies_kept, 1);
    EXPECT_THAT(NotesOn(graph, plan, "w2"), HasSubstr("D still needs"));
  });
}

TEST(CasesB, B8ASymbolicSliceEndsWhereTheUpdateBegins) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 960);
  const ValueId x = g.Input("X", 1024), row = g.Input("row", 64);
  const ValueId s = g.Slice("s", x, 0, off);
  const ValueId x1 = g.Update("u", x, row, off);
  g.R("D", {s});
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 2);
  });
}

TEST(CasesB, B8ASymbolicViewEndsWhereTheUpdateBegins) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 960);
  const ValueId x = g.Input("X", 1024), row = g.Input("row", 64);
  const ValueId s = g.View("s", x, 0, off);
  const ValueId x1 = g.Update("u", x, row, off);
  g.R("D", {s});
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_EQ(ArenaBytes(plan), 1088);
    EXPECT_LE(plan.stats.bytes_copied, 64);
  });
}

// One byte more in the view and nothing is proven any more.
TEST(CasesB, B8ASymbolicViewThatReachesIntoTheUpdate) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 960);
  const ValueId x = g.Input("X", 1024), row = g.Input("row", 64);
  const ValueId s = g.View("s", x, 0, off + 1);
  const ValueId x1 = g.Update("u", x, row, off);
  g.R("D", {s});
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, x, x1));
    EXPECT_THAT(NotesOn(graph, plan, "u"), HasSubstr("D still needs X"));
  });
}

TEST(CasesB, B9EqualPolynomials) {
  for (const bool view : {false, true}) {
    SCOPED_TRACE(view ? "view" : "slice");
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 0, 2);
    const ValueId x = g.Input("X", 4 * 8192), row = g.Input("row", 8192);
    const ValueId s = view ? g.View("s", x, 0, 8192 * (t + 1)) : g.Slice("s", x, 0, 8192 * (t + 1));
    const ValueId x1 = g.Update("u", x, row, 8192 * t + 8192);
    g.R("D", {s});
    g.Output(x1);
    g.Plan([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, x, x1));
      EXPECT_LE(ArenaBytes(plan), (view ? 5 : 8) * 8192);
    });
  }
}

TEST(CasesB, B10ZeroLengthSlices) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId s = g.Slice("s", x, 50, 0);
  const ValueId v = g.View("v", x, 50, 0);
  const ValueId x1 = g.W("w", x, 0, 100);
  g.R("D", {s, v});
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_EQ(plan.stats.bytes_copied, 0);
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesB, B10ASliceThatIsEmptyAtTheLeastSymbolValue) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 3);
  const ValueId x = g.Input("X", 4 * 8192), row = g.Input("row", 8192);
  const ValueId s = g.Slice("s", x, 0, 8192 * t);
  const ValueId x1 = g.Update("u", x, row, 8192 * t);
  g.R("D", {s});
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(ArenaBytes(plan), 8 * 8192);
  });
}

TEST(CasesB, B11ASmallSliceOfAHugeDyingValueIsCopiedOut) {
  CaseGraph g;
  const ValueId x = g.Input("X", 65536);
  const ValueId s = g.Slice("s", x, 0, 64);
  const ValueId y = g.Op("y", {}, 65536);
  g.R("ry", {y});
  g.R("D", {s});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_LE(ArenaBytes(plan), IsFast(plan) ? 65536 + 128 : 65536 + 64);
    EXPECT_TRUE(Overlap(graph, plan, x, y));
    EXPECT_EQ(plan.stats.copies_kept, 1);
  });
}

TEST(CasesB, B12AViewBeyondItsSource) {
  CaseGraph g;
  const ValueId r = g.Input("r", 1024);
  const ValueId v1 = g.View("v1", r, 256, 128, "v1");
  g.View("v2", v1, 0, 512, "v2");
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("\"v2\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"v1\" which has 128 bytes"));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("512 <= 128"));
  EXPECT_EQ(FaultPlace(refusal), "/ops/1");
}

TEST(CasesB, B12TheSameBytesAsAViewOfTheRoot) {
  CaseGraph g;
  const ValueId r = g.Input("r", 1024);
  const ValueId v = g.View("v", r, 256, 512);
  g.R("D", {v});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(OffsetOf(graph, plan, v), OffsetOf(graph, plan, r) + 256);
    EXPECT_EQ(ArenaBytes(plan), 1024);
  });
}

TEST(CasesB, B13APartOfAConcatThatIsReadAfterTheWhole) {
  CaseGraph g;
  const ValueId a = g.Op("op0", {}, 24576), b = g.Op("op1", {}, 24576);
  const ValueId c = g.Concat("C", {a, b});
  g.R("op2", {c});
  const ValueId t = g.Op("op3", {}, 24576);
  g.R("op4", {a, t});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, t, a));
    EXPECT_LE(ArenaBytes(plan), 4 * 24576);
  });
}

// With a and b as views of C there is one storage, and t lies on b's bytes at most.
TEST(CasesB, B13APartOfAViewedValueThatIsReadAfterTheWhole) {
  CaseGraph g;
  const ValueId c = g.Op("op1", {}, 49152);
  const ValueId a = g.View("a", c, 0, 24576), b = g.View("b", c, 24576, 24576);
  g.R("op2", {c});
  const ValueId t = g.Op("op3", {}, 24576);
  g.R("op4", {a, t});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, t, a));
    EXPECT_TRUE(SameBytes(graph, plan, t, b));
    EXPECT_EQ(ArenaBytes(plan), 49152);
  });
}

}  // namespace
}  // namespace bufplan
