#include "io/explain/movements.h"

#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/make_plan.h"
#include "tests/io/explain/sample.h"
#include "tests/oracle/random_graph.h"
#include "tests/oracle/random_graph_options.h"

namespace bufplan {
namespace {

void Mark(Plan& plan, OpId op) {
  Note& note = plan.notes.emplace_back();
  note.op = op;
  note.action = Action::kElided;
}

TEST(MovementsTest, PartsOfAnUpdate) {
  Sample s;
  std::vector<MovedPart> parts = Movements(s.graph, s.plan).PartsOf(s.Op("upd"));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].from, s.Value("c"));
  EXPECT_TRUE(parts[0].executed);
  EXPECT_FALSE(parts[0].coincides);
  EXPECT_EQ(parts[0].bytes, 100);
  EXPECT_EQ(parts[0].to_text, "[300, 400)");
  EXPECT_TRUE(parts[1].carried);
  EXPECT_FALSE(parts[1].executed);
  EXPECT_TRUE(parts[1].coincides);
  EXPECT_EQ(parts[1].bytes, 900);
  // Apart from its base, with the source where it goes to: the other way round.
  s.plan.locations[s.Value("K1").index()] = Location::InArena(SpaceId(0), 0, 0);
  s.plan.locations[s.Value("c").index()] = Location::InArena(SpaceId(0), 0, 300);
  parts = Movements(s.graph, s.plan).PartsOf(s.Op("upd"));
  EXPECT_FALSE(parts[0].executed);
  EXPECT_TRUE(parts[1].executed);
}

TEST(MovementsTest, OpsWithoutMovement) {
  const Sample s;
  const Movements movements(s.graph, s.plan);
  EXPECT_TRUE(movements.PartsOf(s.Op("f")).empty());
  EXPECT_TRUE(movements.PartsOf(s.Op("v")).empty());
  EXPECT_FALSE(movements.Marked(s.Op("v")));  // a view
  EXPECT_FALSE(movements.IsCopy(s.Op("v")));
  EXPECT_TRUE(movements.Marked(s.Op("st")));
  EXPECT_TRUE(movements.IsCopy(s.Op("st")));
  const std::vector<MovedPart> commit = movements.PartsOf(s.Op("st"));
  ASSERT_EQ(commit.size(), 1u);
  EXPECT_FALSE(commit[0].executed);
  EXPECT_EQ(commit[0].bytes, 1000);
}

TEST(MovementsTest, CoverPartCarriesAll) {
  GraphBuilder b;
  const ValueId k = b.Input("k", 100);
  const ValueId k1 = b.Compute(
      "w", {.reads = {},
            .writes = {{.name = "k1", .bytes = 100, .base = k, .region = Region{10, 20, {}}, .cover = Cover::kPart}}});
  b.Output(k1);
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.locations = {Location::InArena(SpaceId(0), 0, 0), Location::InArena(SpaceId(0), 0, 100)};
  plan.live.resize(2);
  const std::vector<MovedPart> parts = Movements(graph, plan).PartsOf(OpId(0));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].bytes, 100);
  EXPECT_TRUE(parts[0].executed);
}

// Wherever its result lies.
TEST(MovementsTest, AMarkedOpExecutesNothing) {
  Sample s;
  s.plan.locations[s.Value("K1").index()] = Location::InArena(SpaceId(0), 0, 0);
  Mark(s.plan, s.Op("upd"));
  const Movements movements(s.graph, s.plan);
  EXPECT_TRUE(movements.Marked(s.Op("upd")));
  for (const MovedPart& part : movements.PartsOf(s.Op("upd"))) {
    EXPECT_FALSE(part.executed);
    EXPECT_FALSE(part.coincides);
  }
  // The mark of a compute op means nothing, and neither does a note on one of several results.
  Mark(s.plan, s.Op("g"));
  EXPECT_FALSE(Movements(s.graph, s.plan).Marked(s.Op("g")));
}

// In a group nothing is copied by itself, and only bases from outside are carried.
TEST(MovementsTest, FusedGroups) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 100);
  const ValueId y = b.Clone("copy", x, "y");
  const ValueId z =
      b.Compute("w", {.reads = {}, .writes = {{.name = "z", .bytes = 100, .base = y, .region = Region{0, 10, {}}}}});
  b.AddFusion({"pair", {OpId(0), OpId(1)}, 1.0, true, {}});
  b.Output(z);
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.locations = {Location::InArena(SpaceId(0), 0, 0), Location(), Location::InArena(SpaceId(0), 0, 100)};
  plan.live.resize(3);
  plan.fused.push_back({FusionId(0), true, 0, ""});
  Mark(plan, OpId(0));
  const Movements movements(graph, plan);
  EXPECT_EQ(movements.GroupOf(OpId(0)), FusionId(0));
  EXPECT_FALSE(movements.IsCopy(OpId(0)));
  EXPECT_FALSE(movements.Marked(OpId(0)));
  EXPECT_TRUE(movements.PartsOf(OpId(0)).empty());
  EXPECT_TRUE(movements.PartsOf(OpId(1)).empty());
  plan.fused[0].fused = false;
  EXPECT_EQ(Movements(graph, plan).GroupOf(OpId(0)), std::nullopt);
  EXPECT_EQ(Movements(graph, plan).PartsOf(OpId(1)).size(), 1u);
}

// A column of a matrix of 8 rows of 64 bytes, as a value of strided runs: bytes that lie in the matrix.
TEST(MovementsTest, StridedPlaces) {
  GraphBuilder b;
  const Expr n = b.AddSymbol("n", 1, 8);
  const ValueId m = b.Input("m", 64 * n);
  const ValueId c = b.Copy("take", {{m, Region{16, 16, {{n, 64}}}, std::nullopt}}, std::nullopt, 16 * n, "c");
  b.Compute("f", {.reads = {Operand(c, Region{0, 16 * n, {}}, true)}, .writes = {}});
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.live.resize(2);
  plan.locations = {Location::InArena(SpaceId(0), 0, 0), Location::InArena(SpaceId(0), 0, 16)};
  EXPECT_TRUE(Movements(graph, plan).PartsOf(OpId(0))[0].executed);  // one run after another
  plan.locations[c.index()].strides = std::make_shared<const Strides>(Strides{16, {{n, 64}}});
  EXPECT_TRUE(Movements(graph, plan).PartsOf(OpId(0))[0].coincides);
  EXPECT_FALSE(Movements(graph, plan).PartsOf(OpId(0))[0].executed);
  plan.locations[c.index()].offset_bytes = 32;
  EXPECT_TRUE(Movements(graph, plan).PartsOf(OpId(0))[0].executed);
  EXPECT_FALSE(SamePlace(plan.location(c), plan.location(c)));  // nothing is updated in place there
  EXPECT_EQ(RegionOfPlace(plan.location(c), 16 * n), (Region{32, 16, {{n, 64}}}));
  EXPECT_EQ(RegionOfPlace(plan.location(m), 64 * n), (Region{0, 64 * n, {}}));
}

void ExpectPlannersCounts(const RandomGraphOptions& options) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const absl::StatusOr<Graph> graph = RandomGraph(options, seed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Plan> plan = MakePlan(*graph, {.effort = Effort::kFast});
    if (!plan.ok()) continue;
    const Movements movements(*graph, *plan);
    PlanStats stats;
    for (size_t i = 0; i < graph->ops().size(); ++i) {
      const OpId op(static_cast<int32_t>(i));
      int64_t moved = 0;
      for (const MovedPart& part : movements.PartsOf(op)) {
        (part.executed ? stats.bytes_copied : stats.bytes_not_copied) += part.bytes;
        if (part.executed) moved += part.bytes;
      }
      if (moved > 0) {
        ++stats.copies_kept;
      } else if (movements.IsCopy(op)) {
        ++stats.copies_elided;
      }
    }
    EXPECT_EQ(stats.copies_kept, plan->stats.copies_kept) << "seed " << seed;
    EXPECT_EQ(stats.copies_elided, plan->stats.copies_elided) << "seed " << seed;
    if (!graph->symbols().empty()) continue;  // the largest size need not be at the largest symbol values
    EXPECT_EQ(stats.bytes_copied, plan->stats.bytes_copied) << "seed " << seed;
    EXPECT_EQ(stats.bytes_not_copied, plan->stats.bytes_not_copied) << "seed " << seed;
  }
}

// What is told of a plan is what the planner counted.
TEST(MovementsTest, ThePlannersCounts) {
  for (const RandomGraphOptions& options : RandomGraphOptions::Profiles()) {
    SCOPED_TRACE(options.name);
    ExpectPlannersCounts(options);
  }
}

}  // namespace
}  // namespace bufplan
