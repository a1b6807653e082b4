#include "io/explain/layout.h"

#include <memory>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "planner/make_plan.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

TEST(LayoutTest, ValuesOfTheSample) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  ASSERT_EQ(layout.memories().size(), 2u);
  EXPECT_EQ(layout.memories()[0].name, "device");
  EXPECT_EQ(layout.memories()[0].bytes, 200);
  EXPECT_EQ(layout.memories()[1].name, "K");
  EXPECT_EQ(layout.memories()[1].bytes, 1000);
  EXPECT_FALSE(layout.memories()[1].arena);
  EXPECT_EQ(layout.placed().size(), 7u);
  const PlacedBytes& v = layout.placed()[*layout.Find(s.Value("v").value)];
  EXPECT_EQ(v.bytes, (ByteRange{20, 60}));
  EXPECT_EQ(v.begin, 2);  // op v is the second
  EXPECT_EQ(v.end, 5);    // op g the fourth
  const PlacedBytes& c = layout.placed()[*layout.Find(s.Value("c").value)];
  EXPECT_EQ(c.begin, 4);
  EXPECT_EQ(c.end, layout.end());
  EXPECT_EQ(layout.Label(c), "c");
}

TEST(LayoutTest, TimesHaveNames) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  EXPECT_EQ(layout.end(), 8);
  EXPECT_EQ(layout.TimeLabel(0), "start");
  EXPECT_EQ(layout.TimeLabel(1), "f");
  EXPECT_EQ(layout.TimeLabel(6), "st");
  EXPECT_EQ(layout.TimeLabel(7), "end");
}

TEST(LayoutTest, NonsenseIsLeftOut) {
  Sample s;
  s.plan.locations[s.Value("a").index()].offset_bytes = -8;
  s.plan.locations[s.Value("b").index()].chunk = 3;
  s.plan.locations[s.Value("c").index()].offset_bytes = INT64_MAX;
  s.plan.locations[s.Value("x").index()] = Location();
  s.plan.live[s.Value("v").index()] = {s.Op("g"), s.Op("f")};  // ends before it begins
  const Layout layout(s.graph, s.plan);
  for (absl::string_view name : {"a", "b", "c", "x"}) EXPECT_EQ(layout.Find(s.Value(name).value), std::nullopt) << name;
  const PlacedBytes& v = layout.placed()[*layout.Find(s.Value("v").value)];
  EXPECT_EQ(v.end, v.begin + 1);
}

TEST(LayoutTest, AnInputThatNobodyNeedsIsThereAtTheStartOnly) {
  GraphBuilder b;
  const ValueId x = b.Input("x", 8);
  const ValueId y = b.Compute("op", {.reads = {}, .writes = {{.bytes = 8}}});
  b.Output(y);
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 8, 8, BoundKind::kLoad, true, {8}});
  plan.locations = {Location::InArena(SpaceId(0), 0, 0), Location::InArena(SpaceId(0), 0, 0)};
  plan.live.resize(2);
  plan.live[y.index()].first = OpId(0);
  const Layout layout(graph, plan);
  EXPECT_EQ(layout.placed()[*layout.Find(x.value)].end, 1);
  EXPECT_EQ(layout.placed()[*layout.Find(y.value)].end, layout.end());
}

TEST(LayoutTest, AFusedGroupIsWhereItRuns) {
  GraphBuilder b;
  const ValueId x = b.Compute("x", {.reads = {}, .writes = {{.bytes = 8}}});
  const ValueId a = b.Compute("a", {.reads = {x}, .writes = {{.bytes = 8}}});
  const ValueId c = b.Compute("c", {.reads = {a}, .writes = {{.bytes = 8}}});
  const ValueId d = b.Compute("d", {.reads = {a}, .writes = {{.bytes = 8}}});
  b.AddFusion({.name = "f", .ops = {OpId(1), OpId(3)}});
  b.Output(c);
  b.Output(d);
  const Graph graph = std::move(b).Build().value();
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(plan->fused[0].fused);
  const Layout layout(graph, *plan);
  EXPECT_EQ(layout.placed()[*layout.Find(a.value)].begin, 2);
  EXPECT_EQ(layout.placed()[*layout.Find(d.value)].begin, 2);
  EXPECT_EQ(layout.placed()[*layout.Find(c.value)].begin, 3);
}

TEST(LayoutTest, AStridedValueTakesAllFromItsFirstToItsLastByte) {
  Sample s;
  s.plan.locations[s.Value("c").index()].offset_bytes = 8;
  s.plan.locations[s.Value("c").index()].strides = std::make_shared<const Strides>(Strides{10, {{10, 16}}});
  const Layout layout(s.graph, s.plan);
  EXPECT_EQ(layout.placed()[*layout.Find(s.Value("c").value)].bytes, (ByteRange{8, 8 + 9 * 16 + 10}));
}

TEST(LayoutTest, ChunksFollowOneAnother) {
  Sample s;
  s.plan.arenas[0].chunks = {100, 100};
  s.plan.locations[s.Value("a").index()] = Location::InArena(SpaceId(0), 1, 0);
  const Layout layout(s.graph, s.plan);
  EXPECT_EQ(layout.placed()[*layout.Find(s.Value("a").value)].bytes, (ByteRange{100, 200}));
}

TEST(LayoutTest, SymbolsHaveTheirLargestMultiple) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 30, 8);
  const ValueId k = b.Variable("K", 240);
  const ValueId past = b.Slice("past", k, 0, 8 * s, "past");
  const ValueId rest = b.Slice("rest", k, 8 * s, 192 - 8 * s, "rest");
  b.Output(past);
  b.Output(rest);
  const Graph graph = std::move(b).Build().value();
  EXPECT_EQ(LargestSymbolValues(graph), std::vector<int64_t>{24});
  EXPECT_EQ(SymbolValuesText(graph, {24}), "s=24");
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 384, 384, BoundKind::kLoad, true, {384}});
  plan.locations = {Location::InCaller(k, 0), Location::InCaller(k, 0), Location::InArena(SpaceId(0), 0, 192)};
  plan.live.resize(3);
  const Layout layout(graph, plan);
  EXPECT_EQ(layout.placed()[*layout.Find(past.value)].bytes, (ByteRange{0, 192}));
  // In the arena what is reserved counts: its largest size, although it is empty at s=24.
  EXPECT_EQ(layout.placed()[*layout.Find(rest.value)].bytes, (ByteRange{192, 384}));
}

TEST(LayoutTest, ScratchLivesDuringItsOp) {
  GraphBuilder b;
  OpOptions options;
  options.scratch_bytes = 64;
  const ValueId y = b.Compute("op", {.reads = {}, .writes = {{.name = "y", .bytes = 8}}, .options = options});
  b.Output(y);
  const Graph graph = std::move(b).Build().value();
  Plan plan;
  plan.arenas.push_back({SpaceId(0), 72, 72, BoundKind::kLoad, true, {72}});
  plan.locations = {Location::InArena(SpaceId(0), 0, 0)};
  plan.live = {{OpId(0), std::nullopt}};
  plan.scratch.push_back({OpId(0), Location::InArena(SpaceId(0), 0, 8)});
  const Layout layout(graph, plan);
  ASSERT_EQ(layout.placed().size(), 2u);
  const PlacedBytes& scratch = layout.placed()[1];
  EXPECT_EQ(layout.Label(scratch), "scratch of op");
  EXPECT_EQ(scratch.bytes, (ByteRange{8, 72}));
  EXPECT_EQ(scratch.begin, 1);
  EXPECT_EQ(scratch.end, 2);
}

TEST(LayoutTest, BuffersWithGapsAreSeveralRectangles) {
  const SampleProblem s;
  const Layout layout(s.problem, s.plan);
  EXPECT_EQ(layout.begin(), 0);
  EXPECT_EQ(layout.end(), 5);
  ASSERT_EQ(layout.placed().size(), 4u);
  EXPECT_EQ(layout.placed()[1].begin, 0);
  EXPECT_EQ(layout.placed()[1].end, 2);
  EXPECT_EQ(layout.placed()[2].begin, 3);
  EXPECT_EQ(layout.placed()[2].end, 5);
  EXPECT_EQ(layout.Find(1), 1u);
  EXPECT_EQ(layout.Label(layout.placed()[3]), "c");
  EXPECT_EQ(layout.TimeLabel(3), "3");
}

}  // namespace
}  // namespace bufplan
