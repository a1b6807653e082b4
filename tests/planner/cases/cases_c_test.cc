// Section C of docs/cases.md: updates, forwarding, emplacement.
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

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
  const ValueId u = g.Update("first", t, from0, 0);
  const ValueId v = Between(g);
  const ValueId u1 = g.Update("second", u, from1, 0);
  g.Output(u1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, u));
    EXPECT_TRUE(SameBytes(graph, plan, t, u1));
    EXPECT_LE(ArenaBytes(plan), 192);
    if (IsFast(plan)) return;
    EXPECT_EQ(OffsetOf(graph, plan, v), OffsetOf(graph, plan, t));
    EXPECT_EQ(ArenaBytes(plan), 128);
  });
}

TEST(CasesC, C2AnUpdateThatIsNotOverwrittenStaysAlive) {
  CaseGraph g;
  const ValueId t = g.Input("T", 128);
  const ValueId u = g.W("first", t, 0, 64);
  const ValueId v = Between(g);
  const ValueId u1 = g.W("second", u, 64, 64);
  g.R("r", {u1});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, u));
    EXPECT_TRUE(SameBytes(graph, plan, t, u1));
    EXPECT_LE(ArenaBytes(plan), 192);
    if (IsFast(plan)) return;
    EXPECT_EQ(OffsetOf(graph, plan, v), OffsetOf(graph, plan, t) + 64);  // the only bytes that are dead there
    EXPECT_EQ(ArenaBytes(plan), 128);
  });
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
    g.Plan([&](const Graph& graph, const Plan& plan) {
      EXPECT_TRUE(SameBytes(graph, plan, t, t1));
      const bool room = cover == Cover::kAll && !IsFast(plan);
      EXPECT_EQ(Overlap(graph, plan, v, t), room);
      EXPECT_EQ(ArenaBytes(plan), room ? 32 * 64 : 33 * 64);
    });
  }
}

TEST(CasesC, C4SlicesOfAConcatAtItsParts) {
  CaseGraph g;
  const ValueId u = g.Op("fu", {}, 64), v = g.Op("fv", {}, 128);
  const ValueId t = g.Concat("T", {u, v});
  g.R("r", {g.Slice("s", t, 0, 64), g.Slice("s2", t, 64, 128)});
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_LE(plan.stats.copies_kept, 3);
    EXPECT_LE(ArenaBytes(plan), 3 * 192);
  });
}

TEST(CasesC, C5ProducersOfAConcat) {
  CaseGraph g;
  std::vector<ValueId> parts;
  for (const char* name : {"p0", "p1", "p2", "p3"}) parts.push_back(g.Op(name, {}, 64));
  const ValueId t = g.Concat("T", parts);
  g.Output(t);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_LE(plan.stats.copies_kept, 1);
    EXPECT_LE(ArenaBytes(plan), 2 * 256);
  });
}

TEST(CasesC, C6AnUpdateWhoseSourceHasASecondReader) {
  CaseGraph g;
  const ValueId t = g.Input("T", 256);
  const ValueId u = g.Op("f", {}, 64);
  const ValueId t1 = g.Update("up", t, u, 64);
  g.R("second", {u});
  g.Output(t1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, t1));
    EXPECT_LE(plan.stats.bytes_copied, 64);
    EXPECT_LE(ArenaBytes(plan), 320);
  });
}

TEST(CasesC, C7AConcatThatIsUpdatedIntoAnother) {
  CaseGraph g;
  const ValueId t2 = g.Input("T2", 256);
  const ValueId a = g.Op("fa", {}, 32), b = g.Op("fb", {}, 32);
  const ValueId t1 = g.Concat("T1", {a, b});
  const ValueId t3 = g.Update("up", t2, t1, 64);
  g.Output(t3);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t2, t3));
    EXPECT_LE(plan.stats.bytes_copied, 128);
  });
}

TEST(CasesC, C8AReadOfWhatLiesBeforeTheUpdate) {
  CaseGraph g;
  const Expr off = g.AddSymbol("off", 0, 448);
  const ValueId x = g.Input("X", 512);
  const ValueId d = g.Op("D", {Operand(x, Bytes(0, off))}, 64);
  const ValueId x1 = g.Update("up", x, d, off);
  g.Output(x1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, x, x1));
    EXPECT_LE(ArenaBytes(plan), 576);
  });
}

TEST(CasesC, C9AnUpdateOfWhatItsProducerReads) {
  CaseGraph g;
  const ValueId t = g.Input("T", 256);
  const ValueId d = g.Op("D", {Operand(t, Bytes(0, 100))}, 8);
  const ValueId t1 = g.Update("up", t, d, 0);
  g.Output(t1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, t1));
    EXPECT_FALSE(Overlap(graph, plan, t, d));
    EXPECT_EQ(plan.stats.bytes_copied, 8);
    EXPECT_EQ(ArenaBytes(plan), 264);
  });
}

TEST(CasesC, C9TheSameWithPermission) {
  CaseGraph g;
  const ValueId t = g.Input("T", 256);
  const ValueId d = g.Op("D", {Operand(t, Bytes(0, 100))}, 8, {InPlaceOf(t, InPlaceMode::kAny)});
  const ValueId t1 = g.Update("up", t, d, 0);
  g.Output(t1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, t1));
    EXPECT_LE(plan.stats.bytes_copied, 8);
  });
}

TEST(CasesC, C10AReadBetweenProducerAndUpdate) {
  CaseGraph g;
  const ValueId in = g.Input("in", 8), t = g.Input("T", 256);
  const ValueId u = g.Op("D", {in}, 8);
  g.R("E", t, 0, 100);
  const ValueId t1 = g.Update("up", t, u, 0);
  g.Output(t1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, t1));
    EXPECT_FALSE(Overlap(graph, plan, t, u));
    EXPECT_EQ(plan.stats.bytes_copied, 8);
  });
}

TEST(CasesC, C11AReadOfOtherBytesBetweenProducerAndUpdate) {
  CaseGraph g;
  const ValueId in = g.Input("in", 8), t = g.Input("T", 256);
  const ValueId u = g.Op("D", {in}, 8);
  g.R("E", t, 8, 92);
  const ValueId t1 = g.Update("up", t, u, 0);
  g.Output(t1);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_TRUE(SameBytes(graph, plan, t, t1));
    EXPECT_LE(plan.stats.bytes_copied, 8);
  });
}

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

TEST(CasesC, C12AnExchangeOfVariablesThroughAClone) {
  CaseGraph g;
  const ValueId a = g.Variable("A", 64), b = g.Variable("B", 64);
  const ValueId c = g.Clone("c", a);
  g.Commit("b_to_a", b, a);
  g.Commit("c_to_b", c, b);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_EQ(plan.stats.copies_kept, 3);
    EXPECT_FALSE(InStorageOf(plan, c, a));
    EXPECT_FALSE(InStorageOf(plan, c, b));
    EXPECT_EQ(ArenaBytes(plan), 64);
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
  g.Plan([&](const Graph& graph, const Plan& plan) {
    for (ValueId v : variables) EXPECT_FALSE(Overlap(graph, plan, y, v));
    EXPECT_EQ(plan.location(y).kind, Location::Kind::kArena);
    EXPECT_EQ(plan.stats.copies_kept, 0);
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
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_EQ(plan.location(y).kind, Location::Kind::kArena);
    EXPECT_EQ(plan.stats.copies_kept, 0);
  });
}

TEST(CasesC, C14AVariableIsUpdatedThroughAClone) {
  CaseGraph g;
  const ValueId v = g.Variable("V", 256);
  const ValueId c1 = g.W("w", g.Clone("c", v), 64, 64);
  g.Commit("st", c1, v);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_LE(plan.stats.copies_kept, 2);
    EXPECT_LE(ArenaBytes(plan), 256);
  });
}

// Without the clone: the write is in the variable itself.
TEST(CasesC, C14AVariableIsUpdatedInPlace) {
  CaseGraph g;
  const ValueId v = g.Variable("V", 256);
  g.R("r", {v});
  const ValueId v1 = g.W("w", v, 64, 64);
  g.Commit("st", v1, v);
  g.Plan([&](const Graph&, const Plan& plan) {
    EXPECT_TRUE(InStorageOf(plan, v1, v));
    EXPECT_EQ(plan.stats.copies_kept, 0);
    EXPECT_EQ(ArenaBytes(plan), 0);
  });
}

TEST(CasesC, C15ACommitToAnotherVariable) {
  for (const bool clone : {true, false}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId v = g.Variable("V", 256), q = g.Variable("Q", 256);
    const ValueId c1 = g.W("w", clone ? g.Clone("c", v) : v, 64, 64);
    g.Commit("st", c1, q);
    g.Plan([&](const Graph&, const Plan& plan) {
      EXPECT_FALSE(InStorageOf(plan, c1, v));
      EXPECT_GE(plan.stats.copies_kept, 1);
    });
  }
}

TEST(CasesC, C16AnUpdateOfAVariableThatIsNeverCommitted) {
  for (const bool clone : {true, false}) {
    SCOPED_TRACE(clone ? "clone" : "base");
    CaseGraph g;
    const ValueId v = g.Variable("V", 256);
    const ValueId c1 = g.W("w", clone ? g.Clone("c", v) : v, 64, 64);
    g.Output(c1);
    g.Plan([&](const Graph&, const Plan& plan) {
      EXPECT_FALSE(InStorageOf(plan, c1, v));
      EXPECT_EQ(plan.stats.copies_kept, 1);
      EXPECT_EQ(ArenaBytes(plan), 256);
    });
  }
}

struct KvStep {
  CaseGraph graph;
  std::vector<ValueId> caches, rows, updated;
};

// One step of the design's kv-cache: three caches, of which the rows so far are read and one row is appended.
KvStep MakeKvStep(int64_t max_s, int64_t row_bytes, int64_t num_rows, bool read_after = false) {
  KvStep kv;
  CaseGraph& g = kv.graph;
  const Expr s = g.AddSymbol("s", 0, max_s);
  for (const char* name : {"K", "V", "L"}) kv.caches.push_back(g.Variable(name, row_bytes * num_rows));
  for (ValueId cache : kv.caches) {
    const ValueId past = g.View("", cache, 0, row_bytes * s);
    const ValueId row = g.Op("", {past}, row_bytes);
    const ValueId updated = g.Update("", cache, row, row_bytes * s, kv.updated.empty() ? "K1" : "");
    if (read_after) g.R("", {past});
    g.Commit("", updated, cache);
    kv.rows.push_back(row);
    kv.updated.push_back(updated);
  }
  return kv;
}

TEST(CasesC, C17AKvStepUpdatesItsCachesInPlace) {
  for (const bool read_after : {false, true}) {
    SCOPED_TRACE(read_after ? "read after" : "read before");
    KvStep kv = MakeKvStep(4094, 8192, 4095, read_after);
    kv.graph.Plan([&](const Graph& graph, const Plan& plan) {
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(InStorageOf(plan, kv.updated[i], kv.caches[i]));
        EXPECT_TRUE(SameBytes(graph, plan, kv.updated[i], kv.caches[i]));
      }
      EXPECT_LE(plan.stats.copies_kept, 3);
      EXPECT_LE(plan.stats.bytes_copied, 3 * 8192);  // the rows
      EXPECT_LE(ArenaBytes(plan), 8192);             // one at a time
    });
  }
}

// Small enough for the oracle.
TEST(CasesC, C17AKvStepOfFewRows) {
  for (const bool read_after : {false, true}) {
    SCOPED_TRACE(read_after ? "read after" : "read before");
    KvStep kv = MakeKvStep(6, 16, 7, read_after);
    kv.graph.Plan([&](const Graph&, const Plan& plan) {
      for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(InStorageOf(plan, kv.updated[i], kv.caches[i]));
      EXPECT_LE(ArenaBytes(plan), 16);
    });
  }
}

TEST(CasesC, C17ARowBeyondTheCacheIsRefused) {
  KvStep kv = MakeKvStep(4095, 8192, 4095);
  const absl::Status refusal = kv.graph.BuildRefusal();
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"K1\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("needs 8192*s + 8192 <= 33546240"));
}

TEST(CasesC, C18AFanInResidual) {
  CaseGraph g;
  const ValueId a = g.Input("a", 100);
  const ValueId b = g.Op("f", {a}, 100);
  const ValueId c = g.Op("g", {b}, 100);
  const ValueId d = g.Op("h", {a, c}, 100);
  g.Output(d);
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_EQ(ArenaBytes(plan), 300);
    EXPECT_EQ(plan.arenas[0].lower_bound, 300);
    EXPECT_TRUE(plan.optimal);
    EXPECT_TRUE(SameBytes(graph, plan, b, d));
  });
}

TEST(CasesC, C19ACopyOutOfWhatAnEarlierCopyPutIn) {
  CaseGraph g;
  const Expr s = g.AddSymbol("s", 0, 3);
  const Expr pitch = 256 * (s + 1);
  const ValueId past = g.Input("past", 32 * 256 * s), row = g.Input("row", 32 * 256);
  const Region old_rows{0, 256 * s, {Dim{32, pitch}}}, new_row{256 * s, 256, {Dim{32, pitch}}};
  const ValueId c =
      g.Copy("c", {{past, std::nullopt, old_rows}, {row, std::nullopt, new_row}}, std::nullopt, 32 * 256 * (s + 1));
  const ValueId u = g.Copy("u", {{c, new_row, std::nullopt}}, std::nullopt, 32 * 256);
  g.R("r", {c, u});
  g.Plan([&](const Graph& graph, const Plan& plan) {
    EXPECT_LE(plan.stats.copies_kept, 2);
    EXPECT_FALSE(Overlap(graph, plan, c, past));
  });
}

}  // namespace
}  // namespace bufplan
