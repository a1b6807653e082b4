// The search for the fewest bytes moved: by hand, and against the search that judges every choice.
#include "tests/planner/exhaustive/fewest_copies.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/oracle/dump.h"
#include "tests/planner/exhaustive/judge.h"
#include "tests/planner/exhaustive/small_graphs.h"

namespace bufplan {
namespace {

// The fewest bytes, by plans that both checker and oracle accept. The search itself must propose no others.
int64_t Fewest(const Graph& graph) {
  const auto judge = [&](const Plan& plan) {
    const Verdict verdict = Judge(graph, plan);
    EXPECT_TRUE(verdict.accepted && verdict.runs) << verdict.text << "\n" << DumpGraph(graph) << DumpPlan(graph, plan);
    return verdict.accepted && verdict.runs;
  };
  const absl::StatusOr<FewestCopies> found = FindFewestCopies(graph, judge);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? found->bytes.value_or(-1) : -1;
}
int64_t Fewest(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? Fewest(*graph) : -1;
}

ValueId Make(GraphBuilder& b, std::vector<Operand> reads, int64_t bytes) {
  ComputeSpec spec;
  spec.reads = std::move(reads);
  spec.writes.emplace_back();
  spec.writes[0].bytes = bytes;
  return b.Compute("", std::move(spec));
}

// The result is the base with all of it rewritten.
ValueId Rewrite(GraphBuilder& b, ValueId base) {
  ComputeSpec spec;
  spec.writes.emplace_back();
  spec.writes[0].bytes = b.bytes(base);
  spec.writes[0].base = base;
  spec.writes[0].cover = Cover::kPart;
  return b.Compute("", std::move(spec));
}

TEST(FewestCopies, SlicesAndClonesLieOnTheirSource) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8), k = b.Constant("k", 8);
  b.Output(Make(b, {b.Clone("", b.Slice("", x, 4, 4)), b.Slice("", k, 0, 4)}, 4));
  EXPECT_EQ(Fewest(std::move(b)), 0);
}

TEST(FewestCopies, BothContentsLive) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  b.Output(b.Clone("", x));
  b.Output(Rewrite(b, x));
  EXPECT_EQ(Fewest(std::move(b)), 8);
}

TEST(FewestCopies, PartsAreMadeInTheirPlace) {
  GraphBuilder b;
  const ValueId u = Make(b, {}, 4), v = Make(b, {}, 8);
  const ValueId t = b.Concat("", {u, v});
  b.Output(t);
  b.Output(Make(b, {b.Slice("", t, 0, 4), u}, 4));
  EXPECT_EQ(Fewest(std::move(b)), 0);
}

TEST(FewestCopies, OnePartOfTwoWholes) {
  GraphBuilder b;
  const ValueId u = Make(b, {}, 4), v = Make(b, {}, 8), w = Make(b, {}, 8);
  b.Output(b.Concat("", {u, v}));
  b.Output(b.Concat("", {u, w}));
  EXPECT_EQ(Fewest(std::move(b)), 4);
}

TEST(FewestCopies, CacheStep) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 16);
  const ValueId row = Make(b, {b.Slice("past", k, 0, 12)}, 4);
  b.Commit("st", b.Update("upd", k, row, 12), k);
  EXPECT_EQ(Fewest(std::move(b)), 0);
}

// The row may not lie in the cache while attn reads what it overwrites.
TEST(FewestCopies, CacheStepThatReadsAllOfTheCache) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 16);
  const ValueId row = Make(b, {b.Clone("past", k)}, 4);
  b.Commit("st", b.Update("upd", k, row, 12), k);
  EXPECT_EQ(Fewest(std::move(b)), 4);
}

// One half out of the way, the other into its place, the first back.
TEST(FewestCopies, SwappedHalvesByConcat) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 8);
  b.Commit("st", b.Concat("", {b.Slice("", k, 4, 4), b.Slice("", k, 0, 4)}), k);
  EXPECT_EQ(Fewest(std::move(b)), 12);
}

TEST(FewestCopies, SwappedHalvesByUpdates) {
  GraphBuilder b;
  const ValueId k = b.Variable("K", 8);
  const ValueId first = b.Slice("", k, 0, 4), second = b.Slice("", k, 4, 4);
  b.Commit("st", b.Update("", b.Update("", k, second, 0), first, 4), k);
  EXPECT_EQ(Fewest(std::move(b)), 12);
}

TEST(FewestCopies, ConstantsAreNotWritten) {
  GraphBuilder b;
  const ValueId k = b.Constant("k", 8);
  b.Output(Rewrite(b, k));
  EXPECT_EQ(Fewest(std::move(b)), 8);
}

// Not through compute: what does not come from K may not use K's storage before the commit.
TEST(FewestCopies, VariableIsWrittenByItsLineageOnly) {
  const auto commit_of = [](bool clone) {
    GraphBuilder b;
    const ValueId k = b.Variable("K", 8);
    const ValueId y = Make(b, {}, 8);
    const ValueId z = clone ? b.Clone("", y) : Make(b, {y}, 8);
    if (!clone) b.Output(b.Clone("", y));
    b.Commit("st", z, k);
    return Fewest(std::move(b));
  };
  EXPECT_EQ(commit_of(true), 0);
  EXPECT_EQ(commit_of(false), 0);
}

TEST(FewestCopies, InPlacePermissionSavesTheCommit) {
  const auto commit_of = [](bool permitted) {
    GraphBuilder b;
    const ValueId k = b.Variable("K", 8);
    ComputeSpec spec;
    spec.reads = {k};
    spec.writes.emplace_back();
    spec.writes[0].bytes = 8;
    if (permitted) spec.writes[0].in_place = {k};
    b.Commit("st", b.Compute("", std::move(spec)), k);
    return Fewest(std::move(b));
  };
  EXPECT_EQ(commit_of(true), 0);
  EXPECT_EQ(commit_of(false), 8);
}

TEST(FewestCopies, UpdateThatNobodyReads) {
  GraphBuilder b;
  const ValueId t = b.Input("t", 8), u = b.Input("u", 4), w = Make(b, {}, 4);
  b.Output(u);
  b.Output(b.Update("", b.Update("", t, u, 0), w, 0));
  EXPECT_EQ(Fewest(std::move(b)), 0);
}

TEST(FewestCopies, InputsMayLieSideBySide) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 4), y = b.Input("y", 4);
  b.Output(b.Concat("", {x, y}));
  EXPECT_EQ(Fewest(std::move(b)), 0);
}

TEST(FewestCopies, BoundIsObeyed) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  b.Output(b.Clone("", x));
  b.Output(Rewrite(b, x));
  const Graph g = *std::move(b).Build();
  const auto yes = [](const Plan&) { return true; };
  EXPECT_FALSE(FindFewestCopies(g, yes, {.below_bytes = 8})->bytes.has_value());
  EXPECT_EQ(FindFewestCopies(g, yes, {.below_bytes = 9})->bytes, 8);
}

TEST(FewestCopies, RefusesWhatItDoesNotKnow) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  b.Output(b.View("", x, 0, 4));
  EXPECT_FALSE(FindFewestCopies(*std::move(b).Build(), [](const Plan&) { return true; }).ok());
}

// Turning back early loses nothing: without it every choice of places and marks goes before checker and oracle.
TEST(FewestCopies, PruningLosesNothing) {
  SmallGraphLimits limits;
  limits.ops = limits.ops_with_commit = limits.ops_with_whole_b = limits.ops_with_second_output = 2;
  int64_t i = 0, compared = 0;
  ForEachSmallGraph(limits, [&](const SmallGraph& small) {
    if (i++ % 17 != 0 || small.ReadsOldContent()) return true;
    const Graph graph = *Build(small);
    const auto judge = [&](const Plan& plan) {
      const Verdict verdict = Judge(graph, plan);
      return verdict.accepted && verdict.runs;
    };
    const std::optional<int64_t> all = FindFewestCopies(graph, judge, {.prune = false})->bytes;
    const std::optional<int64_t> pruned = FindFewestCopies(graph, judge)->bytes;
    EXPECT_EQ(all, pruned) << ToText(small);
    ++compared;
    return true;
  });
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace bufplan
