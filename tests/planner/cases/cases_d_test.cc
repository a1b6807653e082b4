// Section D of docs/cases.md: in place.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

TEST(CasesD, D1AChainOfElementWiseOps) {
  CaseGraph g;
  std::vector<ValueId> chain = {g.Input("x", 100)};
  for (int i = 0; i < 10; ++i) chain.push_back(g.Op("", {chain.back()}, 100, {chain.back()}));
  g.Output(chain.back());
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    for (ValueId v : chain) EXPECT_TRUE(SameBytes(graph, plan, chain[0], v));
    EXPECT_EQ(ArenaBytes(plan), 100);
  });
}

// The fifth of them is read once more at the end: one more storage, and no copy.
TEST(CasesD, D1AChainOfWhichOneIsReadLate) {
  CaseGraph g;
  std::vector<ValueId> chain = {g.Input("x", 100)};
  for (int i = 0; i < 10; ++i) chain.push_back(g.Op("", {chain.back()}, 100, {chain.back()}));
  g.R("late", {chain[5]});
  g.Output(chain.back());
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    for (size_t i = 0; i <= 5; ++i) EXPECT_TRUE(SameBytes(graph, plan, chain[0], chain[i]));
    for (size_t i = 6; i <= 10; ++i) EXPECT_TRUE(SameBytes(graph, plan, chain[6], chain[i]));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 200);
  });
}

// The same through clones: they are the values they copy.
TEST(CasesD, D1AChainThroughClones) {
  CaseGraph g;
  std::vector<ValueId> chain = {g.Input("x", 100)};
  for (int i = 0; i < 5; ++i) {
    chain.push_back(g.Clone("", chain.back()));
    chain.push_back(g.Op("", {chain.back()}, 100, {chain.back()}));
  }
  g.Output(chain.back());
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    for (ValueId v : chain) EXPECT_TRUE(SameBytes(graph, plan, chain[0], v));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), 100);
  });
}

TEST(CasesD, D2NotInPlaceOfWhatAnotherStreamReads) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId a = g.Op("op0", {}, 64, {}, {.stream = main});
  const ValueId b = g.Op("op1", {a}, 64, {}, {.stream = main});
  const ValueId c = g.Op("op2", {a}, 64, {a}, {.stream = side});
  g.Output(b);
  g.Output(c);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, a, c));
    EXPECT_FALSE(Overlap(graph, plan, b, c));
    EXPECT_THAT(NotesOn(graph, plan, "op2"), HasSubstr("op1 uses op0.out there on another stream"));
  });
}

TEST(CasesD, D2InPlaceOnceTheStreamsAreOrdered) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId a = g.Op("op0", {}, 64, {}, {.stream = main});
  const ValueId b = g.Op("op1", {a}, 64, {}, {.stream = main});
  const OpId op1 = g.last_op();
  const ValueId c = g.Op("op2", {a}, 64, {a}, {.stream = side});
  g.Order(op1, g.last_op());
  g.Output(b);
  g.Output(c);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) { EXPECT_TRUE(SameBytes(graph, plan, a, c)); });
}

TEST(CasesD, D3AResultNeverMeetsADyingOperandPartly) {
  CaseGraph g;
  const ValueId a = g.Op("fa", {}, 4096);
  const ValueId k =
      g.Compute("fk", {.reads = {}, .writes = {{.name = "k", .bytes = 1024, .options = {.pinned_offset_bytes = 0}}}});
  const ValueId b = g.Op("op7", {a}, 4096);
  g.R("r", {b, k});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(OffsetOf(graph, plan, k), 0);
    EXPECT_FALSE(Overlap(graph, plan, a, b));
    EXPECT_FALSE(Overlap(graph, plan, a, k));
    EXPECT_EQ(ArenaBytes(plan), 1024 + 2 * 4096);
  });
}

TEST(CasesD, D4NotInPlaceOfAnOutput) {
  CaseGraph g;
  const ValueId a = g.Op("f", {}, 64);
  const ValueId b = g.Op("g", {a}, 64, {a});
  g.Output(a);
  g.Output(b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, a, b));
    EXPECT_EQ(ArenaBytes(plan), 128);
    EXPECT_THAT(NotesOn(graph, plan, "g"), HasSubstr("f.out must be intact at the end"));
  });
}

TEST(CasesD, D4NotInPlaceOfWhatHasAnOutputView) {
  CaseGraph g;
  const ValueId a = g.Op("f", {}, 64);
  const ValueId view = g.View("v", a, 32, 16);
  const ValueId b = g.Op("g", {a}, 64, {a});
  g.Output(view);
  g.Output(b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, view, b));
    EXPECT_FALSE(SameStart(graph, plan, a, b));
  });
}

// An output view of bytes that the result does not reach is no obstacle.
TEST(CasesD, D4InPlaceBesideAnOutputView) {
  CaseGraph g;
  const ValueId a = g.Op("f", {}, 64);
  const ValueId view = g.View("v", a, 32, 32);
  const ValueId b = g.Op("g", {a}, 32, {a});
  g.Output(view);
  g.Output(b);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameStart(graph, plan, a, b));
    EXPECT_EQ(ArenaBytes(plan), 64);
  });
}

TEST(CasesD, D5TheTailOfALargerOperandIsFree) {
  CaseGraph g;
  g.AddSpace("device", {.alignment_bytes = 32});
  const ValueId a = g.Op("f", {}, 100);
  const ValueId b = g.Op("g", {a}, 40, {a});
  const ValueId other = g.Op("h", {}, 64);
  g.R("r", {b, other});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameStart(graph, plan, a, b));
    EXPECT_EQ(RangeOf(graph, plan, a), (ByteRange{0, 100}));
    EXPECT_EQ(RangeOf(graph, plan, other), (ByteRange{64, 128}));
    EXPECT_EQ(ArenaBytes(plan), 128);
  });
}

// What is not the planner's to write is not taken.
TEST(CasesD, D5NotInPlaceOfWhatTheCallerLends) {
  for (const bool writable : {false, true}) {
    SCOPED_TRACE(writable ? "donated" : "borrowed");
    CaseGraph g;
    const ValueId a = g.External("a", 100, {.writable = writable});
    const ValueId b = g.Op("g", {a}, 40, {a});
    g.Output(b);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(InStorageOf(plan, b, a), writable);
      EXPECT_EQ(ArenaBytes(plan), writable ? 0 : 40);
      if (!writable) {
        EXPECT_THAT(NotesOn(graph, plan, "g"), HasSubstr("a is read-only"));
      }
    });
  }
}

TEST(CasesD, D6BothOperandsAreTheSameDyingValue) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const ValueId y = g.Op("mul", {x, x}, 64, {x});
  g.Output(y);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, y));
    EXPECT_EQ(ArenaBytes(plan), 64);
  });
}

TEST(CasesD, D6NotWhenTheValueLivesOn) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const ValueId y = g.Op("mul", {x, x}, 64, {x});
  g.R("r", {x, y});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, x, y));
    EXPECT_THAT(NotesOn(graph, plan, "mul"), HasSubstr("r still needs f.out there"));
  });
}

TEST(CasesD, D7TheOperandThatSavesMore) {
  for (const bool larger_first : {false, true}) {
    CaseGraph g;
    const ValueId small = g.Op("fs", {}, 100), large = g.Op("fl", {}, 200);
    std::vector<InPlaceOf> wishes = {InPlaceOf(small, InPlaceMode::kAny), InPlaceOf(large)};
    if (larger_first) std::swap(wishes[0], wishes[1]);
    const ValueId r = g.Op("g", {small, large}, 200, wishes);
    g.Output(r);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, large, r));
      EXPECT_EQ(ArenaBytes(plan), 300);
      EXPECT_THAT(NotesOn(graph, plan, "g"), HasSubstr("g.out is not in place of fs.out: another operand was taken"));
    });
  }
}

TEST(CasesD, D7TwoResultsWantOneOperand) {
  CaseGraph g;
  const ValueId p = g.Op("fp", {}, 100), q = g.Op("fq", {}, 200);
  const Results r = g.Compute("g", {.reads = {p, q},
                                    .writes = {{.name = "r0", .bytes = 100, .in_place = {q, p}},
                                               {.name = "r1", .bytes = 200, .in_place = {q}}}});
  g.Output(r[0]);
  g.Output(r[1]);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, p, r[0]));
    EXPECT_TRUE(SameBytes(graph, plan, q, r[1]));
    EXPECT_EQ(ArenaBytes(plan), 300);
  });
}

TEST(CasesD, D8InPlaceOfAWholeView) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const ValueId view = g.View("v", x, 0, 64);
  const ValueId y = g.Op("relu", {view}, 64, {view});
  g.Output(y);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, y));
    EXPECT_EQ(ArenaBytes(plan), 64);
  });
}

// One byte of the value is read again: the op's result lies elsewhere.
TEST(CasesD, D8NotInPlaceOfAViewOfWhatIsReadAgain) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  const ValueId view = g.View("v", x, 0, 64);
  const ValueId y = g.Op("relu", {view}, 64, {view});
  g.R("late", x, 63, 1);
  g.Output(y);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_FALSE(Overlap(graph, plan, x, y));
    EXPECT_EQ(ArenaBytes(plan), 128);
    EXPECT_THAT(NotesOn(graph, plan, "relu"), HasSubstr("late still needs f.out there"));
  });
}

}  // namespace
}  // namespace bufplan
