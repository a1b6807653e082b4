#include "ir/checker.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "tests/ir/built.h"
#include "tests/ir/hand_plan.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;

// kv-step of docs/design.md: attention over what the cache holds makes the next row, in place at its slot.
TEST(CheckerTest, KvStepWithoutACopyIsValidForAllSymbolValues) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 4094);
  const ValueId k = b.Variable("K", 8192 * 4095);
  const ValueId past = b.Slice("past", k, 0, 8192 * s);
  const ValueId row = b.Compute("attn", {.reads = {past}, .writes = {{.name = "row", .bytes = 8192}}});
  const ValueId k1 = b.Update("upd", k, row, 8192 * s);
  b.Commit("st", k1, k);
  const Graph g = Built(std::move(b));
  const Plan plan = HandPlan(g).In(past, k, 0).In(row, k, 8192 * s).In(k1, k, 0).Done();
  EXPECT_EQ(CheckText(g, plan), "ok");
  const CheckReport report = *CheckPlan(g, plan);
  EXPECT_FALSE(report.exact);
  EXPECT_EQ(report.symbol_tuples, 18);  // two corners, 16 samples
  const CheckReport one = *CheckPlan(g, plan, {.symbol_values = std::vector<int64_t>{17}});
  EXPECT_TRUE(one.exact && one.ok());
  EXPECT_EQ(one.symbol_tuples, 1);
}

TEST(CheckerTest, SmallBoxesAreCheckedWhole) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 24, 4);
  b.Output(b.Compute("f", {.writes = {{.name = "x", .bytes = s}}}));
  const Graph g = Built(std::move(b));
  const CheckReport report = *CheckPlan(g, HandPlan(g).At(ValueId(0), 0).Done());
  EXPECT_TRUE(report.exact && report.ok());
  EXPECT_EQ(report.symbol_tuples, 7);
}

TEST(CheckerTest, SymbolValuesMustBeOfTheBox) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 24, 4);
  b.Output(b.Compute("f", {.writes = {{.name = "x", .bytes = s}}}));
  const Graph g = Built(std::move(b));
  const Plan plan = HandPlan(g).At(ValueId(0), 0).Done();
  for (const std::vector<int64_t>& values : std::vector<std::vector<int64_t>>{{28}, {-4}, {3}, {}, {4, 4}}) {
    EXPECT_EQ(CheckPlan(g, plan, {.symbol_values = values}).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_THAT(std::string(CheckPlan(g, plan, {.symbol_values = std::vector<int64_t>{28}}).status().message()),
              HasSubstr("symbol \"s\": value=28, must be in 0..24 and a multiple of 4"));
}

// The violation happens inside of the box only where s is large.
TEST(CheckerTest, ReportsTheSymbolValuesOfAViolation) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 3);
  const ValueId x = b.Compute("f", {.writes = {{.name = "x", .bytes = 32 * s}}});
  const ValueId y = b.Compute("g", {.writes = {{.name = "y", .bytes = 64}}});
  b.Compute("h", {.reads = {x, y}});
  const Graph g = Built(std::move(b));
  const CheckReport report = *CheckPlan(g, HandPlan(g).At(x, 0).At(y, 64).Done());
  ASSERT_EQ(report.violations.size(), 1u);
  EXPECT_EQ(report.violations[0].symbols, std::vector<int64_t>{3});
  EXPECT_EQ(report.violations[0].message,
            "op \"h\" reads value \"x\" bytes [64,96) at device+64: wants bytes [64,96) of value \"x\", finds bytes "
            "[0,32) of value \"y\", written by op \"g\"");
}

TEST(CheckerTest, D1ChainOfInPlaceOpsOnOneStorage) {
  GraphBuilder b;
  ValueId x = b.Input("x", 64);
  for (int i = 0; i < 3; ++i) x = b.Compute("", {.reads = {x}, .writes = {{.bytes = 64, .in_place = {x}}}});
  b.Output(x);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(ValueId(0), 0).At(ValueId(1), 0).At(ValueId(2), 0).At(ValueId(3), 0).Done()),
            "ok");
}

TEST(CheckerTest, D2ReaderOnAnotherStreamForbidsInPlace) {
  GraphBuilder b;
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId a = b.Compute("op0", {.writes = {{.name = "a", .bytes = 64}}});
  const ValueId r = b.Compute("op1", {.reads = {a}, .writes = {{.name = "b", .bytes = 64}}});
  const ValueId c = b.Compute(
      "op2", {.reads = {a}, .writes = {{.name = "c", .bytes = 64, .in_place = {a}}}, .options = {.stream = s1}});
  b.Output(r);
  b.Output(c);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(a, 0).At(r, 64).At(c, 128).Done()), "ok");
  const Plan shared = HandPlan(g).At(a, 0).At(r, 64).At(c, 0).Done();
  EXPECT_EQ(CheckText(g, shared),
            "unordered-overwrite: op \"op2\" writes value \"c\" bytes [0,64) at device+0 over bytes [0,64) of value "
            "\"a\", which op \"op1\" reads in no order with it\n");
  // With op1 before op2 they share.
  EXPECT_EQ(CheckText(g, HandPlan(g).At(a, 0).At(r, 64).At(c, 0).Edge(OpId(1), OpId(2)).Done()), "ok");
}

TEST(CheckerTest, D3ResultMeetsNoDyingOperandNotEvenPartly) {
  GraphBuilder b;
  const ValueId a = b.Input("a", 4096);
  const ValueId r = b.Compute("op7", {.reads = {a}, .writes = {{.name = "b", .bytes = 4096}}});
  b.Output(r);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(a, 0).At(r, 4096).Done()), "ok");
  for (int64_t offset : {0, 1, 2048, 4095}) {
    EXPECT_EQ(CheckKinds(g, HandPlan(g).At(a, 0).At(r, offset).Done()), "own-operand") << offset;
  }
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(a, 4095).At(r, 0).Done()), "own-operand");
}

TEST(CheckerTest, D5InPlaceSameIndexMeansTheSameStartAndNoLonger) {
  const auto make = [](int64_t operand, int64_t result, InPlaceMode mode) {
    GraphBuilder b;
    const ValueId a = b.Input("a", operand);
    b.Output(b.Compute("f", {.reads = {a}, .writes = {{.name = "b", .bytes = result, .in_place = {{a, mode}}}}}));
    return Built(std::move(b));
  };
  const ValueId a(0), r(1);
  const Graph same = make(100, 40, InPlaceMode::kSameIndex);
  EXPECT_EQ(CheckText(same, HandPlan(same).At(a, 0).At(r, 0).Done()), "ok");
  EXPECT_EQ(CheckKinds(same, HandPlan(same).At(a, 0).At(r, 32).Done()), "own-operand");
  const Graph longer = make(40, 100, InPlaceMode::kSameIndex);
  EXPECT_EQ(CheckKinds(longer, HandPlan(longer).At(a, 0).At(r, 0).Done()), "own-operand");
  const Graph any = make(40, 100, InPlaceMode::kAny);
  EXPECT_EQ(CheckText(any, HandPlan(any).At(a, 8).At(r, 0).Done()), "ok");
}

TEST(CheckerTest, B13TailOfASharedStorageIsNoFreeSpace) {
  GraphBuilder b;
  const ValueId a = b.Compute("pa", {.writes = {{.name = "a", .bytes = 24576}}});
  const ValueId t0 = b.Compute("pb", {.writes = {{.name = "b", .bytes = 24576}}});
  const ValueId c = b.Concat("cat", {a, t0}, "C");
  const ValueId u = b.Compute("op2", {.reads = {c}, .writes = {{.name = "u", .bytes = 16}}});
  const ValueId t = b.Compute("op3", {.reads = {u}, .writes = {{.name = "t", .bytes = 24576}}});
  b.Compute("op4", {.reads = {a, t}});
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(a, 0).At(t0, 24576).At(c, 0).At(u, 49152).Copies(1, 0, 0).Noted(OpId(2), Action::kElided);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(t, 49168).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(t, 24576).Done()), "ok");  // b is dead
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(t, 24575).Done()), "wrong-content");
  EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(t, 0).Done()), "wrong-content");
}

TEST(CheckerTest, C1C2PartialUpdatesKeepWhatTheyDoNotOverwrite) {
  GraphBuilder b;
  const ValueId t = b.Input("T", 16);
  const ValueId u = b.Compute("pu", {.writes = {{.name = "u", .bytes = 4}}});
  const ValueId t1 = b.Update("first", t, u, 0, "T1");
  const ValueId t2 =
      b.Compute("second", {.writes = {{.name = "T2", .bytes = 16, .base = t1, .region = Region{4, 4, {}}}}});
  const ValueId w = b.Compute("pw", {.writes = {{.name = "w", .bytes = 4}}});
  b.Compute("read", {.reads = {{t2, Region{0, 8, {}}}, w}});
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  plan.At(t, 0).At(u, 0).At(t1, 0).At(t2, 0).Copies(1, 0, 0);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(w, 16).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(w, 8).Done()), "ok");  // nobody reads [8,12) any more
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(w, 0).Done()),
            "wrong-content: op \"read\" reads value \"T2\" bytes [0,4) at device+0: wants bytes [0,4) of value \"u\", "
            "finds bytes [0,4) of value \"w\", written by op \"pw\"\n");
}

TEST(CheckerTest, C3CoverPartReadsTheOldBytesWhereTheyAre) {
  GraphBuilder b;
  const ValueId t = b.Input("T", 32);
  const ValueId x = b.Compute("px", {.writes = {{.name = "x", .bytes = 8}}});
  const ValueId t1 = b.Compute(
      "part", {.writes = {{.name = "T1", .bytes = 32, .base = t, .region = Region{8, 8, {}}, .cover = Cover::kPart}}});
  b.Compute("read", {.reads = {{t1, Region{8, 8, {}}}, x}});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(t, 0).At(x, 32).At(t1, 0).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(t, 0).At(x, 16).At(t1, 0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(t, 0).At(x, 8).At(t1, 0).Done()), "wrong-content");
  // Elsewhere all of the base is carried.
  EXPECT_EQ(CheckText(g, HandPlan(g).At(t, 0).At(x, 64).At(t1, 32).Copies(0, 1, 32).Done()), "ok");
}

TEST(CheckerTest, C5ProducersWriteIntoTheConcat) {
  GraphBuilder b;
  std::vector<ValueId> parts;
  parts.reserve(4);
  for (int i = 0; i < 4; ++i) {
    parts.push_back(b.Compute(absl::StrCat("p", i), {.writes = {{.bytes = 8}}}));
  }
  const ValueId c = b.Concat("cat", parts, "C");
  b.Output(c);
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  for (int i = 0; i < 4; ++i) plan.At(parts[static_cast<size_t>(i)], 8 * i);
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(c, 0).Copies(1, 0, 0).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(c, 32).Copies(0, 1, 32).Done()), "ok");
  // Three parts are there already, one is moved.
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(c, 0).At(parts[3], 32).Copies(0, 1, 8).Done()), "ok");
}

TEST(CheckerTest, C12VariablesThatExchangeContentsNeedTheClone) {
  GraphBuilder b;
  const ValueId x = b.Variable("A", 8), y = b.Variable("B", 8);
  const ValueId c = b.Clone("clone", x, "c");
  b.Commit("ba", y, x);
  b.Commit("cb", c, y);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(c, 0).Copies(0, 3, 24).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).In(c, x, 0).Copies(1, 2, 16).Done()), "wrong-content");
}

TEST(CheckerTest, C13VariablesCommittedUnchangedKeepTheirBytes) {
  GraphBuilder b;
  const ValueId y = b.Compute("py", {.writes = {{.name = "y", .bytes = 4}}});
  std::vector<ValueId> variables;
  variables.reserve(3);
  for (int i = 0; i < 3; ++i) variables.push_back(b.Variable(absl::StrCat("V", i), 4));
  b.Compute("late", {.reads = {variables[0], variables[1], variables[2]}});
  for (int i = 0; i < 3; ++i) {
    b.Commit(absl::StrCat("c", i), variables[static_cast<size_t>(i)], variables[static_cast<size_t>(i)]);
  }
  b.Output(y);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(y, 0).Copies(3, 0, 0).Done()), "ok");
  for (ValueId v : variables) {
    EXPECT_EQ(CheckKinds(g, HandPlan(g).In(y, v, 0).Copies(3, 0, 0).Done()), "wrong-content variable-lost not-lineage");
  }
}

TEST(CheckerTest, C14VariableIsWrittenByItsLineageOnly) {
  GraphBuilder b;
  const ValueId v = b.Variable("V", 16), q = b.Variable("Q", 16);
  const ValueId c = b.Clone("clone", v, "c");
  const ValueId w = b.Compute("w", {.writes = {{.name = "w", .bytes = 16, .base = c, .region = Region{4, 4, {}}}}});
  b.Commit("commit", w, v);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).In(c, v, 0).In(w, v, 0).Copies(2, 0, 0).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(c, 0).At(w, 0).Copies(0, 2, 32).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).In(c, q, 0).In(w, q, 0).Copies(0, 2, 32).Done()), "variable-lost not-lineage");
}

TEST(CheckerTest, E1ResultsOfOneOpAreApartEvenUnread) {
  GraphBuilder b;
  const Results r = b.Compute("two", {.writes = {{.name = "a", .bytes = 8}, {.name = "u", .bytes = 8}}});
  const ValueId n = b.Compute("next", {.reads = {r[0]}, .writes = {{.name = "b", .bytes = 8}}});
  b.Output(n);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(r[0], 0).At(r[1], 8).At(n, 8).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(r[0], 8).At(r[1], 0).At(n, 0).Done()), "");
  EXPECT_THAT(CheckKinds(g, HandPlan(g).At(r[0], 0).At(r[1], 4).At(n, 12).Done()), HasSubstr("unordered-writes"));
}

TEST(CheckerTest, E6KeepAliveOutlastsTheLastReader) {
  GraphBuilder b;
  const ValueId v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 8}}});
  const ValueId w = b.Compute("last", {.reads = {v}, .writes = {{.name = "w", .bytes = 8, .in_place = {v}}}});
  const ValueId k = b.Compute("k", {.writes = {{.name = "kr", .bytes = 8}}});
  const ValueId n = b.Compute("n", {.writes = {{.name = "nr", .bytes = 8}}});
  b.Compute("use", {.reads = {w, k, n}});
  b.KeepAliveUntil(v, OpId(2));
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(v, 0).At(w, 8).At(k, 16).At(n, 0).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(v, 0).At(w, 0).At(k, 16).At(n, 24).Done()),
            "keep-alive: keep_alive until op \"k\" of value \"v\" bytes [0,8) at device+0: wants bytes [0,8) of value "
            "\"v\", finds bytes [0,8) of value \"w\", written by op \"last\"\n");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(v, 0).At(w, 8).At(k, 0).At(n, 16).Done()), "keep-alive");
}

TEST(CheckerTest, E8KeepAliveOfAConstantOrOfOnesOwnResult) {
  GraphBuilder b;
  const ValueId c = b.Constant("c", 8);
  const ValueId r = b.Compute("f", {.reads = {c}, .writes = {{.name = "r", .bytes = 8}}});
  b.KeepAliveUntil(c, OpId(0));
  b.KeepAliveUntil(r, OpId(0));
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(r, 0).Done()), "ok");
}

// Bytes that were moved away and back are touched, even if they hold the same again.
TEST(CheckerTest, KeepAliveMeansUntouched) {
  GraphBuilder b;
  const ValueId v = b.Compute("pv", {.writes = {{.name = "v", .bytes = 8}}});
  const ValueId c = b.Clone("away", v, "c");
  const ValueId d = b.Clone("back", c, "d");
  const ValueId e = b.Compute("k", {.reads = {v, d}, .writes = {{.name = "e", .bytes = 8}}});
  b.KeepAliveUntil(v, b.last_op());
  b.Output(e);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(v, 0).At(c, 8).At(d, 16).At(e, 24).Copies(0, 2, 16).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(v, 0).At(c, 8).At(d, 0).At(e, 24).Copies(0, 2, 16).Done()), "keep-alive");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(v, 0).At(c, 0).At(d, 0).At(e, 8).Copies(2, 0, 0).Done()), "ok");
}

TEST(CheckerTest, F1ForkUntilTheLastBranchIsDone) {
  GraphBuilder b;
  std::vector<StreamId> s;
  s.reserve(3);
  for (int i = 0; i < 3; ++i) s.push_back(b.AddStream(absl::StrCat("s", i)));
  const ValueId n = b.Compute("n", {.writes = {{.name = "n", .bytes = 8}}});
  std::vector<ValueId> r;
  for (int i = 0; i < 3; ++i) {
    const ValueId x = b.Compute("", {.reads = {n}, .writes = {{.bytes = 8}}, .options = {.stream = s[i]}});
    r.push_back(b.Compute("", {.reads = {x}, .writes = {{.bytes = 8}}, .options = {.stream = s[i]}}));
  }
  b.Output(b.Compute("join", {.reads = {r[0], r[1], r[2]}, .writes = {{.bytes = 8}}}));
  const Graph g = Built(std::move(b));
  // n, then x0 r0 x1 r1 x2 r2, then the result.
  HandPlan plan(g);
  for (int i = 0; i < 8; ++i) plan.At(ValueId(i), 8 * i);
  EXPECT_EQ(CheckText(g, plan.Done()), "ok");
  for (int i : {2, 4, 6}) {  // no r may take n's place: another branch may still read it
    EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(ValueId(i), 0).Done()), "unordered-overwrite") << i;
  }
  EXPECT_EQ(CheckText(g, HandPlan(plan).At(ValueId(7), 0).Done()), "ok");  // the join may
}

TEST(CheckerTest, F2CopyOutOnAnotherStream) {
  const auto make = [](bool edge) {
    GraphBuilder b;
    b.AddSpace("device", {});
    const SpaceId host = b.AddSpace("host", {});
    b.AddStream("s0");
    const StreamId s1 = b.AddStream("s1");
    const ValueId a = b.Compute("pa", {.writes = {{.name = "A", .bytes = 4096}}});
    const ValueId h = b.Transfer("out", a, Target("h", {.space = host}), {.stream = s1});
    b.Compute("k", {.writes = {{.name = "B", .bytes = 4096}}});
    b.Output(h);
    if (edge) b.Order(OpId(1), OpId(2));
    return Built(std::move(b));
  };
  const Graph g = make(false), ordered = make(true);
  const ValueId a(0), h(1), k(2);
  EXPECT_EQ(CheckText(g, HandPlan(g).At(a, 0).At(h, 0).At(k, 4096).Copies(0, 1, 4096).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(a, 0).At(h, 0).At(k, 4000).Copies(0, 1, 4096).Done()), "unordered-overwrite");
  EXPECT_EQ(CheckText(ordered, HandPlan(ordered).At(a, 0).At(h, 0).At(k, 0).Copies(0, 1, 4096).Done()), "ok");
}

TEST(CheckerTest, F5WriteOnAThirdStreamNeedsAnEdgeOrACopy) {
  GraphBuilder b;
  std::vector<StreamId> s;
  s.reserve(3);
  for (int i = 0; i < 3; ++i) s.push_back(b.AddStream(absl::StrCat("s", i)));
  const ValueId x = b.Input("X", 8);
  b.Compute("R", {.reads = {{x, Region{0, 4, {}}}}, .options = {.stream = s[0]}});
  const ValueId x1 = b.Compute("W1", {.writes = {{.name = "X1", .bytes = 8, .base = x, .region = Region{4, 4, {}}}},
                                      .options = {.stream = s[1]}});
  const ValueId x2 = b.Compute("W2", {.writes = {{.name = "X2", .bytes = 8, .base = x1, .region = Region{0, 4, {}}}},
                                      .options = {.stream = s[2]}});
  b.Output(x2);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(x1, 0).At(x2, 0).Done()), "unordered-overwrite");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(x1, 0).At(x2, 0).Edge(OpId(0), OpId(2)).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(x1, 0).At(x2, 8).Copies(0, 1, 4).Done()), "ok");
  // An edge that is not needed is no harm; the wrong one does not help.
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(x1, 0).At(x2, 0).Edge(OpId(2), OpId(0)).Done()), "wrong-content");
}

TEST(CheckerTest, F6WritersOfDisjointRangesMayRunAtOnce) {
  GraphBuilder b;
  b.AddStream("s0");
  const StreamId s1 = b.AddStream("s1");
  const ValueId x = b.Compute("p", {.writes = {{.name = "a", .bytes = 4}}});
  const ValueId y = b.Compute("q", {.writes = {{.name = "b", .bytes = 4}}, .options = {.stream = s1}});
  const ValueId c = b.Concat("cat", {x, y}, "c", {.stream = s1});
  b.Output(c);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(y, 4).At(c, 0).Copies(1, 0, 0).Done()), "ok");
  EXPECT_THAT(CheckKinds(g, HandPlan(g).At(x, 0).At(y, 3).At(c, 0).Copies(0, 1, 4).Done()),
              HasSubstr("unordered-writes"));
}

TEST(CheckerTest, UndefinedBytesDemandNothing) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 4);
  const ValueId c = b.Copy("holes", {{x, std::nullopt, Region{8, 4, {}}}}, std::nullopt, 16, "c");
  const ValueId d = b.Clone("clone", c, "d");
  const ValueId o = b.Compute("read", {.reads = {d}, .writes = {{.name = "o", .bytes = 4}}});
  b.KeepAliveUntil(d, b.last_op());
  b.Output(o);
  b.Output(d);
  const Graph g = Built(std::move(b));
  // o lies in a hole of d: even as an output d promises nothing there, but o is written while its op reads d.
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(c, 4).At(d, 20).At(o, 36).Copies(0, 2, 20).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(c, 4).At(d, 20).At(o, 20).Copies(0, 2, 20).Done()),
            "own-operand keep-alive");
}

TEST(CheckerTest, ZeroBytesConflictWithNothing) {
  GraphBuilder b;
  b.AddSpace("device", {.alignment_bytes = 8});
  const ValueId x = b.Input("x", 8);
  const ValueId z = b.Compute("z", {.reads = {x}, .writes = {{.name = "z", .bytes = 0}}});
  const ValueId c = b.Clone("clone", z, "c");
  const ValueId y = b.Compute("y", {.reads = {x, c}, .writes = {{.name = "y", .bytes = 8}}});
  b.Output(y);
  b.Output(z);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(z, 0).At(c, 8).At(y, 8).Copies(1, 0, 0).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(z, 4).At(c, 8).At(y, 8).Copies(1, 0, 0).Done()), "alignment");
}

TEST(CheckerTest, StridedCopyCoincidesOrMoves) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 64);
  const Region left{0, 4, {{4, 16}}}, packed{0, 16, {}};
  const ValueId p = b.Copy("pack", {{x, left, packed}}, std::nullopt, 16, "p");
  const ValueId u = b.Copy("unpack", {{p, packed, left}}, x, 64, "u");
  b.Output(u);
  const Graph g = Built(std::move(b));
  // unpack puts back what is there: the origins agree wherever it is.
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(p, 64).At(u, 0).Copies(0, 2, 32).Done()), "ok");
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(p, 64).At(u, 80).Copies(0, 2, 80).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(p, 63).At(u, 0).Copies(0, 2, 32).Done()), "output-lost");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(p, 50).At(u, 0).Copies(0, 2, 32).Done()), "own-operand output-lost");
}

TEST(CheckerTest, RefusesPlansOfAnotherShape) {
  GraphBuilder b;
  b.Output(b.Compute("f", {.writes = {{.name = "x", .bytes = 8}}}));
  const Graph g = Built(std::move(b));
  const Plan good = HandPlan(g).At(ValueId(0), 0).Done();
  const auto status = [&](void (*change)(Plan&)) {
    Plan plan = good;
    change(plan);
    return CheckPlan(g, plan).status();
  };
  const std::vector<void (*)(Plan&)> changes = {
      [](Plan& p) { p.locations.pop_back(); },
      [](Plan& p) { p.locations.emplace_back(); },
      [](Plan& p) { p.arenas.clear(); },
      [](Plan& p) { p.arenas[0].space = SpaceId(1); },
      [](Plan& p) { p.locations[0].memory = 1; },
      [](Plan& p) { p.locations[0].memory = -1; },
      [](Plan& p) { p.locations[0] = Location::InCaller(ValueId(3), 0); },
      [](Plan& p) { p.locations[0].offset_bytes = Expr::FromSymbol(SymbolId(0)); },
      [](Plan& p) { p.locations[0].offset_bytes = Expr(INT64_MAX) + 1; },
      [](Plan& p) {
        p.scratch.push_back({OpId(9), p.locations[0]});
      },
      [](Plan& p) {
        p.scratch = {{OpId(0), p.locations[0]}, {OpId(0), p.locations[0]}};
      },
      [](Plan& p) { p.fused.emplace_back(); },
      [](Plan& p) {
        p.added_order.push_back({OpId(0), OpId(1), ""});
      },
      [](Plan& p) { p.notes.emplace_back().op = OpId(-1); },
      [](Plan& p) { p.live.resize(2); },
      [](Plan& p) { p.stats.peak_op = OpId(1); },
  };
  EXPECT_TRUE(CheckPlan(g, good)->ok());
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(status(changes[i]).code(), absl::StatusCode::kInvalidArgument) << "change " << i;
  }
}

// Where the span of a strided box decides, its runs are not spelled out; where not, there may be too many.
TEST(CheckerTest, TooManyStridedRunsAreRefusedByName) {
  GraphBuilder b;
  const int64_t n = int64_t{1} << 25;
  const ValueId x = b.Input("x", 2 * n);
  const ValueId y =
      b.Compute("strided", {.reads = {{x, Region{0, 1, {{n, 2}}}}}, .writes = {{.name = "y", .bytes = 1}}});
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(y, 2 * n).Done()), "ok");
  const absl::Status status = CheckPlan(g, HandPlan(g).At(x, 0).At(y, 1).Done()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("op \"strided\""));
}

// The result of an op may lie between the bytes that it reads.
TEST(CheckerTest, ManyStridedRunsAreSpelledOutWhereThatDecides) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 200);
  const ValueId y =
      b.Compute("strided", {.reads = {{x, Region{0, 1, {{100, 2}}}}}, .writes = {{.name = "y", .bytes = 1}}});
  b.Output(y);
  const Graph g = Built(std::move(b));
  EXPECT_EQ(CheckText(g, HandPlan(g).At(x, 0).At(y, 101).Done()), "ok");
  EXPECT_EQ(CheckKinds(g, HandPlan(g).At(x, 0).At(y, 102).Done()), "own-operand");
}

// What lies between the runs of one part may be said to be there by another part, and must be so.
TEST(CheckerTest, ManyStridedRunsAroundWhatIsThereAlready) {
  for (const bool with_base : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.Input("x", 100), base = b.Input("base", 400);
    const ValueId u = b.Compute("pu", {.writes = {{.name = "u", .bytes = 2}}});
    const ValueId w = b.Compute("pw", {.writes = {{.name = "w", .bytes = 2}}});
    b.Compute("rw", {.reads = {w}});
    const ValueId t = b.Copy("t", {{u, std::nullopt, Region{203, 2, {}}}, {x, std::nullopt, Region{1, 1, {{100, 4}}}}},
                             with_base ? std::optional<ValueId>(base) : std::nullopt, 400, "T");
    b.Compute("read", {.reads = {t}});
    const Graph g = Built(std::move(b));
    HandPlan plan(g);
    plan.At(base, 0).At(x, 400).At(u, 203).At(t, 0).Copies(0, 1, 100);
    EXPECT_EQ(CheckText(g, HandPlan(plan).At(w, 500).Done()), "ok");
    EXPECT_EQ(CheckKinds(g, HandPlan(plan).At(w, 203).Done()), "wrong-content");
  }
}

// Doubled 40 times, two pieces become 2^41: refused, not tried.
TEST(CheckerTest, TooManyPiecesAreRefusedByName) {
  GraphBuilder b;
  ValueId x = b.Concat("c", {b.Input("x", 1), b.Input("y", 1)}, "c");
  Fusion f;
  f.name = "f";
  f.ops = {OpId(0)};
  for (int i = 0; i < 40; ++i) {
    x = b.Concat(absl::StrCat("d", i), {x, x});
    f.ops.push_back(b.last_op());
  }
  b.Output(x);
  b.AddFusion(f);
  const Graph g = Built(std::move(b));
  const Plan plan = HandPlan(g).At(ValueId(0), 0).At(ValueId(1), 1).At(x, 2).Fuse(0).Done();
  const absl::Status status = CheckPlan(g, plan).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "op \"d23\": its result is made of more than 16777216 pieces");
}

TEST(CheckerTest, StopsAfterSoManyViolations) {
  GraphBuilder b;
  for (int i = 0; i < 50; ++i) b.Output(b.Compute("", {.writes = {{.bytes = 8}}}));
  const Graph g = Built(std::move(b));
  HandPlan plan(g);
  for (int i = 0; i < 50; ++i) plan.At(ValueId(i), 0);
  EXPECT_EQ(CheckPlan(g, plan.Done())->violations.size(), 20u);
  EXPECT_EQ(CheckPlan(g, plan.Done(), {.max_violations = 3})->violations.size(), 3u);
  EXPECT_FALSE(CheckPlan(g, plan.Done(), {.max_violations = 0})->ok());
  EXPECT_EQ(CheckPlan(g, plan.Done(), {.max_violations = 1000})->violations.size(), 49u);
}

}  // namespace
}  // namespace bufplan
