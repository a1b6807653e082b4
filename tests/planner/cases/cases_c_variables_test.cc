// Section C of docs/cases.md, C12 to C16: variables and commits. Each row, and what turns its outcome.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CasesC, C12AnExchangeOfVariablesWithoutACopyIsRefused) {
  CaseGraph g;
  const ValueId a = g.Variable("A", 64), b = g.Variable("B", 64);
  g.Commit("b_to_a", b, a);
  g.Commit("a_to_b", a, b);
  const absl::Status refusal = g.PlanRefusal();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("op \"a_to_b\" needs its old content after op \"b_to_a\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("variable \"A\""));
}

// Two variables exchange their contents through a third place: three moves, none of which can be spared.
TEST(CasesC, C12AnExchangeOfVariablesThroughAClone) {
  CaseGraph g;
  const ValueId a = g.Variable("A", 64), b = g.Variable("B", 64);
  const ValueId c = g.Clone("clone", a, "c");
  g.Commit("b_to_a", b, a);
  g.Commit("c_to_b", c, b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Moving(graph, plan), ElementsAre("clone", "b_to_a", "c_to_b"));
    EXPECT_EQ(plan.stats.bytes_copied, 3 * 64);
    EXPECT_FALSE(InStorageOf(plan, c, a));
    EXPECT_FALSE(InStorageOf(plan, c, b));
    EXPECT_EQ(ArenaBytes(plan), 64);
    EXPECT_THAT(NotesOn(graph, plan, "clone"), HasSubstr("c_to_b still needs c there"));
  });
}

// Without the commit to A the clone is A itself.
TEST(CasesC, C12ACloneThatIsCommittedElsewhereOnly) {
  CaseGraph g;
  const ValueId a = g.Variable("A", 64), b = g.Variable("B", 64);
  const ValueId c = g.Clone("clone", a, "c");
  g.Commit("c_to_b", c, b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 64);
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

TEST(CasesC, C13VariablesThatStayAsTheyAre) {
  CaseGraph g;
  std::vector<ValueId> variables;
  for (const char* name : {"V0", "V1", "V2"}) variables.push_back(g.Variable(name, 4));
  const ValueId y = g.Op("y", {}, 4);
  g.Output(y);
  for (ValueId v : variables) {
    g.R("", {v});
    g.Commit("", v, v);
  }
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    for (ValueId v : variables) EXPECT_FALSE(Overlap(graph, plan, y, v));
    EXPECT_EQ(plan.location(y).kind, Location::Kind::kArena);
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 4);
  });
}

// The same through whole-value views.
TEST(CasesC, C13VariablesThatAreCommittedThroughViews) {
  CaseGraph g;
  std::vector<ValueId> variables;
  for (const char* name : {"V0", "V1", "V2"}) variables.push_back(g.Variable(name, 4));
  const ValueId y = g.Op("y", {}, 4, {});
  g.Output(y);
  for (ValueId v : variables) {
    const ValueId view = g.View("", v, 0, 4);
    g.R("", {view});
    g.Commit("", view, v);
  }
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(plan.location(y).kind, Location::Kind::kArena);
    ExpectNothingMoves(graph, plan);
  });
}

// y is committed to V1 in its stead: then it is written there, after V1's reader.
TEST(CasesC, C13AValueThatIsCommittedIsWrittenThere) {
  for (const bool read_between : {false, true}) {
    SCOPED_TRACE(read_between ? "V1 is read after y is made" : "V1 is read before");
    CaseGraph g;
    const ValueId v1 = g.Variable("V1", 4);
    if (!read_between) g.R("r", {v1});
    const ValueId y = g.Op("f", {}, 4);
    if (read_between) g.R("r", {v1});
    g.Commit("st", y, v1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(InStorageOf(plan, y, v1), !read_between);
      if (!read_between) return ExpectNothingMoves(graph, plan);
      ExpectOneCopy(graph, plan, 4);
      EXPECT_THAT(NotesOn(graph, plan, "st"), HasSubstr("r still needs V1 there"));
    });
  }
}

// Variable V of 256 bytes; c=clone V; c1=W(c, [at, at + 64)); a reader of V[0, read) follows; c1 is committed to V.
void PlanCloneAndCommit(CaseGraph g, const Expr& at, const Expr& read, bool elided) {
  const ValueId v = g.Variable("V", 256);
  const ValueId c = g.Clone("clone", v, "c");
  const ValueId c1 = g.W("w", c, at, 64);
  g.R("r", v, 0, read);
  g.Commit("st", c1, v);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    if (elided) {
      ExpectNothingMoves(graph, plan);
      EXPECT_THAT(Elided(graph, plan), ElementsAre("clone", "st"));
      EXPECT_TRUE(InStorageOf(plan, c1, v));
      EXPECT_EQ(ArenaBytes(plan), 0);
    } else {
      // c1 is put together elsewhere (192 bytes carried) and committed later.
      EXPECT_EQ(plan.stats.bytes_copied, 192 + 256);
      EXPECT_EQ(plan.stats.copies_kept, 2);
      EXPECT_FALSE(InStorageOf(plan, c1, v));
      EXPECT_EQ(ArenaBytes(plan), 256);
      EXPECT_THAT(AllNotes(graph, plan), HasSubstr("r still needs V there"));
    }
  });
}

TEST(CasesC, C14AVariableIsUpdatedThroughAClone) { PlanCloneAndCommit(CaseGraph(), 64, 0, true); }
TEST(CasesC, C14AReaderOfOtherBytesOfTheVariable) { PlanCloneAndCommit(CaseGraph(), 64, 64, true); }
TEST(CasesC, C14AReaderOfOneByteOfWhatIsWritten) { PlanCloneAndCommit(CaseGraph(), 64, 65, false); }

TEST(CasesC, C14AtASymbolicPlace) {
  for (const int64_t more : {0, 1}) {
    SCOPED_TRACE(more);
    CaseGraph g;
    const Expr off = g.AddSymbol("off", 0, 190);
    PlanCloneAndCommit(std::move(g), off, off + more, more == 0);
  }
}

// Without the clone: the write is in the variable itself.
TEST(CasesC, C14AVariableIsUpdatedInPlace) {
  CaseGraph g;
  const ValueId v = g.Variable("V", 256);
  g.R("r", {v});
  const ValueId v1 = g.W("w", v, 64, 64);
  g.Commit("st", v1, v);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(InStorageOf(plan, v1, v));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

// V stays as it is: what c1 keeps of it is copied once, straight into Q.
TEST(CasesC, C15ACommitToAnotherVariable) {
  for (const bool clone : {true, false}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId v = g.Variable("V", 256), q = g.Variable("Q", 256);
    const ValueId c1 = g.W("w", clone ? g.Clone("clone", v, "c") : v, 64, 64);
    g.Commit("st", c1, q);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(InStorageOf(plan, c1, q));
      ExpectOneCopy(graph, plan, 192);
      EXPECT_EQ(ArenaBytes(plan), 0);
      EXPECT_THAT(AllNotes(graph, plan), HasSubstr("is not what is committed to V"));
    });
  }
}

// Q's old content is read in between: it is put together elsewhere, and moved twice.
TEST(CasesC, C15ALateReaderOfTheOtherVariable) {
  CaseGraph g;
  const ValueId v = g.Variable("V", 256), q = g.Variable("Q", 256);
  const ValueId c1 = g.W("w", g.Clone("clone", v, "c"), 64, 64);
  g.R("rq", {q});
  g.Commit("st", c1, q);
  g.PlanEachWay([&](const Graph&, const Plan& plan) {
    EXPECT_FALSE(InStorageOf(plan, c1, q));
    EXPECT_FALSE(InStorageOf(plan, c1, v));
    EXPECT_EQ(plan.stats.bytes_copied, 192 + 256);
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesC, C16AnUpdateOfAVariableThatIsNeverCommitted) {
  for (const bool clone : {true, false}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId v = g.Variable("V", 256);
    const ValueId c1 = g.W("w", clone ? g.Clone("clone", v, "c") : v, 64, 64);
    g.Output(c1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_FALSE(InStorageOf(plan, c1, v));
      ExpectOneCopy(graph, plan, 192);
      EXPECT_EQ(ArenaBytes(plan), 256);
      EXPECT_THAT(AllNotes(graph, plan), HasSubstr("is not what is committed to V"));
    });
  }
}

TEST(CasesC, C16ACloneOfAVariableThatIsOnlyRead) {
  CaseGraph g;
  const ValueId v = g.Variable("V", 256);
  const ValueId c = g.Clone("clone", v, "c");
  g.R("rc", {c});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(InStorageOf(plan, c, v));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

}  // namespace
}  // namespace bufplan
