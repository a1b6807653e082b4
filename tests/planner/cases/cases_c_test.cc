// Section C of docs/cases.md, to C11, and C18: updates, forwarding, emplacement. Each row, and what turns its outcome.
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A value of 64 bytes that lives between two ops.
ValueId Between(CaseGraph& g) {
  const ValueId v = g.Op("between", {}, 64);
  g.R("after", {v});
  return v;
}

TEST(CasesC, C1AnUpdateThatIsOverwrittenWhollyIsDead) {
  CaseGraph g;
  const ValueId t = g.Input("T", 128), from0 = g.Constant("u0", 64), from1 = g.Constant("u1", 64);
  const ValueId u = g.Update("first", t, from0, 0, "U");
  const ValueId v = Between(g);
  const ValueId u1 = g.Update("second", u, from1, 0, "U1");
  g.Output(u1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Elided(graph, plan), ElementsAre("first"));
    EXPECT_EQ(NotesOn(graph, plan, "first"), "nobody reads what it would move\n");
    ExpectOneCopy(graph, plan, 64);  // u1 is the caller's
    EXPECT_TRUE(SameBytes(graph, plan, t, u1));
    EXPECT_EQ(ArenaBytes(plan), IsFast(plan) ? 192 : 128);
    if (IsFast(plan)) return;
    EXPECT_EQ(OffsetOf(graph, plan, v), OffsetOf(graph, plan, t));
  });
}

// A reader in between sees bytes of the first update, or only others; or the second one leaves a byte of it.
TEST(CasesC, C1AnUpdateOfWhichAByteIsNeeded) {
  struct Variant {
    const char* text;
    int64_t read_at, second_bytes, moved;
  };
  for (const Variant& variant :
       {Variant{"read behind", 64, 64, 64}, Variant{"read", 63, 64, 128}, Variant{"left", 64, 63, 127}}) {
    SCOPED_TRACE(variant.text);
    CaseGraph g;
    const ValueId t = g.Input("T", 128), from0 = g.Constant("u0", 64), from1 = g.Constant("u1", variant.second_bytes);
    const ValueId u = g.Update("first", t, from0, 0, "U");
    g.R("r", u, variant.read_at, 1);
    const ValueId u1 = g.Update("second", u, from1, 0, "U1");
    g.Output(u1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_EQ(plan.stats.bytes_copied, variant.moved);
      EXPECT_EQ(Elided(graph, plan).size(), variant.moved == 64 ? 1u : 0u);
      EXPECT_EQ(ArenaBytes(plan), 128);
    });
  }
}

TEST(CasesC, C1WithComputedSourcesNothingMoves) {
  CaseGraph g;
  const ValueId t = g.Input("T", 128);
  const ValueId u = g.Update("first", t, g.Op("f0", {}, 64), 0, "U");
  const ValueId u1 = g.Update("second", u, g.Op("f1", {}, 64), 0, "U1");
  g.Output(u1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(SameBytes(graph, plan, t, u1));
    EXPECT_LE(ArenaBytes(plan), IsFast(plan) ? 192 : 128);
  });
}

TEST(CasesC, C2AnUpdateThatIsNotOverwrittenStaysAlive) {
  CaseGraph g;
  const ValueId t = g.Input("T", 128);
  const ValueId u = g.W("first", t, 0, 64);
  const ValueId v = Between(g);
  const ValueId u1 = g.W("second", u, 64, 64);
  g.R("r", {u1});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, u));
    EXPECT_TRUE(SameBytes(graph, plan, t, u1));
    ExpectNothingMoves(graph, plan);
    EXPECT_EQ(ArenaBytes(plan), IsFast(plan) ? 192 : 128);
    if (IsFast(plan)) return;
    EXPECT_EQ(OffsetOf(graph, plan, v), OffsetOf(graph, plan, t) + 64);  // the only bytes that are dead there
  });
}

// The first one is an update: it executes, and is dead only if the second writes all of it or nobody reads it.
TEST(CasesC, C2AnUpdateExecutesWhenItsBytesAreReadLater) {
  for (const bool read : {true, false}) {
    SCOPED_TRACE(read ? "read" : "not read");
    CaseGraph g;
    const ValueId t = g.Input("T", 128), from = g.Constant("u", 64);
    const ValueId u = g.Update("first", t, from, 0, "U");
    const ValueId u1 = g.W("second", u, 64, 64);
    g.R("r", u1, read ? 0 : 64, read ? 128 : 64);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (read) ExpectOneCopy(graph, plan, 64);
      if (!read) ExpectNothingMoves(graph, plan);
    });
  }
}

TEST(CasesC, C3OldRowsThatSurviveStayAlive) {
  for (const Cover cover : {Cover::kPart, Cover::kAll}) {
    SCOPED_TRACE(cover == Cover::kPart ? "part" : "all");
    CaseGraph g;
    const ValueId t = g.Input("T", 32 * 64);
    const ValueId v = Between(g);
    const ValueId t1 = g.Compute(
        "rows", {.reads = {}, .writes = {{.bytes = 32 * 64, .base = t, .region = Bytes(0, 11 * 64), .cover = cover}}});
    g.R("r", {t1});
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, t, t1));
      ExpectNothingMoves(graph, plan);
      const bool room = cover == Cover::kAll && !IsFast(plan);
      EXPECT_EQ(Overlap(graph, plan, v, t), room);
      EXPECT_EQ(ArenaBytes(plan), room ? 32 * 64 : 33 * 64);
    });
  }
}

// T=concat(u, v) of 64 and 128 bytes; slices of it at [0, low) and [64, 192).
struct SlicedConcat {
  explicit SlicedConcat(bool computed, int64_t low = 64, int64_t written = 0, bool read_whole = false) {
    u = computed ? g.Op("fu", {}, 64) : g.Constant("u", 64);
    v = computed ? g.Op("fv", {}, 128) : g.Constant("v", 128);
    t = g.Concat("concat", {u, v}, "T");
    const ValueId t1 = written > 0 ? g.W("w", t, 0, written) : t;
    s = g.Slice("low", t1, 0, low, "s");
    s2 = g.Slice("high", t1, 64, 128, "s2");
    g.R("r", {s, s2});
    if (read_whole) g.R("rT", {t1});
  }
  CaseGraph g;
  ValueId u, v, t, s, s2;
};

TEST(CasesC, C4SlicesOfAConcatAtItsParts) {
  for (const bool read_whole : {false, true}) {
    SCOPED_TRACE(read_whole ? "T is read" : "T is not read");
    SlicedConcat c(/*computed=*/true, 64, 0, read_whole);
    c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      EXPECT_TRUE(SameBytes(graph, plan, c.u, c.s));
      EXPECT_TRUE(SameBytes(graph, plan, c.v, c.s2));
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

// The parts cannot be written elsewhere: the slices are the parts all the same, and T is nowhere.
TEST(CasesC, C4SlicesOfAConcatOfConstants) {
  SlicedConcat c(/*computed=*/false);
  c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    EXPECT_TRUE(InStorageOf(plan, c.s, c.u));
    EXPECT_TRUE(InStorageOf(plan, c.s2, c.v));
    EXPECT_EQ(plan.location(c.t).kind, Location::Kind::kNone);
    EXPECT_EQ(NotesOn(graph, plan, "concat"), "nobody reads what it would move\n");
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

// T is needed as such: for a reader of it, for a slice that reaches one byte too far, for a writer in between.
TEST(CasesC, C4TheConcatIsMadeOnceWhenItIsNeeded) {
  for (const int variant : {0, 1, 2}) {
    SCOPED_TRACE(variant);
    SlicedConcat c(/*computed=*/false, variant == 1 ? 65 : 64, variant == 2 ? 1 : 0, variant == 0);
    c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectOneCopy(graph, plan, 192);
      EXPECT_THAT(Moving(graph, plan), ElementsAre("concat"));
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

TEST(CasesC, C4TheSameWithComputedPartsMovesNothing) {
  for (const bool wide : {true, false}) {
    SCOPED_TRACE(wide ? "wide slice" : "writer between");
    SlicedConcat c(/*computed=*/true, wide ? 65 : 64, wide ? 0 : 1);
    c.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

// u's bytes are overwritten in T before their slice is read: u is not written into T, v is.
TEST(CasesC, C4APartIsOverwrittenInTheConcatBeforeItsSliceIsRead) {
  CaseGraph g;
  const ValueId u = g.Op("fu", {}, 64), v = g.Op("fv", {}, 128);
  const ValueId t = g.Concat("concat", {u, v}, "T");
  const ValueId s = g.Slice("low", t, 0, 64, "s"), s2 = g.Slice("high", t, 64, 128, "s2");
  const ValueId t1 = g.W("w", t, 0, 64);
  g.R("r", {s, s2});
  g.Output(t1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_LE(plan.stats.bytes_copied, 64);
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_FALSE(Overlap(graph, plan, s, t1));
    EXPECT_TRUE(SameBytes(graph, plan, v, s2));
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

TEST(CasesC, C5ProducersOfAConcat) {
  CaseGraph g;
  std::vector<ValueId> parts;
  for (const char* name : {"p0", "p1", "p2", "p3"}) parts.push_back(g.Op(name, {}, 64));
  const ValueId t = g.Concat("concat", parts, "T");
  g.Output(t);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectNothingMoves(graph, plan);
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(OffsetOf(graph, plan, parts[static_cast<size_t>(i)]), OffsetOf(graph, plan, t) + 64 * i);
    }
    EXPECT_EQ(ArenaBytes(plan), 256);
  });
}

// A part that is the caller's, and one that stands there twice: that part is copied, the others are written there.
TEST(CasesC, C5OnePartThatCannotBeWrittenThere) {
  for (const bool constant : {true, false}) {
    SCOPED_TRACE(constant ? "constant" : "twice");
    CaseGraph g;
    std::vector<ValueId> parts = {g.Op("p0", {}, 64)};
    parts.push_back(constant ? g.Constant("C", 64) : parts[0]);
    parts.push_back(g.Op("p2", {}, 64));
    const ValueId t = g.Concat("concat", parts, "T");
    g.Output(t);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectOneCopy(graph, plan, 64);
      EXPECT_EQ(OffsetOf(graph, plan, parts[2]), OffsetOf(graph, plan, t) + 128);
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

// p0 goes on in place after the concat: p0's unwritten half is what must exist twice.
TEST(CasesC, C5APartThatIsUpdatedAfterTheConcat) {
  for (const bool read : {true, false}) {
    SCOPED_TRACE(read ? "T is read later" : "T is read before");
    CaseGraph g;
    const ValueId p0 = g.Op("f0", {}, 64), p1 = g.Op("f1", {}, 64);
    const ValueId t = g.Concat("concat", {p0, p1}, "T");
    if (!read) g.R("rT", {t});
    const ValueId p2 = g.W("w", p0, 0, 32);
    if (read) g.R("rT", {t});
    g.Output(p2);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (!read) return ExpectNothingMoves(graph, plan);
      ExpectOneCopy(graph, plan, 32);
      EXPECT_THAT(NotesOn(graph, plan, "w"), HasSubstr("rT still needs T there"));
      EXPECT_EQ(ArenaBytes(plan), 192);
    });
  }
}

// u goes into [64, 128) of T and is read again; before that, bytes from `written` on are overwritten.
TEST(CasesC, C6AnUpdateWhoseSourceHasASecondReader) {
  for (const int64_t written : {-1, 128, 127}) {
    SCOPED_TRACE(written);
    CaseGraph g;
    const ValueId t = g.Input("T", 256);
    const ValueId u = g.Op("f", {}, 64);
    ValueId t1 = g.Update("up", t, u, 64, "T1");
    if (written >= 0) t1 = g.W("w", t1, written, 64);
    g.R("second", {u});
    g.Output(t1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, t, t1));
      if (written != 127) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(OffsetOf(graph, plan, u), OffsetOf(graph, plan, t) + 64);
        EXPECT_EQ(ArenaBytes(plan), 256);
      } else {
        ExpectOneCopy(graph, plan, 64);
        EXPECT_EQ(ArenaBytes(plan), 320);
        EXPECT_THAT(NotesOn(graph, plan, "up"), AllOf(HasSubstr("w would have to copy"), HasSubstr("for w.out")));
      }
    });
  }
}

// The base must stay as it is: what is not updated is carried, u is written straight beside it.
TEST(CasesC, C6AnUpdateOfWhatTheCallerKeeps) {
  for (const Role role : {Role::kExternal, Role::kVariable}) {
    SCOPED_TRACE(ToString(role));
    CaseGraph g;
    const ValueId t = g.AddValue("T", 256, role);
    const ValueId u = g.Op("f", {}, 64);
    const ValueId t1 = g.Update("up", t, u, 64, "T1");
    g.R("second", {u});
    g.Output(t1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_FALSE(InStorageOf(plan, t1, t));
      ExpectOneCopy(graph, plan, 192);
      EXPECT_EQ(ArenaBytes(plan), 256);
      const char* why = role == Role::kExternal ? "T is read-only" : "is not what is committed to T";
      EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr(why));
    });
  }
}

// T1=concat(a, b) goes into [64, 128) of T2. A reader of T2 between fb and concat, or between concat and update.
TEST(CasesC, C7AConcatThatIsUpdatedIntoAnother) {
  struct Variant {
    const char* text;
    int64_t read_before_concat, read_before_update, moved;
  };
  for (const Variant& variant :
       {Variant{"nobody reads", -1, -1, 0}, Variant{"read beside", 63, 128, 0}, Variant{"a's place read", 64, -1, 32},
        Variant{"read before the update", -1, 64, 64}}) {
    SCOPED_TRACE(variant.text);
    CaseGraph g;
    const ValueId t2 = g.Input("T2", 256);
    const ValueId a = g.Op("fa", {}, 32), b = g.Op("fb", {}, 32);
    if (variant.read_before_concat >= 0) g.R("r0", t2, variant.read_before_concat, 1);
    const ValueId t1 = g.Concat("concat", {a, b}, "T1");
    if (variant.read_before_update >= 0) g.R("r1", t2, variant.read_before_update, 1);
    const ValueId t3 = g.Update("up", t2, t1, 64, "T3");
    g.Output(t3);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, t2, t3));
      if (variant.moved > 0 && IsFast(plan)) {  // one greedy pass may take the wrong one of two destinations
        EXPECT_LE(plan.stats.bytes_copied, 64);
        return;
      }
      if (variant.moved > 0) return ExpectOneCopy(graph, plan, variant.moved);
      ExpectNothingMoves(graph, plan);
      EXPECT_EQ(OffsetOf(graph, plan, a), OffsetOf(graph, plan, t2) + 64);
      EXPECT_EQ(OffsetOf(graph, plan, b), OffsetOf(graph, plan, t2) + 96);
      EXPECT_EQ(OffsetOf(graph, plan, t1), OffsetOf(graph, plan, t2) + 64);
      EXPECT_EQ(ArenaBytes(plan), 256);
    });
  }
}

TEST(CasesC, C7AConcatThatIsUpdatedIntoABorrowedExternal) {
  CaseGraph g;
  const ValueId t2 = g.External("T2", 256);
  const ValueId a = g.Op("fa", {}, 32), b = g.Op("fb", {}, 32);
  const ValueId t3 = g.Update("up", t2, g.Concat("concat", {a, b}, "T1"), 64, "T3");
  g.Output(t3);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 192);
    EXPECT_EQ(OffsetOf(graph, plan, b), OffsetOf(graph, plan, t3) + 96);
    EXPECT_EQ(ArenaBytes(plan), 256);
    EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("T2 is read-only"));
  });
}

// D reads X[0, read), and its result of 64 bytes is updated into X at `at`.
void PlanReadThenAppend(CaseGraph g, const Expr& read, const Expr& at,
                        absl::FunctionRef<void(const Graph&, const Plan&)> then) {
  const ValueId x = g.Input("X", 512);
  const ValueId d = g.Op("D", {Operand(x, Bytes(0, read))}, 64);
  const ValueId x1 = g.Update("up", x, d, at, "X1");
  g.Output(x1);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    then(graph, plan);
  });
}

void ExpectAppended(const Graph& graph, const Plan& plan) {
  ExpectNothingMoves(graph, plan);
  EXPECT_EQ(ArenaBytes(plan), 512);
}

TEST(CasesC, C8AReadOfWhatLiesBeforeTheUpdate) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 448);
  PlanReadThenAppend(std::move(g), off, off, ExpectAppended);
}

TEST(CasesC, C8AReadThatReachesOneByteIntoTheUpdate) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 448);
  PlanReadThenAppend(std::move(g), off + 1, off, [](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 64);
    EXPECT_EQ(ArenaBytes(plan), 576);
    EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("D itself uses X there, not declared in place"));
  });
}

TEST(CasesC, C8ASymbolThatReachesOneStepTooFar) {
  for (const int64_t max : {4, 5}) {
    SCOPED_TRACE(max);
    CaseGraph g;
    const Expr t = g.AddSymbol("t", 0, max);
    PlanReadThenAppend(std::move(g), 64 * t, 256, [&](const Graph& graph, const Plan& plan) {
      if (max == 4) return ExpectAppended(graph, plan);
      ExpectOneCopy(graph, plan, 64);
      EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("needs t <= 4"));
    });
  }
}

TEST(CasesC, C8TwoSymbolsWithoutARelation) {
  CaseGraph g;
  const Expr t = g.AddSymbol("t", 0, 8);
  const Expr off = g.AddSymbol("off", 0, 448);
  PlanReadThenAppend(std::move(g), 64 * t, off, [](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 64);
    EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("needs 64*t <= off"));
  });
}

// D reads T[0, 100), and its result of 8 bytes goes to `at`.
TEST(CasesC, C9AnUpdateOfWhatItsProducerReads) {
  struct Variant {
    const char* text;
    std::optional<InPlaceMode> mode;
    int64_t at;
    bool elided;
  };
  for (const Variant& variant :
       {Variant{"not declared", std::nullopt, 0, false}, Variant{"any", InPlaceMode::kAny, 0, true},
        Variant{"any, elsewhere", InPlaceMode::kAny, 50, true}, Variant{"same index", InPlaceMode::kSameIndex, 0, true},
        Variant{"same index, elsewhere", InPlaceMode::kSameIndex, 8, false},
        Variant{"last byte", std::nullopt, 99, false}, Variant{"behind what is read", std::nullopt, 100, true}}) {
    SCOPED_TRACE(variant.text);
    CaseGraph g;
    const ValueId t = g.Input("T", 256);
    std::vector<InPlaceOf> permissions;
    if (variant.mode.has_value()) permissions.emplace_back(t, *variant.mode);
    const ValueId d = g.Op("D", {Operand(t, Bytes(0, 100))}, 8, permissions);
    const ValueId t1 = g.Update("up", t, d, variant.at, "T1");
    g.Output(t1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, t, t1));
      if (variant.elided) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 256);
      } else {
        ExpectOneCopy(graph, plan, 8);
        EXPECT_FALSE(Overlap(graph, plan, t, d));
        EXPECT_EQ(ArenaBytes(plan), 264);
        EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("D itself uses T there, not declared in place"));
      }
    });
  }
}

// E reads [from, 100) of T between D and the update of [0, 8).
TEST(CasesC, C10C11AReadBetweenProducerAndUpdate) {
  for (const int64_t from : {0, 7, 8}) {
    SCOPED_TRACE(from);
    CaseGraph g;
    const ValueId in = g.Input("in", 8), t = g.Input("T", 256);
    const ValueId u = g.Op("D", {in}, 8);
    g.R("E", t, from, 100 - from);
    const ValueId t1 = g.Update("up", t, u, 0, "T1");
    g.Output(t1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, t, t1));
      if (from == 8) {
        ExpectNothingMoves(graph, plan);
        EXPECT_TRUE(SameStart(graph, plan, t, u));
        EXPECT_EQ(ArenaBytes(plan), 264);
      } else {
        ExpectOneCopy(graph, plan, 8);
        EXPECT_FALSE(Overlap(graph, plan, t, u));
        EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("E still needs T there"));
        EXPECT_EQ(ArenaBytes(plan), 272);
      }
    });
  }
}

TEST(CasesC, C10ASymbolThatBeginsOneStepTooEarly) {
  for (const int64_t min : {0, 1}) {
    SCOPED_TRACE(min);
    CaseGraph g;
    const Expr t = g.AddSymbol("t", min, 8);
    const ValueId in = g.Input("in", 8), v = g.Input("T", 256);
    const ValueId u = g.Op("D", {in}, 8);
    g.R("E", v, 8 * t, 100);
    const ValueId v1 = g.Update("up", v, u, 0, "T1");
    g.Output(v1);
    g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (min == 1) return ExpectNothingMoves(graph, plan);
      ExpectOneCopy(graph, plan, 8);
      EXPECT_THAT(NotesOn(graph, plan, "up"), HasSubstr("E still needs T there; needs t >= 1"));
    });
  }
}

TEST(CasesC, C18AFanInResidual) {
  CaseGraph g;
  const ValueId a = g.Input("a", 100);
  const ValueId b = g.Op("f", {a}, 100);
  const ValueId c = g.Op("g", {b}, 100);
  const ValueId d = g.Op("h", {a, c}, 100);
  g.Output(d);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), 300);
    EXPECT_EQ(plan.arenas[0].lower_bound, 300);
    EXPECT_TRUE(plan.optimal);
    EXPECT_TRUE(SameBytes(graph, plan, b, d));
  });
}

}  // namespace
}  // namespace bufplan
