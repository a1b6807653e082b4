// Section B of docs/cases.md, from B8 on: symbolic slices, sizes, huge values, views of views.
#include <algorithm>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/where.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// s=slice X[0, end); X1=update X at `at` with a row of 64 bytes, computed in between; D reads s; X1 is an output.
void PlanAppend(CaseGraph g, const Expr& end, const Expr& at, absl::FunctionRef<void(const Graph&, const Plan&)> then) {
  const ValueId x = g.Input("X", 1024);
  const ValueId s = g.Slice("slice", x, 0, end, "s");
  const ValueId row = g.Op("f", {}, 64);
  const ValueId x1 = g.Update("append", x, row, at, "X1");
  g.R("D", {s});
  g.Output(x1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    then(graph, plan);
  });
}

void ExpectAppendElided(const Graph& graph, const Plan& plan) {
  ExpectNothingMoves(graph, plan);
  EXPECT_EQ(ArenaBytes(plan), 1024);
}

TEST(CasesB, B8ASymbolicSliceEndsWhereTheUpdateBegins) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 960);
  PlanAppend(std::move(g), off, off, ExpectAppendElided);
}

TEST(CasesB, B8ASymbolicSliceThatReachesOneByteIntoTheUpdate) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 900);
  PlanAppend(std::move(g), off + 1, off, [](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 901);  // at the largest symbol value; 960 would be carried
    EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));
    EXPECT_THAT(NotesOn(graph, plan, "slice"), AllOf(HasSubstr("append would have to copy"), HasSubstr("for X1")));
  });
}

// One symbol: the fact is solved for it.
TEST(CasesB, B8ASymbolThatReachesOneStepTooFar) {
  for (const int64_t max : {8, 9}) {
    SCOPED_TRACE(max);
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 0, max);
    PlanAppend(std::move(g), 64 * t, 512, [&](const Graph& graph, const Plan& plan) {
      if (max == 8) return ExpectAppendElided(graph, plan);
      ExpectOneCopy(graph, plan, 576);
      EXPECT_THAT(NotesOn(graph, plan, "slice"), HasSubstr("needs t <= 8"));
    });
  }
}

// Two symbols: the relation between them is what is missing.
TEST(CasesB, B8TwoSymbolsWithoutARelation) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 3);
  const Expr off = g.AddSymbol("off", 0, 960);
  PlanAppend(std::move(g), 64 * t, off, [](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 192);
    EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));
    EXPECT_THAT(NotesOn(graph, plan, "slice"), HasSubstr("needs 64*t <= off"));
  });
}

TEST(CasesB, B8TwoSymbolsWhoseBoundsSuffice) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 3);
  const Expr off = g.AddSymbol("off", 192, 960);
  PlanAppend(std::move(g), 64 * t, off, ExpectAppendElided);
}

TEST(CasesB, B8ASymbolicViewEndsWhereTheUpdateBegins) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 960);
  const ValueId x = g.Input("X", 1024), row = g.Input("row", 64);
  const ValueId s = g.View("s", x, 0, off);
  const ValueId x1 = g.Update("u", x, row, off);
  g.R("D", {s});
  g.Output(x1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_EQ(ArenaBytes(plan), 1088);
    ExpectOneCopy(graph, plan, 64);  // the row is the caller's
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
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, x, x1));
    ExpectOneCopy(graph, plan, 1024);  // base and row, by one op
    EXPECT_THAT(NotesOn(graph, plan, "u"), HasSubstr("D still needs X"));
  });
}

TEST(CasesB, B9EqualPolynomials) {
  for (const int64_t more : {0, 1}) {
    SCOPED_TRACE(more);
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 0, 2);
    const ValueId x = g.Input("X", 4 * 8192), row = g.Op("f", {}, 8192);
    const ValueId s = g.Slice("slice", x, 0, 8192 * (t + 1) + more, "s");
    const ValueId x1 = g.Update("append", x, row, 8192 * t + 8192);
    g.R("D", {s});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (more == 0) {
        ExpectNothingMoves(graph, plan);
        EXPECT_TRUE(SameBytes(graph, plan, x, x1));
        EXPECT_TRUE(SameStart(graph, plan, x, s));
        EXPECT_EQ(ArenaBytes(plan), 4 * 8192);
      } else {
        ExpectOneCopy(graph, plan, 3 * 8192);  // carried at the largest t: all but the row
        EXPECT_THAT(AllNotes(graph, plan), HasSubstr("D still needs"));
      }
    });
  }
}

TEST(CasesB, B9EqualPolynomialsOfAView) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 2);
  const ValueId x = g.Input("X", 4 * 8192), row = g.Op("f", {}, 8192);
  const ValueId s = g.View("s", x, 0, 8192 * (t + 1));
  const ValueId x1 = g.Update("append", x, row, 8192 * t + 8192);
  g.R("D", {s});
  g.Output(x1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_EQ(ArenaBytes(plan), 4 * 8192);
  });
}

TEST(CasesB, B10ZeroLengthSlices) {
  for (const int64_t bytes : {0, 1}) {
    SCOPED_TRACE(bytes);
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    const ValueId s = g.Slice("slice", x, 50, bytes, "s");
    const ValueId v = g.View("v", x, 50, 0);
    const ValueId x1 = g.W("w", x, 0, 100);
    g.R("D", {s, v});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, x, x1));
      if (bytes == 0) ExpectNothingMoves(graph, plan);
      if (bytes == 1) ExpectOneCopy(graph, plan, 1);
      EXPECT_EQ(ArenaBytes(plan), 256 + bytes);
    });
  }
}

TEST(CasesB, B10ASliceThatIsEmptyAtTheLeastSymbolValue) {
  for (const int64_t first_row : {0, 1}) {
    SCOPED_TRACE(first_row);
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 0, 3);
    const ValueId x = g.Input("X", 5 * 8192);
    const ValueId s = g.Slice("slice", x, 0, 8192 * t, "s");
    const ValueId row = g.Op("f", {}, 8192);
    const ValueId x1 = g.Update("append", x, row, first_row == 0 ? 8192 * t : 8192);
    g.R("D", {s});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (first_row == 0) {
        EXPECT_TRUE(SameBytes(graph, plan, x, x1));
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 5 * 8192);
      } else {
        ExpectOneCopy(graph, plan, 3 * 8192);  // the slice; the base would carry 4 rows
        EXPECT_EQ(ArenaBytes(plan), 8 * 8192);
        EXPECT_THAT(NotesOn(graph, plan, "slice"), HasSubstr("needs t <= 1"));
      }
    });
  }
}

// X dies at its slice, of which 64 bytes are read when y takes up as much as X. Least memory copies them out, unless
// they lie at an end of X, where y fits beside them.
TEST(CasesB, B11ASmallSliceOfAHugeDyingValue) {
  constexpr int64_t kHuge = 65536;
  for (const int64_t at : {int64_t{0}, kHuge / 2}) {
    SCOPED_TRACE(at);
    CaseGraph g;
    const ValueId x = g.Input("X", kHuge);
    const ValueId s = g.Slice("slice", x, at, 64, "s");
    const ValueId y = g.Op("f", {}, kHuge);
    g.R("ry", {y});
    g.R("D", {s});
    const absl::StatusOr<Graph> graph = std::move(g).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    PlanAtEveryEffort(*graph, {.objective = Objective::kMemory}, [&](const Plan& plan) {
      EXPECT_EQ(ArenaBytes(plan), kHuge + 64);
      if (at == 0) return ExpectNothingMoves(*graph, plan);
      ExpectOneCopy(*graph, plan, 64);
      EXPECT_EQ(NotesOn(*graph, plan, "slice"), "kept: less memory is needed that way\n");
    });
    PlanAtEveryEffort(*graph, {.objective = Objective::kCopies}, [&](const Plan& plan) {
      ExpectNothingMoves(*graph, plan);
      EXPECT_EQ(OffsetOf(*graph, plan, s), OffsetOf(*graph, plan, x) + at);
      EXPECT_LE(ArenaBytes(plan), kHuge + at + 64);
      EXPECT_GE(ArenaBytes(plan), kHuge + std::max<int64_t>(at, 64));
    });
  }
}

// y is no larger than the slice: a copy would save nothing, so it is not made.
TEST(CasesB, B11ASmallSliceThatIsInNobodysWay) {
  CaseGraph g;
  const ValueId x = g.Input("X", 65536);
  const ValueId s = g.Slice("slice", x, 32768, 64, "s");
  const ValueId y = g.Op("f", {}, 64);
  g.R("ry", {y});
  g.R("D", {s});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 65536);
  });
}

TEST(CasesB, B12AViewOfAViewStaysWithinIt) {
  CaseGraph g;
  const ValueId r = g.Input("r", 1024);
  const ValueId v1 = g.View("v1", r, 256, 128, "v1");
  const ValueId v2 = g.View("v2", v1, 0, 512, "v2");
  g.R("D", {v2});
  const absl::Status refusal = g.BuildRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("v1"));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("512 <= 128"));
  EXPECT_EQ(FaultPlace(refusal), "/ops/1");
}

TEST(CasesB, B12TheSameBytesAsAViewOfTheRoot) {
  CaseGraph g;
  const ValueId r = g.Input("r", 1024);
  const ValueId v = g.View("v", r, 256, 512);
  g.R("D", {v});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(OffsetOf(graph, plan, v), OffsetOf(graph, plan, r) + 256);
    EXPECT_EQ(ArenaBytes(plan), 1024);
  });
}

// a is read after the concat: what lies on it is in nobody's place, though C is dead by then. t may lie on b's part.
TEST(CasesB, B13APartOfAConcatThatIsReadAfterTheWhole) {
  for (const bool read_late : {true, false}) {
    SCOPED_TRACE(read_late ? "a is read late" : "a is not read late");
    CaseGraph g;
    const ValueId a = g.Op("op0", {}, 24576), b = g.Op("op1", {}, 24576);
    const ValueId c = g.Concat("concat", {a, b}, "C");
    g.R("op2", {c});
    const ValueId t = g.Op("op3", {}, 24576);
    if (read_late) g.R("op4", {a, t});
    if (!read_late) g.R("op4", {t});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      EXPECT_TRUE(SameStart(graph, plan, a, c));
      EXPECT_EQ(OffsetOf(graph, plan, b), OffsetOf(graph, plan, c) + 24576);
      if (read_late) {
        EXPECT_FALSE(Overlap(graph, plan, t, a));
      }
      EXPECT_EQ(ArenaBytes(plan), 2 * 24576);
    });
  }
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
