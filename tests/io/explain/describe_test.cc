#include "io/explain/describe.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/checker.h"
#include "ir/graph_builder.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

// What the other tests explain is a plan that holds.
TEST(DescribeTest, TheSamplePlanIsValid) {
  const Sample s;
  const absl::StatusOr<CheckReport> report = CheckPlan(s.graph, s.plan);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const Violation& v : report->violations) ADD_FAILURE() << v.message;
  const SampleProblem p;
  const absl::StatusOr<CheckReport> problem_report = CheckProblemPlan(p.problem, p.plan);
  ASSERT_TRUE(problem_report.ok()) << problem_report.status();
  EXPECT_TRUE(problem_report->ok());
}

TEST(DescribeTest, PlacesAndOps) {
  const Sample s;
  EXPECT_EQ(OpText(s.graph, s.Op("upd")), "\"upd\" (update, op 5 of 6)");
  EXPECT_EQ(PlaceText(s.graph, s.plan.location(s.Value("c"))), "in space \"device\", offset 100");
  EXPECT_EQ(PlaceText(s.graph, s.plan.location(s.Value("K1"))), "in storage of variable \"K\", offset 0");
  EXPECT_EQ(PlaceText(s.graph, Location()), "nowhere: swallowed by a fused group");
  EXPECT_EQ(PlaceText(s.graph, Location::InArena(SpaceId(0), 2, 4096)), "in space \"device\", chunk 2, offset 4,096");
  EXPECT_EQ(LiveText(s.graph, s.plan.live[s.Value("x").index()]), "the start .. f");
  EXPECT_EQ(LiveText(s.graph, s.plan.live[s.Value("c").index()]), "g .. the end");
}

TEST(DescribeTest, WhyThere) {
  const Sample s;
  const auto why = [&](absl::string_view name) { return WhyThere(s.graph, s.plan, s.Value(name)); };
  EXPECT_EQ(why("x"), "an input, there before the first op");
  EXPECT_EQ(why("K"), "its own storage, which is the caller's");
  EXPECT_EQ(why("a"), "bytes of its own");
  EXPECT_EQ(why("v"), "a view of \"a\": where that lies");
  EXPECT_EQ(why("b"), "bytes of its own");
  EXPECT_EQ(why("c"), "in place of \"b\", an operand of its op");
  EXPECT_EQ(why("K1"), "on its base \"K\", which is updated in place");
}

TEST(DescribeTest, PartsOfAnUpdate) {
  Sample s;
  std::vector<MovedPart> parts = PartsOf(s.graph, s.plan, s.Op("upd"));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].from, s.Value("c"));
  EXPECT_TRUE(parts[0].executed);
  EXPECT_EQ(parts[0].bytes, 100);
  EXPECT_EQ(parts[0].to_text, "[300, 400)");
  EXPECT_TRUE(parts[1].carried);
  EXPECT_FALSE(parts[1].executed);
  EXPECT_EQ(parts[1].bytes, 900);
  // Apart from its base, with the source where it goes to: the other way round.
  s.plan.locations[s.Value("K1").index()] = Location::InArena(SpaceId(0), 0, 0);
  s.plan.locations[s.Value("c").index()] = Location::InArena(SpaceId(0), 0, 300);
  parts = PartsOf(s.graph, s.plan, s.Op("upd"));
  EXPECT_FALSE(parts[0].executed);
  EXPECT_TRUE(parts[1].executed);
}

TEST(DescribeTest, OpsWithoutMovement) {
  const Sample s;
  EXPECT_TRUE(PartsOf(s.graph, s.plan, s.Op("f")).empty());
  EXPECT_TRUE(PartsOf(s.graph, s.plan, s.Op("v")).empty());
  const std::vector<MovedPart> commit = PartsOf(s.graph, s.plan, s.Op("st"));
  ASSERT_EQ(commit.size(), 1u);
  EXPECT_FALSE(commit[0].executed);
  EXPECT_EQ(commit[0].bytes, 1000);
}

TEST(DescribeTest, SymbolicBytes) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 4094);
  const ValueId x = b.Input("x", 8192 * s);
  b.Output(x);
  const Graph graph = std::move(b).Build().value();
  EXPECT_EQ(BytesText(graph, 8192 * s), "8192*s (33,538,048 at s=4094)");
  EXPECT_EQ(BytesText(graph, 8192), "8,192");
  EXPECT_EQ(LargestBytes(graph, 8192 * s), 33538048);
  EXPECT_EQ(LargestBytes(graph, 0 - s), 0);
}

TEST(DescribeTest, CoverPartCarriesAll) {
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
  const std::vector<MovedPart> parts = PartsOf(graph, plan, OpId(0));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].bytes, 100);
  EXPECT_TRUE(parts[0].executed);
}

}  // namespace
}  // namespace bufplan
