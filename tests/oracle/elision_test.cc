// The oracle on plans whose marks stop data movements from being executed, on values without bytes, on strided values.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "ir/plan.h"
#include "tests/oracle/dump.h"
#include "tests/oracle/mutate.h"
#include "tests/oracle/naive_plan.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/places.h"
#include "tests/oracle/random.h"
#include "tests/oracle/random_graph.h"

namespace bufplan {
namespace {

// A graph by calls, and a plan for it by hand.
struct Case {
  explicit Case(GraphBuilder b) {
    absl::StatusOr<Graph> built = std::move(b).Build();
    EXPECT_TRUE(built.ok()) << built.status();
    graph.emplace(*std::move(built));
    plan = NaivePlan(*graph);
  }
  Location& At(ValueId v) { return plan.locations[v.index()]; }
  Location& At(const char* name) { return At(*graph->FindValue(name)); }
  void On(const char* v, const char* on, int64_t distance = 0) {
    At(v) = At(on);
    At(v).offset_bytes += distance;
  }
  void Stride(const char* v, int64_t run, std::vector<Dim> dims) {
    At(v).strides = std::make_shared<const Strides>(Strides{run, std::move(dims)});
  }
  // Marks the ops elided, the others as their locations say.
  void Elide(const std::vector<const char*>& ops) {
    std::vector<OpId> ids;
    for (const char* o : ops) ids.push_back(*graph->FindOp(o));
    CompletePlan(*graph, plan, ids);
  }
  std::optional<Difference> Run(std::vector<int64_t> symbols = {}) const {
    absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(*graph, plan, symbols, 7, 16);
    EXPECT_TRUE(d.ok()) << d.status();
    return d.ok() ? *d : std::nullopt;
  }
  void ExpectRuns() const {
    const std::optional<Difference> d = Run();
    EXPECT_FALSE(d.has_value()) << d->text;
  }
  void ExpectDifference(DifferenceKind kind, const char* op, const char* value) const {
    const std::optional<Difference> d = Run();
    ASSERT_TRUE(d.has_value());
    EXPECT_EQ(d->kind, kind) << d->text;
    EXPECT_EQ(d->op, graph->FindOp(op)) << d->text;
    EXPECT_EQ(d->value, graph->FindValue(value)) << d->text;
  }
  void ExpectFault(const char* text) const {
    const std::optional<Difference> d = Run();
    ASSERT_TRUE(d.has_value());
    EXPECT_EQ(d->kind, DifferenceKind::kUnexecutable);
    EXPECT_NE(d->text.find(text), std::string::npos) << d->text;
  }

  std::optional<Graph> graph;
  Plan plan;
};

// A compute op that reads `reads` and makes `name` of `bytes` bytes.
ValueId Make(GraphBuilder& b, const char* name, std::vector<Operand> reads, int64_t bytes) {
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.writes.emplace_back();
  spec.writes[0].name = name;
  spec.writes[0].bytes = bytes;
  return b.Compute(std::string("make_") + name, std::move(spec));
}

Operand Strided(ValueId v) {
  Operand o(v);
  o.strides_ok = true;
  return o;
}

// T = concat(u, v), s = T's bytes that are u's, y made of s; T itself is an output.
Case ConcatAndBack() {
  GraphBuilder b;
  const ValueId u = Make(b, "u", {}, 8), v = Make(b, "v", {}, 8);
  const ValueId t = b.Concat("cat", {u, v}, "T");
  const ValueId s = b.Slice("slice", t, 0, 8, "s");
  b.Output(t);
  b.Output(Make(b, "y", {s}, 4));
  return Case(std::move(b));
}

TEST(Elided, SliceOfACopyLiesOnTheCopysSource) {
  Case c = ConcatAndBack();
  c.On("s", "u");
  c.Elide({"slice"});
  c.ExpectRuns();
  c.On("s", "v");
  c.ExpectDifference(DifferenceKind::kRead, "make_y", "s");
}

TEST(Elided, MarkCountsAlsoWhereNobodyPutTheBytes) {
  Case c = ConcatAndBack();
  c.Elide({"slice"});
  c.ExpectDifference(DifferenceKind::kRead, "make_y", "s");
  c.Elide({"cat"});
  c.ExpectDifference(DifferenceKind::kRead, "slice", "T");
  c.Elide({});
  c.ExpectRuns();
}

TEST(Elided, RunMarkLeavesCoincidingPartsAlone) {
  Case c = ConcatAndBack();
  c.On("u", "T");
  c.On("v", "T", 8);
  for (Note& n : c.plan.notes) n.action = Action::kRun;
  c.ExpectRuns();
}

TEST(Elided, MarksOfViewsComputesAndGroupsSayNothing) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId v = b.View("view", x, 0, 4, "v");
  const ValueId d = b.Clone("clone", v, "d");
  b.Output(Make(b, "y", {d}, 4));
  b.Output(d);
  Fusion fusion;
  fusion.name = "group";
  fusion.ops = {OpId(1), OpId(2)};
  fusion.required = true;
  b.AddFusion(fusion);
  Case c(std::move(b));
  c.plan.notes.clear();
  for (int32_t i = 0; i < 3; ++i) {
    c.plan.notes.push_back({});
    c.plan.notes.back().op = OpId(i);
    c.plan.notes.back().action = Action::kElided;
  }
  c.ExpectRuns();
}

// U = T with [0, 4) from u, U2 = U with [0, 4) from w. Nobody reads u in U.
Case TwoUpdates(bool u_is_read) {
  GraphBuilder b;
  const ValueId t = Make(b, "T", {}, 8), u = Make(b, "u", {}, 4), w = Make(b, "w", {}, 4);
  const ValueId first = b.Update("first", t, u, 0, "U");
  if (u_is_read) b.Output(Make(b, "y", {first}, 4));
  b.Output(b.Update("second", first, w, 0, "U2"));
  return Case(std::move(b));
}

TEST(Elided, UpdateThatIsOverwrittenUnread) {
  Case c = TwoUpdates(false);
  c.On("U", "T");
  c.On("U2", "T");
  c.Elide({"first"});
  c.ExpectRuns();
  EXPECT_EQ(c.plan.stats.bytes_copied, 4);
  EXPECT_EQ(c.plan.stats.copies_elided, 1);
  c.On("w", "T");
  c.Elide({"first"});
  c.ExpectRuns();  // what w overwrites is T's, and needed by nobody
  EXPECT_EQ(c.plan.stats.bytes_copied, 0);
  c.On("w", "T", 4);
  c.Elide({"first"});
  const std::optional<Difference> end = c.Run();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->kind, DifferenceKind::kEnd) << end->text;
  EXPECT_EQ(end->value, c.graph->FindValue("U2"));
}

TEST(Elided, UpdateWhoseBytesAreRead) {
  Case c = TwoUpdates(true);
  c.On("U", "T");
  c.On("U2", "T");
  c.Elide({});
  c.ExpectRuns();
  c.Elide({"first"});
  c.ExpectDifference(DifferenceKind::kRead, "make_y", "U");
}

// The base is not carried by an elided update apart from it; what it must hold may be there.
TEST(Elided, UpdateApartFromItsBase) {
  Case c = TwoUpdates(false);
  c.Elide({"first"});
  c.ExpectDifference(DifferenceKind::kRead, "second", "U");  // carried to U2, but U was never filled
  GraphBuilder b;
  const ValueId t = Make(b, "T", {}, 8), d = b.Clone("clone", t, "D");
  const ValueId u = b.Update("upd", t, b.Slice("slice", d, 0, 4, "s"), 0, "U");
  b.Output(Make(b, "y", {t}, 4));
  b.Output(u);
  Case same(std::move(b));
  same.On("U", "D");
  same.On("s", "T");
  same.Elide({"slice", "upd"});
  same.ExpectRuns();
}

TEST(Elided, CommitMustFindItsContent) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 8), x = b.Input("x", 8);
  const ValueId c1 = b.Clone("clone", k, "c");
  const ValueId u = b.Update("upd", c1, x, 0, "U"), back = b.Update("back", u, k, 0, "B");
  b.Commit("st", back, k);
  Case c(std::move(b));
  c.Elide({"st"});
  c.ExpectRuns();  // B holds what K holds
  GraphBuilder d;
  const ValueId l = d.Variable("L", 8), y = d.Input("y", 8);
  d.Commit("st", d.Clone("clone", y, "c"), l);
  Case wrong(std::move(d));
  wrong.Elide({"st"});
  const std::optional<Difference> difference = wrong.Run();
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->kind, DifferenceKind::kEnd);
  EXPECT_EQ(difference->value, wrong.graph->FindValue("c"));
}

TEST(NoBytes, ResultThatNobodyReads) {
  Case c = TwoUpdates(false);
  c.At("U2") = c.At("T");
  c.At("U") = {};
  c.Elide({"first", "second"});
  const std::optional<Difference> end = c.Run();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->kind, DifferenceKind::kEnd) << end->text;  // w is not there
  c.On("w", "T");
  c.Elide({"first", "second"});
  c.ExpectRuns();
}

TEST(NoBytes, EveryReadIsSeen) {
  Case c = ConcatAndBack();
  c.At("s") = {};
  c.Elide({"slice"});
  c.ExpectFault("value \"s\" is used but has no place");
  c.Elide({});
  c.ExpectFault("value \"s\" is written but has no place");
  c = ConcatAndBack();
  c.At("T") = {};
  c.On("s", "u");
  c.Elide({"slice", "cat"});
  const std::optional<Difference> output = c.Run();
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->value, c.graph->FindValue("T"));
  c = TwoUpdates(false);
  c.At("U") = {};
  c.Elide({"first"});
  c.ExpectFault("value \"U\" is used but has no place");  // carried to U2
}

TEST(NoBytes, KeptAliveIsARead) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId d = b.Clone("clone", x, "d");
  Make(b, "y", {}, 4);
  b.KeepAliveUntil(d, OpId(1));
  Case c(std::move(b));
  c.On("d", "x");
  c.Elide({"clone"});
  c.ExpectRuns();
  c.At("d") = {};
  c.Elide({"clone"});
  c.ExpectFault("value \"d\" is used but has no place");
}

// Rows of 4 bytes: s = every second row of x, t = copy of the other ones.
Case EverySecondRow(bool strides_ok) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 16);
  const ValueId s = b.Copy("take", {{x, Region{0, 4, {{2, 8}}}, std::nullopt}}, std::nullopt, 8, "s");
  b.Output(Make(b, "y", {strides_ok ? Strided(s) : Operand(s)}, 4));
  return Case(std::move(b));
}

TEST(StridedValues, CopyOnItsSource) {
  Case c = EverySecondRow(true);
  c.On("s", "x");
  c.Stride("s", 4, {{2, 8}});
  c.Elide({});
  c.ExpectRuns();
  EXPECT_EQ(c.plan.stats.bytes_copied, 0);
  EXPECT_EQ(c.plan.stats.copies_elided, 1);
  c.Elide({"take"});
  c.ExpectRuns();
  c.On("s", "x", 4);
  c.Stride("s", 4, {{2, 8}});
  c.Elide({"take"});
  c.ExpectDifference(DifferenceKind::kRead, "make_y", "s");
}

TEST(StridedValues, OneRunForWhoKnowsOnlyOne) {
  Case c = EverySecondRow(false);
  c.On("s", "x");
  c.Stride("s", 4, {{2, 8}});
  c.Elide({});
  c.ExpectFault("value \"s\" is strided, but read by op \"make_y\"");
}

TEST(StridedValues, ExecutedMovementWritesAndReadsStrided) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 12), z = b.Input("z", 12);
  const ValueId d = b.Clone("clone", x, "d");
  b.Output(b.Concat("cat", {d, z}, "c"));
  Case c(std::move(b));
  c.At("d") = Location::InArena(SpaceId(0), 0, 100);
  c.Stride("d", 2, {{3, 16}, {2, 5}});
  c.Elide({});
  c.ExpectRuns();
  EXPECT_EQ(c.plan.stats.bytes_copied, 12 + 24);
  EXPECT_EQ(c.plan.arenas[0].bytes, 100 + 32 + 5 + 2);
  c.Stride("d", 2, {{3, 16}, {2, 1}});
  c.ExpectFault("value \"d\" has two bytes in one place");
  c.Stride("d", 2, {{2, 16}, {2, 5}});
  c.ExpectFault("value \"d\" has no place");
  c.Stride("d", 2, {{3, 32}, {2, 5}});
  c.ExpectFault("leaves it");
}

// Both halves of c's rows come from values that lie there already.
TEST(StridedValues, SourcesInTheirResult) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), z = b.Input("z", 8);
  const ValueId d = b.Clone("dx", x, "d"), e = b.Clone("dz", z, "e");
  b.Output(b.Copy("weave", {{d, std::nullopt, Region{0, 4, {{2, 8}}}}, {e, std::nullopt, Region{4, 4, {{2, 8}}}}},
                  std::nullopt, 16, "c"));
  Case c(std::move(b));
  c.On("d", "c");
  c.Stride("d", 4, {{2, 8}});
  c.On("e", "c", 4);
  c.Stride("e", 4, {{2, 8}});
  c.Elide({});
  c.ExpectRuns();
  EXPECT_EQ(c.plan.stats.copies_elided, 1);
  EXPECT_EQ(c.plan.stats.bytes_copied, 16);
  c.On("e", "c");
  c.Stride("e", 4, {{2, 8}});
  EXPECT_TRUE(c.Run().has_value());
}

TEST(StridedValues, ForbiddenUses) {
  const auto built = [](const char* what) {
    const std::string use(what);
    GraphBuilder b;
    const ValueId x = b.Input("x", 8), d = b.Clone("clone", x, "d");
    if (use == "output") b.Output(d);
    if (use == "base") b.Update("upd", d, b.Slice("slice", x, 0, 4), 0);
    if (use == "view") b.View("view", d, 0, 4, "v");
    Make(b, "y", {}, 4);
    if (use == "keep") b.KeepAliveUntil(d, b.last_op());
    return Case(std::move(b));
  };
  for (const auto& [use, fault] : std::map<const char*, const char*>{{"output", "but an output"},
                                                                     {"base", "but the base of op \"upd\""},
                                                                     {"view", "but read by op \"view\""},
                                                                     {"keep", "but kept alive"},
                                                                     {"none", ""}}) {
    Case c = built(use);
    c.At("d") = Location::InArena(SpaceId(0), 0, 64);
    c.Stride("d", 4, {{2, 8}});
    c.Elide({});
    if (*fault == '\0') c.ExpectRuns();
    if (*fault != '\0') c.ExpectFault(fault);
  }
  Case input = built("none");
  input.At("x").offset_bytes = 64;
  input.Stride("x", 4, {{2, 8}});
  input.Elide({});
  input.ExpectFault("value \"x\" is strided, but no data movement writes it whole");
}

TEST(StridedValues, Symbols) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 1, 3);
  const ValueId x = b.Input("x", 8 * s);
  const ValueId d = b.Copy("take", {{x, Region{4, 4, {{s, 8}}}, std::nullopt}}, std::nullopt, 4 * s, "d");
  b.Output(Make(b, "y", {Strided(d)}, 4));
  Case c(std::move(b));
  c.On("d", "x", 4);
  c.At("d").strides = std::make_shared<const Strides>(Strides{4, {{s, 8}}});
  c.Elide({});
  EXPECT_EQ(c.plan.stats.bytes_copied, 0);
  for (int64_t n = 1; n <= 3; ++n) EXPECT_FALSE(c.Run({n}).has_value()) << n;
  c.At("d").strides = std::make_shared<const Strides>(Strides{4, {{3, 8}}});
  EXPECT_TRUE(c.Run({2}).has_value()) << "three rows are more than two";
}

TEST(ByteOffsets, AreInRowMajorOrder) {
  Location at = Location::InArena(SpaceId(0), 0, 10);
  EXPECT_EQ(ByteOffsets(at, 3, {}), (std::vector<int64_t>{10, 11, 12}));
  at.strides = std::make_shared<const Strides>(Strides{2, {{2, 3}, {2, 100}}});
  EXPECT_EQ(ByteOffsets(at, 8, {}), (std::vector<int64_t>{10, 11, 110, 111, 13, 14, 113, 114}));
  EXPECT_FALSE(ByteOffsets(at, 6, {}).has_value());
  EXPECT_EQ(ByteOffsets(at, 0, {}), std::vector<int64_t>());
}

// Chance finds each kind of change.
TEST(Mutate, MarksBytesAndStridesOccur) {
  std::map<std::string, int> n;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph g = *RandomGraph(RandomGraphOptions::Everything(), seed);
    Rng rng(seed);
    Plan plan = NaivePlan(g);
    for (int step = 0; step < 40; ++step) {
      std::optional<Mutant> mutant = Mutate(g, plan, rng);
      if (!mutant.has_value()) continue;
      for (const char* what : {" elided", " run", " without bytes", " onto strided bytes of ", "other strides for "}) {
        n[what] += mutant->what.find(what) != std::string::npos;
      }
      n["apart"] += !ElidedApart(g, mutant->plan).empty();
      for (const Location& l : mutant->plan.locations) n["strided"] += l.strides != nullptr;
      EXPECT_EQ(DumpPlan(g, mutant->plan).find(" in runs of ") != std::string::npos,
                std::any_of(mutant->plan.locations.begin(), mutant->plan.locations.end(),
                            [](const Location& l) { return l.strides != nullptr; }));
      if (step % 8 < 6) plan = std::move(mutant->plan);
    }
  }
  for (const char* what :
       {" elided", " run", " without bytes", " onto strided bytes of ", "other strides for ", "apart", "strided"}) {
    EXPECT_GE(n[what], 20) << what;
  }
}

}  // namespace
}  // namespace bufplan
