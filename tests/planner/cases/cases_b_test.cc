// Section B of docs/cases.md: slices and views. Each row, and what turns its outcome.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// s=slice X[100,200); then D reads s and w writes [at, at + bytes) of X, in either order. X1 is an output.
struct SliceAndWrite {
  explicit SliceAndWrite(bool write_first, int64_t at, int64_t bytes, Role role = Role::kInput) {
    x = g.AddValue("X", 400, role);
    s = g.Slice("slice", x, 100, 100, "s");
    if (write_first) x1 = g.W("w", x, at, bytes);
    d = g.Op("D", {s}, 8);
    if (!write_first) x1 = g.W("w", x, at, bytes);
    g.Output(d);
    g.Output(x1);
  }
  CaseGraph g;
  ValueId x, s, d, x1;
};

void ExpectElided(const SliceAndWrite& c, const Graph& graph, const Plan& plan) {
  ExpectNothingMoves(graph, plan);
  EXPECT_TRUE(SameBytes(graph, plan, c.x, c.x1));
  EXPECT_EQ(OffsetOf(graph, plan, c.s), OffsetOf(graph, plan, c.x) + 100);
  EXPECT_EQ(ArenaBytes(plan), 408);
}

TEST(CasesB, B1ASliceIsReadBeforeOtherBytesAreWritten) {
  SliceAndWrite c(false, 200, 100);
  c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectElided(c, graph, plan);
    EXPECT_EQ(NotesOn(graph, plan, "slice"), "view of X [100, 200)\n");
  });
}

TEST(CasesB, B1ASecondReaderAfterTheWrite) {
  for (const int64_t from : {200, 199}) {
    SCOPED_TRACE(from);
    CaseGraph g;
    const ValueId x = g.Input("X", 400);
    const ValueId s = g.Slice("slice", x, 100, 100, "s");
    g.R("D", {s});
    const ValueId x1 = g.W("w", x, from, 100);
    g.R("late", {s});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (from == 200) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 400);
      } else {
        ExpectOneCopy(graph, plan, 100);
        EXPECT_EQ(ArenaBytes(plan), 500);
        EXPECT_THAT(NotesOn(graph, plan, "slice"), AllOf(HasSubstr("w would have to copy"), HasSubstr("for w.out")));
      }
    });
  }
}

// The slice of a borrowed value is elided all the same; its writer works on a copy.
TEST(CasesB, B1ASliceOfABorrowedExternal) {
  SliceAndWrite c(false, 200, 100, Role::kExternal);
  c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Elided(graph, plan), ElementsAre("slice"));
    EXPECT_TRUE(InStorageOf(plan, c.s, c.x));
    ExpectOneCopy(graph, plan, 300);
    EXPECT_THAT(NotesOn(graph, plan, "w"), HasSubstr("X is read-only"));
    EXPECT_EQ(ArenaBytes(plan), 408);
  });
}

TEST(CasesB, B2ASliceIsReadBeforeItsBytesAreWritten) {
  SliceAndWrite c(false, 0, 200);
  c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) { ExpectElided(c, graph, plan); });
}

TEST(CasesB, B2ASliceIsReadAfterItsBytesAreWritten) {
  SliceAndWrite c(true, 0, 200);
  c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 100);
    EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));  // w would have to carry 200 bytes
    EXPECT_TRUE(SameBytes(graph, plan, c.x, c.x1));
    EXPECT_THAT(NotesOn(graph, plan, "slice"), AllOf(HasSubstr("w would have to copy"), HasSubstr("for w.out")));
    EXPECT_EQ(ArenaBytes(plan), 508);
  });
}

// A commit overwrites the variable that the slice was taken of; y, made after the slice, is written straight to its
// place.
TEST(CasesB, B2ASliceOfAVariableIsReadAfterACommit) {
  for (const bool read_after : {false, true}) {
    SCOPED_TRACE(read_after ? "read after" : "read before");
    CaseGraph g;
    const ValueId x = g.Variable("X", 400);
    const ValueId s = g.Slice("slice", x, 100, 100, "s");
    if (!read_after) g.R("D", {s});
    const ValueId y = g.Op("f", {}, 400);
    g.Commit("st", y, x);
    if (read_after) g.R("D", {s});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(InStorageOf(plan, y, x));
      EXPECT_EQ(InStorageOf(plan, s, x), !read_after);
      if (!read_after) return ExpectNothingMoves(graph, plan);
      ExpectOneCopy(graph, plan, 100);
      EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));
      EXPECT_EQ(ArenaBytes(plan), 100);
    });
  }
}

TEST(CasesB, B3OtherBytesAreWrittenBeforeASliceIsRead) {
  for (const int64_t at : {200, 300}) {
    SCOPED_TRACE(at);
    SliceAndWrite c(true, at, 100);
    c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) { ExpectElided(c, graph, plan); });
  }
}

TEST(CasesB, B3OneByteOfASliceIsWrittenBeforeItIsRead) {
  for (const bool below : {false, true}) {
    SCOPED_TRACE(below ? "first byte" : "last byte");
    SliceAndWrite c(true, below ? 1 : 199, 100);
    c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectOneCopy(graph, plan, 100);
      EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));
      EXPECT_TRUE(SameBytes(graph, plan, c.x, c.x1));
      EXPECT_THAT(NotesOn(graph, plan, "slice"), AllOf(HasSubstr("w would have to copy"), HasSubstr("for w.out")));
    });
  }
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
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_TRUE(SameStart(graph, plan, x, s));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 408);
  });
}

TEST(CasesB, B4ASliceOfAWrittenValue) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId x1 = g.W("w", x, 0, 256);
  const ValueId s = g.Slice("slice", x1, 0, 64, "s");
  g.R("D", {s});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_TRUE(SameStart(graph, plan, x, s));
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesB, B4AThirdVersionBeforeTheSliceIsRead) {
  for (const int64_t from : {64, 63}) {
    SCOPED_TRACE(from);
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    const ValueId x1 = g.W("w", x, 0, 256);
    const ValueId s = g.Slice("slice", x1, 0, 64, "s");
    const ValueId x2 = g.W("w2", x1, from, 64);
    g.R("D", {s});
    g.Output(x2);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (from == 64) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 256);
      } else {
        ExpectOneCopy(graph, plan, 64);
        EXPECT_THAT(NotesOn(graph, plan, "slice"), AllOf(HasSubstr("w2 would have to copy"), HasSubstr("for w2.out")));
        EXPECT_EQ(ArenaBytes(plan), 320);
      }
    });
  }
}

TEST(CasesB, B5ASliceOfASlice) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId s = g.Slice("slice", x, 64, 128, "s");
  const ValueId s2 = g.Slice("slice2", s, 32, 64, "s2");
  g.R("D", {s, s2});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(OffsetOf(graph, plan, s), OffsetOf(graph, plan, x) + 64);
    EXPECT_EQ(OffsetOf(graph, plan, s2), OffsetOf(graph, plan, x) + 96);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

// One byte of s is overwritten before both are read: s is copied, s2 lies on the copy or on what is left of X.
TEST(CasesB, B5OneByteOfTheOuterSliceIsWritten) {
  for (const int64_t bytes : {64, 65}) {
    SCOPED_TRACE(bytes);
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    const ValueId s = g.Slice("slice", x, 64, 128, "s");
    const ValueId s2 = g.Slice("slice2", s, 32, 64, "s2");
    const ValueId x1 = g.W("w", x, 0, bytes);
    g.R("D", {s, s2});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, x, x1));
      if (bytes == 64) {
        ExpectNothingMoves(graph, plan);
      } else {
        ExpectOneCopy(graph, plan, 128);
        EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));
        EXPECT_EQ(ArenaBytes(plan), 256 + 128);
      }
    });
  }
}

// Only the inner slice is read: one of its bytes is overwritten, so it is what is copied, not the outer one.
TEST(CasesB, B5OnlyTheInnerSliceIsRead) {
  for (const int64_t bytes : {96, 97}) {
    SCOPED_TRACE(bytes);
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    const ValueId s2 = g.Slice("slice2", g.Slice("slice", x, 64, 128, "s"), 32, 64, "s2");
    const ValueId x1 = g.W("w", x, 0, bytes);
    g.R("D", {s2});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (bytes == 96) {
        ExpectNothingMoves(graph, plan);
      } else {
        ExpectOneCopy(graph, plan, 64);
        EXPECT_THAT(Moving(graph, plan), ElementsAre("slice2"));
        EXPECT_EQ(ArenaBytes(plan), 256 + 64);
      }
    });
  }
}

TEST(CasesB, B5AViewOfAView) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId s = g.View("s", x, 64, 128);
  const ValueId s2 = g.View("s2", s, 32, 64);
  g.R("D", {s, s2});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(OffsetOf(graph, plan, s2), OffsetOf(graph, plan, x) + 96);
    EXPECT_EQ(ArenaBytes(plan), 256);
    ExpectNothingMoves(graph, plan);
  });
}

// Bytes [100, 150) of X are overwritten through the slice; [150, 200) are in it, but as they were.
TEST(CasesB, B6AWriteIntoASliceWhoseBytesAreNotReadLater) {
  for (const int64_t below : {100, 101}) {
    SCOPED_TRACE(below);
    CaseGraph g;
    const ValueId x = g.Input("X", 300);
    const ValueId s = g.Slice("slice", x, 100, 100, "s");
    const ValueId s1 = g.W("w", s, 0, 50);
    g.R("rx", {Operand(x, Bytes(0, below)), Operand(x, Bytes(150, 150))});
    g.R("rs", {s1});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (below == 100) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(OffsetOf(graph, plan, s1), OffsetOf(graph, plan, x) + 100);
        EXPECT_EQ(ArenaBytes(plan), 300);
      } else {
        ExpectOneCopy(graph, plan, 50);
        EXPECT_EQ(ArenaBytes(plan), 400);
        EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rx still needs X there"));
      }
    });
  }
}

TEST(CasesB, B6AWriteIntoASliceOfABorrowedExternal) {
  CaseGraph g;
  const ValueId x = g.External("X", 300);
  const ValueId s1 = g.W("w", g.Slice("slice", x, 100, 100, "s"), 0, 50);
  g.R("rs", {s1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 50);
    EXPECT_EQ(ArenaBytes(plan), 100);
    EXPECT_THAT(AllNotes(graph, plan), HasSubstr("X is read-only"));
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
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, s, s1));
    EXPECT_EQ(OffsetOf(graph, plan, s1), OffsetOf(graph, plan, x) + 100);
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 300);
  });
}

// D reads [from, 100) of the slice X[0, 100); [0, 50) of X is overwritten by its second version.
TEST(CasesB, B7KeepsTheCopyWhenALaterVersionOverwrites) {
  for (const int64_t from : {0, 49, 50}) {
    SCOPED_TRACE(from);
    CaseGraph g;
    const ValueId x = g.Input("X", 200);
    const ValueId s = g.Slice("slice", x, 0, 100, "s");
    const ValueId x1 = g.W("w1", x, 100, 100);
    const ValueId x2 = g.W("w2", x1, 0, 50);
    g.R("D", s, from, 100 - from);
    g.R("rx", {x2});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, x, x1));
      EXPECT_TRUE(SameBytes(graph, plan, x1, x2));
      if (from == 50) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 200);
      } else {
        ExpectOneCopy(graph, plan, 100);
        EXPECT_THAT(Moving(graph, plan), ElementsAre("slice"));
        EXPECT_FALSE(SameStart(graph, plan, s, x2));
        EXPECT_THAT(NotesOn(graph, plan, "slice"), AllOf(HasSubstr("w2 would have to copy"), HasSubstr("for w2.out")));
        // [0, from) of the slice is read by nobody, so that much of it may lie on X.
        EXPECT_EQ(ArenaBytes(plan), IsFast(plan) ? 300 : 300 - from);
      }
    });
  }
}

TEST(CasesB, B7NoCopyWhenTheSliceIsReadBeforeTheLaterVersion) {
  CaseGraph g;
  const ValueId x = g.Input("X", 200);
  const ValueId s = g.Slice("slice", x, 0, 100, "s");
  const ValueId x1 = g.W("w1", x, 100, 100);
  g.R("D", {s});
  const ValueId x2 = g.W("w2", x1, 0, 50);
  g.R("rx", {x2});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameStart(graph, plan, x, s));
    EXPECT_EQ(ArenaBytes(plan), 200);
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
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, s, x2));
    if (IsFast(plan)) {  // one greedy pass does not look ahead
      EXPECT_EQ(plan.stats.copies_kept, 1);
      EXPECT_LE(plan.stats.bytes_copied, 150);
      return;
    }
    ExpectOneCopy(graph, plan, 100);  // w1 carries what it does not write, and w2 follows it; w2 would carry 150
    EXPECT_THAT(Moving(graph, plan), ElementsAre("w1"));
  });
}

}  // namespace
}  // namespace bufplan
