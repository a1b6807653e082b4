// Section A of docs/cases.md: clones.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

TEST(CasesA, A1CloneThenWriteOfADyingValue) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("c", x, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.Output(c1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, c, c1));
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 512);
  });
}

TEST(CasesA, A2TwoClonesWrittenApart) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c0 = g.W("w0", g.Clone("c0", x), 0, 128);
  const ValueId c1 = g.W("w1", g.Clone("c1", x), 128, 128);
  g.Output(c0);
  g.Output(c1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, c0, c1));
    EXPECT_GE(plan.stats.copies_kept, 1);
    EXPECT_LE(plan.stats.copies_kept, 2);
    EXPECT_LE(ArenaBytes(plan), 3 * 256);
  });
}

TEST(CasesA, A3ClonesThatAreOnlyRead) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  for (const char* name : {"c0", "c1", "c2"}) g.R(std::string("r") + name, {g.Clone(name, x)});
  g.R("rx", {x});
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_LE(plan.stats.copies_kept, 3);
    EXPECT_LE(ArenaBytes(plan), 2 * 256);  // one clone at a time
  });
}

TEST(CasesA, A3ClonesThatLiveTogether) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c0 = g.Clone("c0", x), c1 = g.Clone("c1", x), c2 = g.Clone("c2", x);
  g.R("r", {c0, c1, c2});
  g.R("rx", {x});
  g.Plan([&](const Graph&, const Plan& plan) { EXPECT_LE(ArenaBytes(plan), 4 * 256); });
}

TEST(CasesA, A4KeepsTheCopyWhenTheSourceIsReadLater) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("c", x, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.R("rx", {x});
  g.R("rc", {c1});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, x, c1));
    EXPECT_GE(plan.stats.copies_kept, 1);
    EXPECT_EQ(ArenaBytes(plan), 512);
  });
}

TEST(CasesA, A5TheCloneIsReadBeforeTheSourceIsWritten) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("c", x, "c");
  g.R("rc", {c});
  const ValueId x1 = g.W("w", x, 0, 256);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 512);
  });
}

TEST(CasesA, A6TheCloneIsReadOutsideOfWhatIsWritten) {
  CaseGraph g;
  const ValueId x = g.Input("X", 400);
  const ValueId c = g.Clone("c", x, "c");
  const ValueId x1 = g.W("w", x, 0, 100);
  g.R("rc", c, 200, 100);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 800);
  });
}

TEST(CasesA, A7LaterReadersOfTheSourceNeverSeeWhatIsWritten) {
  CaseGraph g;
  const ValueId x = g.Input("X", 256);
  const ValueId c = g.Clone("c", x, "c");
  const ValueId c1 = g.W("w", c, 0, 10);
  g.R("rx", x, 100, 100);
  g.R("rc", {c1});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, c, c1));
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 512);
  });
}

TEST(CasesA, A8AConstantIsNeverWritten) {
  CaseGraph g;
  const ValueId constant = g.Constant("C", 256);
  const ValueId c = g.Clone("c", constant, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.Output(c1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, constant));
    EXPECT_TRUE(SameBytes(graph, plan, c, c1));
    EXPECT_EQ(plan.stats.copies_kept, 1);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesA, A8AWriteBasedOnAConstantWorksOnACopy) {
  CaseGraph g;
  const ValueId constant = g.Constant("C", 256);
  const ValueId c1 = g.W("w", constant, 0, 64);
  g.Output(c1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, constant));
    EXPECT_EQ(plan.stats.copies_kept, 1);
    EXPECT_EQ(plan.stats.bytes_copied, 192);
    EXPECT_THAT(NotesOn(graph, plan, "w"), HasSubstr("C is read-only"));
  });
}

TEST(CasesA, A9ABorrowedExternalIsNeverWritten) {
  CaseGraph g;
  const ValueId i = g.External("I", 256);
  const ValueId c = g.Clone("c", i, "c");
  const ValueId c1 = g.W("w", c, 0, 64);
  g.Output(c1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, i));
    EXPECT_TRUE(SameBytes(graph, plan, c, c1));
    EXPECT_EQ(plan.stats.copies_kept, 1);
  });
}

TEST(CasesA, A10ADonatedExternalMayBeWritten) {
  CaseGraph g;
  const ValueId i = g.External("I", 256, {.writable = true});
  const ValueId c1 = g.W("w", g.Clone("c", i), 0, 64);
  g.Output(c1);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 256);
  });
}

TEST(CasesA, A10AWriteBasedOnADonatedExternalIsInItsPlace) {
  CaseGraph g;
  const ValueId i = g.External("I", 256, {.writable = true});
  const ValueId c1 = g.W("w", i, 0, 64);
  g.Output(c1);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_TRUE(InStorageOf(plan, c1, i));
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

TEST(CasesA, A11AnInPlaceUpdateOfAnOutputIsNeverSilent) {
  CaseGraph g;
  const ValueId a = g.Input("a", 64), b = g.Input("b", 64), acc = g.Input("acc", 256);
  const ValueId r = g.W("fma", acc, 0, 64, {a, b});
  g.Output(r);
  g.Output(acc);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, r, acc));
    EXPECT_EQ(plan.stats.copies_kept, 1);
    EXPECT_EQ(plan.stats.bytes_copied, 192);
    EXPECT_THAT(NotesOn(graph, plan, "fma"), HasSubstr("acc must be intact at the end"));
    EXPECT_THAT(NotesOn(graph, plan, "fma"), HasSubstr("bytes of base acc are carried"));
  });
}

}  // namespace
}  // namespace bufplan
