// Section C of docs/cases.md, C17 and C19: caches of keys and values, to which each step appends a row.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"

namespace bufplan {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct KvStep {
  CaseGraph graph;
  std::vector<ValueId> caches, past, rows, updated;
};

struct KvOptions {
  int64_t max_s = 4094, row_bytes = 8192, num_rows = 4095;
  bool view = false;          // of the rows so far; else a slice
  int64_t read_beyond = 0;    // bytes that are read behind the rows so far
  bool read_after = false;    // the rows so far, after the update
  bool read_old_row = false;  // the new row's place, as it was, between producer and update
  bool fixed_place = false;   // the new row goes to the last place, whatever s is
};

// One step of the design's kv-cache: three caches, of which the rows so far are read and one row is appended.
KvStep MakeKvStep(const KvOptions& o) {
  KvStep kv;
  CaseGraph& g = kv.graph;
  const Expr s = g.AddSymbol("s", 0, o.max_s);
  for (const char* name : {"K", "V", "L"}) kv.caches.push_back(g.Variable(name, o.row_bytes * o.num_rows));
  for (ValueId cache : kv.caches) {
    const std::string n(1, "KVL"[kv.rows.size()]);
    const Expr end = o.row_bytes * s + o.read_beyond;
    const Expr place = o.fixed_place ? Expr(o.row_bytes * (o.num_rows - 1)) : o.row_bytes * s;
    const Target past("past" + n, {});
    kv.past.push_back(o.view ? g.View("view" + n, cache, 0, end, past) : g.Slice("slice" + n, cache, 0, end, past));
    kv.rows.push_back(g.Op("attn" + n, {kv.past.back()}, o.row_bytes));
    if (o.read_old_row) g.R("old" + n, cache, place, o.row_bytes);
    kv.updated.push_back(g.Update("upd" + n, cache, kv.rows.back(), place, Target(n + "1", {})));
    if (o.read_after) g.R("after" + n, {kv.past.back()});
    g.Commit("st" + n, kv.updated.back(), cache);
  }
  return kv;
}

void ExpectAllInTheCaches(const KvStep& kv, const KvOptions& o, const Graph& graph, const Plan& plan) {
  ExpectNothingMoves(graph, plan);
  EXPECT_EQ(ArenaBytes(plan), 0);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(SameBytes(graph, plan, kv.updated[i], kv.caches[i]));
    EXPECT_TRUE(SameStart(graph, plan, kv.past[i], kv.caches[i]));
    EXPECT_TRUE(InStorageOf(plan, kv.rows[i], kv.caches[i]));
    for (const int64_t s : {int64_t{0}, o.max_s}) {
      EXPECT_EQ(OffsetOf(graph, plan, kv.rows[i], {s}), s * o.row_bytes);
    }
  }
}

// Of three caches each is updated in place, the row lies in the cache from the start: 0 copies, 0 bytes of arena. The
// same small enough for the oracle.
TEST(CasesC, C17AKvStepMovesNothing) {
  for (const bool small : {false, true}) {
    for (const bool view : {false, true}) {
      for (const bool read_after : {false, true}) {
        SCOPED_TRACE(small ? "small" : "large");
        SCOPED_TRACE(view ? "view" : "slice");
        SCOPED_TRACE(read_after ? "read after" : "read before");
        KvOptions o;
        if (small) o = {.max_s = 6, .row_bytes = 16, .num_rows = 7};
        o.view = view;
        o.read_after = read_after;
        KvStep kv = MakeKvStep(o);
        kv.graph.PlanEachWay([&](const Graph& graph, const Plan& plan) { ExpectAllInTheCaches(kv, o, graph, plan); });
      }
    }
  }
}

TEST(CasesC, C17ARowBeyondTheCacheIsRefused) {
  KvStep kv = MakeKvStep({.max_s = 4095});
  const absl::Status refusal = kv.graph.BuildRefusal();
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("value \"K1\""));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("needs s <= 4094"));
}

// The row's place is read before it, by the row's own producer: the row is made elsewhere and copied, one byte
// suffices.
TEST(CasesC, C17AReadBeyondThePastKeepsTheRow) {
  KvStep kv = MakeKvStep({.max_s = 6, .row_bytes = 16, .num_rows = 7, .read_beyond = 1});
  kv.graph.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Moving(graph, plan), ElementsAre("updK", "updV", "updL"));
    EXPECT_EQ(plan.stats.bytes_copied, 3 * 16);
    EXPECT_EQ(ArenaBytes(plan), 16);
    EXPECT_THAT(NotesOn(graph, plan, "updK"), HasSubstr("attnK itself uses pastK"));
  });
}

TEST(CasesC, C17AReaderOfTheOldRowKeepsTheRow) {
  KvStep kv = MakeKvStep({.max_s = 6, .row_bytes = 16, .num_rows = 7, .read_old_row = true});
  kv.graph.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Moving(graph, plan), ElementsAre("updK", "updV", "updL"));
    EXPECT_EQ(plan.stats.bytes_copied, 3 * 16);
    EXPECT_EQ(ArenaBytes(plan), 16);
    EXPECT_THAT(NotesOn(graph, plan, "updK"), HasSubstr("oldK still needs K there"));
  });
}

// The row goes to place 4094, while the past may reach into it: which fact is missing is said of each cache.
TEST(CasesC, C17APastThatReachesIntoTheRow) {
  for (const int64_t max_s : {4094, 4095}) {
    SCOPED_TRACE(max_s);
    KvStep kv = MakeKvStep({.max_s = max_s, .fixed_place = true});
    kv.graph.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      if (max_s == 4094) {
        ExpectNothingMoves(graph, plan);
        EXPECT_EQ(ArenaBytes(plan), 0);
        return;
      }
      EXPECT_THAT(Moving(graph, plan), ElementsAre("updK", "updV", "updL"));
      EXPECT_EQ(plan.stats.bytes_copied, 3 * 8192);
      EXPECT_EQ(ArenaBytes(plan), 8192);
      EXPECT_THAT(NotesOn(graph, plan, "updK"), HasSubstr("needs s <= 4094"));
    });
  }
}

// And read after the update it is the past that is copied, or the cache.
TEST(CasesC, C17APastThatReachesIntoTheRowAndIsReadAfter) {
  KvStep kv = MakeKvStep({.max_s = 7, .row_bytes = 16, .num_rows = 7, .read_after = true, .fixed_place = true});
  kv.graph.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Moving(graph, plan), ElementsAre("sliceK", "sliceV", "sliceL"));
    EXPECT_EQ(plan.stats.bytes_copied, 3 * 7 * 16);
    EXPECT_THAT(NotesOn(graph, plan, "sliceK"), AllOf(HasSubstr("updK would have to copy"), HasSubstr("needs s <= 6")));
  });
}

// Committed to another cache: the rows so far are brought there, once, and the new row is written there.
TEST(CasesC, C17ACommitToAnotherCache) {
  CaseGraph g;
  const Expr s = g.AddSymbol("s", 0, 6);
  const ValueId k = g.Variable("K", 112), q = g.Variable("Q", 112);
  const ValueId row = g.Op("attn", {g.Slice("slice", k, 0, 16 * s, "past")}, 16);
  const ValueId k1 = g.Update("upd", k, row, 16 * s, "K1");
  g.Commit("st", k1, q);
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 96);
    EXPECT_TRUE(InStorageOf(plan, k1, q));
    EXPECT_TRUE(InStorageOf(plan, row, q));
    EXPECT_EQ(ArenaBytes(plan), 0);
    EXPECT_THAT(NotesOn(graph, plan, "upd"), HasSubstr("is not what is committed to K"));
  });
}

struct Decode {
  CaseGraph g;
  ValueId k, row, past, t, c, y, u, k1;
};

struct DecodeOptions {
  int64_t heads = 32, head_bytes = 256, max_s = 4094;
  bool strides_ok = true;
  bool first_row = false;  // u is the first row of c instead of the last one
};

// A step of decoding. K holds a row of all heads per token; attention wants it by head. The rows so far are turned (t),
// the new row is put behind each head's (c); out of c the kernel copies the new row (u) that is appended to K.
Decode MakeDecode(const DecodeOptions& o) {
  Decode d;
  CaseGraph& g = d.g;
  const Expr s = g.AddSymbol("s", 0, o.max_s);
  const int64_t b = o.head_bytes, row_bytes = o.heads * b;
  const Expr pitch = b * (s + 1);
  d.k = g.Variable("K", row_bytes * (o.max_s + 1));
  d.row = g.Op("qkv", {}, row_bytes);
  d.past = g.Slice("slice", d.k, 0, row_bytes * s, "past");
  const Region by_token{0, b, {Dim{o.heads, b}, Dim{s, row_bytes}}};
  d.t = g.Copy("turn", {{d.past, by_token, std::nullopt}}, std::nullopt, row_bytes * s, "t");
  const Region old_rows{0, b * s, {Dim{o.heads, pitch}}}, new_row{b * s, b, {Dim{o.heads, pitch}}};
  d.c = g.Copy("join", {{d.t, std::nullopt, old_rows}, {d.row, std::nullopt, new_row}}, std::nullopt,
               row_bytes * (s + 1), "c");
  d.y = g.Op("attention", {Operand(d.c, Region{0, row_bytes * (s + 1), {}}, o.strides_ok)}, 64);
  const Region kernel = o.first_row ? Region{0, b, {Dim{o.heads, pitch}}} : new_row;
  d.u = g.Copy("kernel", {{d.c, kernel, std::nullopt}}, std::nullopt, row_bytes, "u");
  d.k1 = g.Update("append", d.k, d.u, row_bytes * s, "K1");
  g.Commit("st", d.k1, d.k);
  g.Output(d.y);
  return d;
}

constexpr DecodeOptions kSmall = {.heads = 3, .head_bytes = 8, .max_s = 5};

TEST(CasesC, C19ACopyKernelOutOfWhatAnEarlierCopyPutIn) {
  for (const bool small : {false, true}) {
    SCOPED_TRACE(small ? "small" : "large");
    const DecodeOptions o = small ? kSmall : DecodeOptions{};
    Decode d = MakeDecode(o);
    d.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectNothingMoves(graph, plan);
      EXPECT_EQ(ArenaBytes(plan), 64);  // y
      for (ValueId v : {d.row, d.c, d.k1}) EXPECT_TRUE(InStorageOf(plan, v, d.k)) << graph.name(v);
      EXPECT_NE(plan.location(d.c).strides, nullptr);
      EXPECT_EQ(OffsetOf(graph, plan, d.row), o.max_s * o.heads * o.head_bytes);
    });
  }
}

// Attention wants c one byte after another: it is put together once, and nothing else moves.
TEST(CasesC, C19WithoutStridesTheWholeIsMadeOnce) {
  for (const bool small : {false, true}) {
    SCOPED_TRACE(small ? "small" : "large");
    DecodeOptions o = small ? kSmall : DecodeOptions{};
    o.strides_ok = false;
    const int64_t all = o.heads * o.head_bytes * (o.max_s + 1);
    Decode d = MakeDecode(o);
    d.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
      ExpectOneCopy(graph, plan, all);
      EXPECT_THAT(Moving(graph, plan), ElementsAre("join"));
      EXPECT_EQ(ArenaBytes(plan), all + 64);
      EXPECT_EQ(plan.location(d.c).strides, nullptr);
      EXPECT_TRUE(InStorageOf(plan, d.row, d.k));
    });
  }
}

// u is another row of c, so what attention reads last goes nowhere into K: c is put together, u copied out of it.
TEST(CasesC, C19AnotherRowIsCopied) {
  DecodeOptions o = kSmall;
  o.first_row = true;
  const int64_t row_bytes = o.heads * o.head_bytes, all = row_bytes * (o.max_s + 1);
  Decode d = MakeDecode(o);
  d.g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    EXPECT_THAT(Moving(graph, plan), AnyOf(ElementsAre("join", "kernel"), ElementsAre("join", "append")));
    EXPECT_EQ(plan.stats.bytes_copied, all + row_bytes);
    EXPECT_LE(ArenaBytes(plan), 64 + row_bytes + all);
  });
}

// No cache: past and row are the caller's. c is put together, u is the row itself.
TEST(CasesC, C19TheCopyOutIsTheRowItself) {
  CaseGraph g;
  const Expr s = g.AddSymbol("s", 0, 3);
  const Expr pitch = 256 * (s + 1);
  const ValueId past = g.Input("past", 32 * 256 * s), row = g.Input("row", 32 * 256);
  const Region old_rows{0, 256 * s, {Dim{32, pitch}}}, new_row{256 * s, 256, {Dim{32, pitch}}};
  const ValueId c = g.Copy("join", {{past, std::nullopt, old_rows}, {row, std::nullopt, new_row}}, std::nullopt,
                           32 * 256 * (s + 1), "c");
  const ValueId u = g.Copy("kernel", {{c, new_row, std::nullopt}}, std::nullopt, 32 * 256, "u");
  g.R("r", {c, u});
  g.PlanEachWay([&](const Graph& graph, const Plan& plan) {
    ExpectOneCopy(graph, plan, 32 * 256 * 4);
    EXPECT_THAT(Moving(graph, plan), ElementsAre("join"));
    EXPECT_TRUE(SameBytes(graph, plan, u, row));
    EXPECT_THAT(NotesOn(graph, plan, "kernel"), HasSubstr("the same bytes are there already, those of row"));
    EXPECT_EQ(ArenaBytes(plan), 32 * 256 * 8);
  });
}

}  // namespace
}  // namespace bufplan
