// The oracle sees each kind of hazard, and nothing where there is none.
#include "tests/oracle/oracle.h"

#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "ir/plan.h"
#include "tests/oracle/naive_plan.h"

namespace bufplan {
namespace {

Graph Built(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

std::optional<Difference> RunIt(const Graph& graph, const Plan& plan, std::vector<int64_t> symbols = {}) {
  absl::StatusOr<std::optional<Difference>> d = RunPlannedOften(graph, plan, symbols, /*seed=*/7, /*interleavings=*/16);
  EXPECT_TRUE(d.ok()) << d.status();
  return d.ok() ? *d : std::nullopt;
}

// Expects the difference to be of this kind, at this op and value.
void ExpectDifference(const Graph& graph, const Plan& plan, DifferenceKind kind, const char* op, const char* value) {
  const std::optional<Difference> d = RunIt(graph, plan);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->kind, kind) << d->text;
  if (*op != '\0') {
    EXPECT_EQ(d->op, graph.FindOp(op)) << d->text;
  }
  if (*value != '\0') {
    EXPECT_EQ(d->value, graph.FindValue(value)) << d->text;
  }
}

// A result of `bytes` bytes by that name.
Result R(const char* name, Expr bytes) {
  Result r;
  r.name = name;
  r.bytes = std::move(bytes);
  return r;
}

ComputeSpec Spec(std::vector<Operand> reads, std::vector<Result> writes, StreamId stream = StreamId(0)) {
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.writes = std::move(writes);
  spec.options.stream = stream;
  return spec;
}

TEST(Reference, MovementsCarryOrigins) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), y = b.Input("y", 4);
  const ValueId u = b.Update("upd", x, y, 2, "u");
  const ValueId c = b.Concat("cat", {y, u}, "c");
  const ValueId w = b.View("view", c, 4, 8, "w");
  const ValueId f = b.Fill("fill", std::nullopt, Region{1, 1, {{2, 2}}}, 4, "f");
  const Graph g = Built(std::move(b));
  const Reference r = *RunReference(g, {}, 3);
  const auto words = [&](ValueId v) { return r.contents.words[v.index()]; };
  EXPECT_EQ(words(u), (std::vector<Word>{words(x)[0], words(x)[1], words(y)[0], words(y)[1], words(y)[2], words(y)[3],
                                         words(x)[6], words(x)[7]}));
  EXPECT_EQ(words(w), words(u));
  EXPECT_EQ(words(c)[3], words(y)[3]);
  EXPECT_EQ(r.contents.defined[f.index()], (std::vector<bool>{false, true, false, true}));
}

TEST(Reference, ComputeDependsOnEveryDefinedByteItReads) {
  const auto result = [](int64_t at, bool part) {
    GraphBuilder b;
    const ValueId x = b.Input("x", 8), base = b.Input("base", 4);
    Result r = R("y", 4);
    r.base = base;
    r.cover = part ? Cover::kPart : Cover::kAll;
    const ValueId y = b.Compute("f", Spec({Operand(x, Region{at, 2, {}})}, {r}));
    const Graph g = Built(std::move(b));
    return RunReference(g, {}, 3)->contents.words[y.index()];
  };
  EXPECT_NE(result(0, false), result(1, false));
  EXPECT_NE(result(0, false), result(0, true));
  EXPECT_EQ(result(0, true), result(0, true));
}

TEST(Reference, UndefinedBytesAreSkipped) {
  GraphBuilder b;
  const ValueId f = b.Fill("fill", std::nullopt, Region{0, 2, {}}, 4, "f");
  const ValueId y = b.Compute("g", Spec({f}, {R("y", 4)}));
  b.Output(y);
  const Graph g = Built(std::move(b));
  // Twice the same although the memory's garbage differs.
  EXPECT_FALSE(RunIt(g, NaivePlan(g)).has_value());
  EXPECT_TRUE(RunReference(g, {}, 3)->contents.defined[y.index()][3]);
}

// x -> f -> y, in one place.
struct InPlaceCase {
  Graph graph;
  Plan plan;
};
InPlaceCase MakeInPlace(std::optional<InPlaceMode> mode, int64_t shift, int64_t result_bytes = 8) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  Result r = R("y", result_bytes);
  if (mode.has_value()) r.in_place = {{x, *mode}};
  b.Output(b.Compute("f", Spec({x}, {r})));
  Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[1] = Location::InArena(SpaceId(0), 0, plan.locations[0].offset_bytes + shift);
  CompletePlan(g, plan);
  return {std::move(g), std::move(plan)};
}

TEST(Oracle, OwnOperandOnlyAsDeclared) {
  const InPlaceCase undeclared = MakeInPlace(std::nullopt, 0);
  ExpectDifference(undeclared.graph, undeclared.plan, DifferenceKind::kReadMeanwhile, "f", "x");
  const InPlaceCase same = MakeInPlace(InPlaceMode::kSameIndex, 0);
  EXPECT_FALSE(RunIt(same.graph, same.plan).has_value());
  const InPlaceCase shifted = MakeInPlace(InPlaceMode::kSameIndex, 4);
  ExpectDifference(shifted.graph, shifted.plan, DifferenceKind::kReadMeanwhile, "f", "x");
  const InPlaceCase longer = MakeInPlace(InPlaceMode::kSameIndex, 0, 12);
  ExpectDifference(longer.graph, longer.plan, DifferenceKind::kReadMeanwhile, "f", "x");
  const InPlaceCase any = MakeInPlace(InPlaceMode::kAny, 4);
  EXPECT_FALSE(RunIt(any.graph, any.plan).has_value());
}

// K: variable; K1 = K with [0, 4) new; K1 committed.
struct BaseCase {
  explicit BaseCase(Cover cover) {
    GraphBuilder b;
    k = b.Variable("K", 8);
    Result r = R("K1", 8);
    r.base = k;
    r.region = Region{0, 4, {}};
    r.cover = cover;
    k1 = b.Compute("f", Spec({}, {r}));
    b.Commit("st", k1, k);
    graph.emplace(Built(std::move(b)));
    plan = NaivePlan(*graph);
  }
  ValueId k, k1;
  std::optional<Graph> graph;
  Plan plan;
};

TEST(Oracle, BaseIsCarriedOrRewrittenInPlace) {
  for (Cover cover : {Cover::kAll, Cover::kPart}) {
    BaseCase c(cover);
    EXPECT_FALSE(RunIt(*c.graph, c.plan).has_value()) << "carried, committed by a copy";
    c.plan.locations[c.k1.index()] = Location::InCaller(c.k, 0);
    EXPECT_FALSE(RunIt(*c.graph, c.plan).has_value()) << "in place, nothing to commit";
  }
}

TEST(Oracle, UnexecutedCommitLosesTheVariable) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 8);
  b.Commit("st", b.Compute("f", Spec({}, {R("y", 8)})), k);
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  EXPECT_FALSE(RunIt(g, plan).has_value());
  plan.locations[1] = Location::InCaller(k, 0);
  EXPECT_FALSE(RunIt(g, plan).has_value());
}

TEST(Oracle, OldContentReadTooLate) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId c = b.Clone("clone", x, "c");
  b.Compute("f", Spec({x}, {R("y", 8)}));
  b.Compute("g", Spec({c}, {R("z", 8)}));
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[c.index()] = plan.locations[x.index()];
  EXPECT_FALSE(RunIt(g, plan).has_value()) << "an elided clone";
  plan.locations[2] = plan.locations[x.index()];
  ExpectDifference(g, plan, DifferenceKind::kReadMeanwhile, "f", "x");
  plan.locations[x.index()].offset_bytes = 0;
  plan.locations[2] = plan.locations[c.index()] = Location::InArena(SpaceId(0), 0, 16);
  ExpectDifference(g, plan, DifferenceKind::kRead, "g", "c");
}

TEST(Oracle, EndIsCompared) {
  GraphBuilder b;
  ValueOptions preserve;
  preserve.preserve = true;
  const ValueId x = b.Input("x", 8, preserve);
  const ValueId k = b.Constant("k", 8);
  const ValueId e = b.External("e", 8);
  const ValueId v = b.Variable("v", 8);
  const ValueId y = b.Compute("f", Spec({}, {R("y", 8)}));
  const ValueId z = b.Compute("g", Spec({}, {R("z", 8)}));
  b.Output(y);
  const Graph g = Built(std::move(b));
  const Plan plan = NaivePlan(g);
  EXPECT_FALSE(RunIt(g, plan).has_value());
  for (ValueId lost : {x, k, e, v, y}) {
    Plan bad = plan;
    bad.locations[z.index()] = bad.locations[lost.index()];
    ExpectDifference(g, bad, DifferenceKind::kEnd, "", std::string(g.name(lost)).c_str());
  }
}

// Two ops on two streams: r reads x, w writes y over it.
TEST(Oracle, UnorderedOverwriteIsSeen) {
  GraphBuilder b;
  b.AddStream("a");
  const StreamId other = b.AddStream("b");
  const ValueId x = b.Input("x", 8);
  b.Compute("r", Spec({x}, {R("s", 4)}));
  const ValueId y = b.Compute("w", Spec({}, {R("y", 8)}, other));
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[y.index()] = plan.locations[x.index()];
  EXPECT_TRUE(RunIt(g, plan).has_value());
  plan.added_order.push_back({*g.FindOp("r"), *g.FindOp("w"), ""});
  EXPECT_FALSE(RunIt(g, plan).has_value());
  plan.added_order.push_back({*g.FindOp("w"), *g.FindOp("r"), ""});
  ExpectDifference(g, plan, DifferenceKind::kUnexecutable, "", "");
}

TEST(Oracle, UnorderedWritesAreSeen) {
  GraphBuilder b;
  b.AddStream("a");
  const StreamId other = b.AddStream("b");
  const ValueId x = b.Compute("f", Spec({}, {R("x", 8)}));
  const ValueId y = b.Compute("g", Spec({}, {R("y", 8)}, other));
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[y.index()] = plan.locations[x.index()];
  const std::optional<Difference> d = RunIt(g, plan);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->kind, DifferenceKind::kLostWrite);
}

TEST(Oracle, ScratchMeetsNothing) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), y = b.Input("y", 8);
  ComputeSpec spec = Spec({x}, {R("z", 8)});
  spec.options.scratch_bytes = 8;
  const ValueId z = b.Compute("f", std::move(spec));
  b.Output(y);
  b.Output(z);
  const Graph g = Built(std::move(b));
  const Plan plan = NaivePlan(g);
  EXPECT_FALSE(RunIt(g, plan).has_value());
  const auto onto = [&](ValueId v) {
    Plan bad = plan;
    bad.scratch[0].location = bad.locations[v.index()];
    return bad;
  };
  ExpectDifference(g, onto(x), DifferenceKind::kReadMeanwhile, "f", "x");
  ExpectDifference(g, onto(y), DifferenceKind::kEnd, "", "y");
  ExpectDifference(g, onto(z), DifferenceKind::kLostWrite, "f", "z");
}

TEST(Oracle, KeptAliveUntilTheOpHasCompleted) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  b.Compute("f", Spec({}, {R("y", 8)}));
  Result r = R("z", 8);
  const ValueId z = b.Compute("k", Spec({}, {r}));
  const ValueId late = b.Compute("h", Spec({}, {R("late", 8)}));
  b.KeepAliveUntil(x, OpId(1));
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[late.index()] = plan.locations[x.index()];
  EXPECT_FALSE(RunIt(g, plan).has_value());
  plan.locations[z.index()] = plan.locations[x.index()];
  ExpectDifference(g, plan, DifferenceKind::kReadMeanwhile, "k", "x");
  plan = NaivePlan(g);
  plan.locations[1] = Location::InArena(SpaceId(0), 0, 100);
  ExpectDifference(g, plan, DifferenceKind::kUnexecutable, "", "");
}

TEST(Oracle, TwoResultsOfOneOpDoNotMeet) {
  GraphBuilder b;
  b.Compute("f", Spec({}, {R("y", 8), R("z", 8)}));
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[1].offset_bytes = 4;
  ExpectDifference(g, plan, DifferenceKind::kLostWrite, "f", "y");
}

// Group {f, g}: x -> t -> y, t used inside only.
TEST(Oracle, FusedGroupIsOneOp) {
  for (bool declared : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.Input("x", 8);
    const ValueId t = b.Compute("f", Spec({x}, {R("t", 8)}));
    const ValueId y = b.Compute("g", Spec({t}, {R("y", 8)}));
    Fusion fusion;
    fusion.name = "fg";
    fusion.ops = {OpId(0), OpId(1)};
    fusion.required = true;
    if (declared) fusion.in_place = {{y, x, InPlaceMode::kSameIndex}};
    b.AddFusion(fusion);
    b.Output(y);
    const Graph g = Built(std::move(b));
    Plan plan = NaivePlan(g);
    EXPECT_EQ(plan.location(t).kind, Location::Kind::kNone);
    EXPECT_FALSE(RunIt(g, plan).has_value());
    plan.locations[y.index()] = plan.locations[x.index()];
    EXPECT_EQ(RunIt(g, plan).has_value(), !declared);
    plan.fused[0].fused = false;
    ExpectDifference(g, plan, DifferenceKind::kUnexecutable, "", "");
  }
}

TEST(Oracle, SymbolsDecideWhatMeets) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 4);
  const ValueId k = b.Variable("K", 40);
  const ValueId past = b.Slice("past", k, 0, 8 * s, "past");
  const ValueId row = b.Compute("attn", Spec({past}, {R("row", 8)}));
  const ValueId k1 = b.Update("upd", k, row, 8 * s, "K1");
  b.Commit("st", k1, k);
  const Graph g = Built(std::move(b));
  Plan plan = NaivePlan(g);
  plan.locations[past.index()] = plan.locations[k1.index()] = Location::InCaller(k, 0);
  plan.locations[row.index()] = Location::InCaller(k, 8 * s);
  for (int64_t n = 0; n <= 4; ++n) EXPECT_FALSE(RunIt(g, plan, {n}).has_value()) << n;
  plan.locations[row.index()] = Location::InCaller(k, 16);
  EXPECT_FALSE(RunIt(g, plan, {2}).has_value());
  EXPECT_TRUE(RunIt(g, plan, {3}).has_value()) << "the row lies on what attn reads";
}

}  // namespace
}  // namespace bufplan
