// Section A of docs/cases.md: clones. Each row, and what turns its outcome.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

TEST(CasesA, A1CloneThenWriteOfADyingValue) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("clone", x, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameBytes(graph, plan, x, c));
    EXPECT_TRUE(SameBytes(graph, plan, x, c1));
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

// The reader sees X as it was: 192 bytes of it must exist twice, and no more.
TEST(CasesA, A1ALateReaderOfTheSourceKeepsTheCopy) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c1 = g.W("w", g.Clone("clone", x, "c"), 0, 64);
  g.R("rx", x, 63, 1);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 192);
    EXPECT_FALSE(Overlap(graph, plan, x, c1));
    EXPECT_EQ(ArenaBytes(plan), 512);
    EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rx still needs X there"));
  });
}

// X is overwritten between clone and write, and both versions go on: one of them moves, by 128 bytes.
TEST(CasesA, A1AnEarlyWriterOfTheSourceKeepsOneCopy) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("clone", x, "c");
  const ValueId x1 = g.W("early", x, 0, 128);
  const ValueId c1 = g.W("w", c, 0, 64);
  g.Output(c1);
  g.Output(x1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 128);
    EXPECT_FALSE(Overlap(graph, plan, x1, c1));
    EXPECT_EQ(ArenaBytes(plan), 512);
  });
}

TEST(CasesA, A2TwoClonesWrittenApart) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c0 = g.W("w0", g.Clone("clone0", x, "c0"), 0, 128);
  const ValueId c1 = g.W("w1", g.Clone("clone1", x, "c1"), 128, 128);
  g.Output(c0);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 128);
    EXPECT_FALSE(Overlap(graph, plan, c0, c1));
    EXPECT_TRUE(SameBytes(graph, plan, x, c0) || SameBytes(graph, plan, x, c1));
    EXPECT_EQ(ArenaBytes(plan), 512);
  });
}

TEST(CasesA, A2WithALateReaderOfTheSourceThereAreTwoCopies) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c0 = g.W("w0", g.Clone("clone0", x, "c0"), 0, 128);
  const ValueId c1 = g.W("w1", g.Clone("clone1", x, "c1"), 128, 128);
  g.R("rx", {x});
  g.Output(c0);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(plan.stats.copies_kept, 2);
    EXPECT_EQ(plan.stats.bytes_copied, 256);
    EXPECT_EQ(ArenaBytes(plan), 768);
    for (ValueId v : {c0, c1}) EXPECT_FALSE(Overlap(graph, plan, x, v));
    EXPECT_THAT(NotesOn(graph, plan, "w0"), HasSubstr("rx still needs X there"));
    EXPECT_THAT(NotesOn(graph, plan, "w1"), HasSubstr("rx still needs X there"));
  });
}

// Each is read only where it was written itself: the two share all bytes.
TEST(CasesA, A2ClonesOfWhichOnlyWhatIsWrittenIsReadNeedNoCopy) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c0 = g.W("w0", g.Clone("clone0", x, "c0"), 0, 128);
  const ValueId c1 = g.W("w1", g.Clone("clone1", x, "c1"), 128, 128);
  g.R("r", {Operand(c0, Bytes(0, 128)), Operand(c1, Bytes(128, 128))});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesA, A3ClonesThatAreOnlyRead) {
  for (const bool together : {false, true}) {
    SCOPED_TRACE(together ? "together" : "one after another");
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    std::vector<ValueId> clones;
    for (const char* name : {"c0", "c1", "c2"}) {
      clones.push_back(g.Clone(name, x, name));
      if (!together) g.R(std::string("r") + name, {clones.back()});
    }
    if (together) g.R("r", {clones[0], clones[1], clones[2]});
    g.R("rx", {x});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      for (ValueId c : clones) EXPECT_TRUE(SameBytes(graph, plan, x, c));
      EXPECT_EQ(ArenaBytes(plan), 256);
    });
  }
}

// Clones and X hold the same content: one copy serves all of its readers after the write.
TEST(CasesA, A3OneCopyServesAllClones) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  std::vector<ValueId> clones;
  for (const char* name : {"c0", "c1", "c2"}) clones.push_back(g.Clone(name, x, name));
  const ValueId x1 = g.W("w", x, 0, 64);
  g.R("r", {clones[0], clones[1], clones[2]});
  g.R("rx", {x1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 192);
    EXPECT_EQ(ArenaBytes(plan), 512);
    EXPECT_THAT(AllNotes(graph, plan), HasSubstr("r still needs c0 there"));
  });
}

TEST(CasesA, A4KeepsTheCopyWhenTheSourceIsReadLater) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("clone", x, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.R("rx", {x});
  g.R("rc", {c1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 192);
    EXPECT_FALSE(Overlap(graph, plan, x, c1));
    EXPECT_EQ(ArenaBytes(plan), 512);
    EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rx still needs X there"));
  });
}

TEST(CasesA, A4NoCopyWhenTheSourceIsReadBeforeTheWrite) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("clone", x, "c");
  g.R("rx", {x});
  const ValueId c1 = g.W("w", c, 0, 64);
  g.R("rc", {c1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameBytes(graph, plan, x, c1));
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesA, A5TheCloneIsReadBeforeTheSourceIsWritten) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("clone", x, "c");
  g.R("rc", {c});
  const ValueId x1 = g.W("w", x, 0, 256);
  g.Output(x1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameBytes(graph, plan, x, c));
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

// Read after the write: two contents live at once. All of X is written, so nothing has to be moved for that; if one
// byte of X is not written, that byte is.
TEST(CasesA, A5TheCloneIsReadAfterTheSourceIsWritten) {
  for (const int64_t unwritten : {0, 1}) {
    SCOPED_TRACE(unwritten);
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    const ValueId c = g.Clone("clone", x, "c");
    const ValueId x1 = g.W("w", x, 0, 256 - unwritten);
    g.R("rc", {c});
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (unwritten == 0) ExpectNothingMoves(graph, plan);
      if (unwritten == 1) ExpectOneCopy(graph, plan, 1);
      EXPECT_FALSE(Overlap(graph, plan, c, x1));
      EXPECT_EQ(ArenaBytes(plan), 512);
      EXPECT_THAT(NotesOn(graph, plan, "w"), HasSubstr("rc still needs c there"));
    });
  }
}

TEST(CasesA, A6TheCloneIsReadOutsideOfWhatIsWritten) {
  for (const int64_t from : {200, 100, 99}) {
    SCOPED_TRACE(from);
    CaseGraph g;
    const ValueId x = g.Input("X", 400);
    const ValueId c = g.Clone("clone", x, "c");
    const ValueId x1 = g.W("w", x, 0, 100);
    g.R("rc", c, from, 100);
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (from >= 100) {
        ExpectNothingMoves(graph, plan);
        EXPECT_TRUE(SameBytes(graph, plan, x, c));
        EXPECT_TRUE(SameBytes(graph, plan, x, x1));
        EXPECT_EQ(ArenaBytes(plan), 400);
      } else {
        ExpectOneCopy(graph, plan, 300);
        EXPECT_EQ(ArenaBytes(plan), 800);
        EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rc still needs c there"));
      }
    });
  }
}

TEST(CasesA, A6ASymbolThatReachesOneByteTooFar) {
  for (const int64_t max : {100, 101}) {
    SCOPED_TRACE(max);
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 1, max);
    const ValueId x = g.Input("X", 400);
    const ValueId c = g.Clone("clone", x, "c");
    const ValueId x1 = g.W("w", x, 0, t);
    g.R("rc", c, 100, 100);
    g.Output(x1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (max == 100) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 400);
      } else {
        ExpectOneCopy(graph, plan, 400 - 1);  // at the least t
        EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rc still needs c there; needs t <= 100"));
      }
    });
  }
}

TEST(CasesA, A7LaterReadersOfTheSourceNeverSeeWhatIsWritten) {
  for (const int64_t from : {100, 10, 9}) {
    SCOPED_TRACE(from);
    CaseGraph g;
    const ValueId x = g.Input("X", 256);
    const ValueId c = g.Clone("clone", x, "c");
    const ValueId c1 = g.W("w", c, 0, 10);
    g.R("rx", x, from, 100);
    g.R("rc", {c1});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (from >= 10) {
        ExpectNothingMoves(graph, plan);
        EXPECT_TRUE(SameBytes(graph, plan, x, c));
        EXPECT_TRUE(SameBytes(graph, plan, x, c1));
        EXPECT_EQ(ArenaBytes(plan), 256);
      } else {
        ExpectOneCopy(graph, plan, 246);
        EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rx still needs X there"));
      }
    });
  }
}

// No bound on the one symbol says where the other one ends.
TEST(CasesA, A7TwoSymbolsWithoutARelation) {
  for (const bool related : {true, false}) {
    SCOPED_TRACE(related ? "related" : "unrelated");
    CaseGraph g;
    const Expr a = g.AddSymbol("a", 0, 100);
    const Expr b = g.AddSymbol("b", 0, 100);
    const ValueId x = g.Input("X", 256);
    const ValueId c1 = g.W("w", g.Clone("clone", x, "c"), 0, a);
    g.R("rx", x, related ? a + b : b, 56);
    g.R("rc", {c1});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (related) {
        ExpectNothingMoves(graph, plan);
      } else {
        ExpectOneCopy(graph, plan, 256);  // at the least a
        EXPECT_THAT(AllNotes(graph, plan), HasSubstr("rx still needs X there; needs a <= b"));
      }
    });
  }
}

TEST(CasesA, A8AConstantIsNeverWritten) {
  for (const bool clone : {true, false}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId constant = g.Constant("C", 256);
    const ValueId c1 = g.W("w", clone ? g.Clone("clone", constant, "c") : constant, 0, 64);
    g.Output(c1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_FALSE(InStorageOf(plan, c1, constant));
      ExpectOneCopy(graph, plan, 192);
      EXPECT_EQ(ArenaBytes(plan), 256);
      EXPECT_THAT(AllNotes(graph, plan), HasSubstr("C is read-only"));
    });
  }
}

TEST(CasesA, A8AConstantThatIsOnlyReadIsNotCopied) {
  CaseGraph g;
  const ValueId constant = g.Constant("C", 256);
  const ValueId c = g.Clone("clone", constant, "c");
  g.R("rc", {c});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(InStorageOf(plan, c, constant));
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

TEST(CasesA, A9ABorrowedExternalIsNeverWritten) {
  CaseGraph g;
  const ValueId i = g.External("I", 256);
  const ValueId c = g.Clone("clone", i, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, i));
    ExpectOneCopy(graph, plan, 192);
    EXPECT_EQ(ArenaBytes(plan), 256);
    EXPECT_THAT(AllNotes(graph, plan), HasSubstr("I is read-only"));
  });
}

// All of it is new: there is nothing to copy.
TEST(CasesA, A9ACloneThatIsOverwrittenWhollyIsNotCopied) {
  CaseGraph g;
  const ValueId i = g.External("I", 256);
  const ValueId c1 = g.W("w", g.Clone("clone", i, "c"), 0, 256);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, i));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesA, A10ADonatedExternalMayBeWritten) {
  for (const bool clone : {true, false}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId i = g.External("I", 256, {.writable = true});
    const ValueId c1 = g.W("w", clone ? g.Clone("clone", i, "c") : i, 0, 64);
    g.Output(c1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(InStorageOf(plan, c1, i));
      ExpectNothingMoves(graph, plan);
      EXPECT_EQ(ArenaBytes(plan), 0);
    });
  }
}

TEST(CasesA, A10ALateReaderOfADonatedExternalKeepsTheCopy) {
  CaseGraph g;
  const ValueId i = g.External("I", 256, {.writable = true});
  const ValueId c1 = g.W("w", g.Clone("clone", i, "c"), 0, 64);
  g.R("ri", {i});
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, i));
    ExpectOneCopy(graph, plan, 192);
    EXPECT_THAT(AllNotes(graph, plan), HasSubstr("ri still needs I there"));
  });
}

// What is committed to the external is what it holds at the end: what is based on the old content must leave.
TEST(CasesA, A10ACommitOfSomethingElseKeepsTheCopy) {
  CaseGraph g;
  const ValueId i = g.External("I", 256, {.writable = true});
  const ValueId c1 = g.W("w", g.Clone("clone", i, "c"), 0, 64);
  const ValueId y = g.Op("f", {}, 256);
  g.Commit("st", y, i);
  g.Output(c1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, i));
    EXPECT_TRUE(InStorageOf(plan, y, i));
    ExpectOneCopy(graph, plan, 192);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesA, A11AnInPlaceUpdateOfAnOutputIsNeverSilent) {
  for (const bool clone : {false, true}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId a = g.Input("a", 64), b = g.Input("b", 64), acc = g.Input("acc", 256);
    const ValueId r = g.W("fma", clone ? g.Clone("clone", acc, "c") : acc, 0, 64, {a, b});
    g.Output(r);
    g.Output(acc);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_FALSE(Overlap(graph, plan, r, acc));
      ExpectOneCopy(graph, plan, 192);
      EXPECT_THAT(AllNotes(graph, plan), HasSubstr("acc must be intact at the end"));
      if (clone) return;
      EXPECT_THAT(NotesOn(graph, plan, "fma"), HasSubstr("bytes of base acc are carried"));
    });
  }
}

TEST(CasesA, A11InPlaceWhenTheAccumulatorIsNoOutput) {
  CaseGraph g;
  const ValueId a = g.Input("a", 64), b = g.Input("b", 64), acc = g.Input("acc", 256);
  const ValueId r = g.W("fma", acc, 0, 64, {a, b});
  g.Output(r);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, r, acc));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 384);
  });
}

}  // namespace
}  // namespace bufplan
