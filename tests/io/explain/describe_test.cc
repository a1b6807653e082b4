#include "io/explain/describe.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "io/explain/movements.h"
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
  EXPECT_EQ(PlaceText(s.graph, Location()), "nowhere");
  EXPECT_EQ(PlaceText(s.graph, Location::InArena(SpaceId(0), 2, 4096)), "in space \"device\", chunk 2, offset 4,096");
  EXPECT_EQ(LiveText(s.graph, s.plan.live[s.Value("x").index()]), "the start .. f");
  EXPECT_EQ(LiveText(s.graph, s.plan.live[s.Value("c").index()]), "g .. the end");
}

TEST(DescribeTest, WhyThere) {
  const Sample s;
  const auto why = [&](absl::string_view name) {
    return WhyThere(s.graph, s.plan, Movements(s.graph, s.plan), s.Value(name));
  };
  EXPECT_EQ(why("x"), "an input, there before the first op");
  EXPECT_EQ(why("K"), "its own storage, which is the caller's");
  EXPECT_EQ(why("a"), "bytes of its own");
  EXPECT_EQ(why("v"), "a view of \"a\": where that lies");
  EXPECT_EQ(why("b"), "bytes of its own");
  EXPECT_EQ(why("c"), "in place of \"b\", an operand of its op");
  EXPECT_EQ(why("K1"), "on its base \"K\", which is updated in place");
}

TEST(DescribeTest, SymbolicBytes) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 4094);
  const ValueId x = b.Input("x", 8192 * s);
  b.Output(x);
  const Graph graph = std::move(b).Build().value();
  EXPECT_EQ(BytesText(graph, 8192 * s), "8192*s (33,538,048 at s=4094)");
  EXPECT_EQ(BytesText(graph, 8192), "8,192");
}

TEST(DescribeTest, StridedPlaces) {
  GraphBuilder b;
  const Expr s = b.AddSymbol("s", 0, 7);
  const ValueId k = b.Variable("K", 65536);
  b.Output(k);
  const Graph graph = std::move(b).Build().value();
  Location location = Location::InCaller(k, 8 * s);
  location.strides = std::make_shared<const Strides>(Strides{256, {{32, 256}, {s + 1, 8192}}});
  EXPECT_EQ(PlaceText(graph, location),
            "in storage of variable \"K\", offset 8*s (56 at s=7), strided: [8*s, 8*s + 256) x 32 every 256 x s + 1 "
            "every 8192");
}

// row is written to c's place, c's is that of the update, which lies in K; r takes c out of K again.
struct Emplaced {
  Emplaced() {
    GraphBuilder b;
    const ValueId in = b.Input("in", 8);
    const ValueId k = b.Variable("K", 64);
    const ValueId row = b.Compute("f", {.reads = {in}, .writes = {{.name = "row", .bytes = 8}}});
    const ValueId done = b.Compute("g", {.reads = {row}, .writes = {{.name = "done", .bytes = 8, .in_place = {row}}}});
    const ValueId c = b.Clone("copy", done, "c");
    const ValueId k1 = b.Update("upd", k, c, 16, "K1");
    const ValueId r = b.Slice("take", k1, 16, 8, "r");
    const ValueId dead = b.Slice("drop", k1, 0, 8, "dead");
    b.Compute("h", {.reads = {r}, .writes = {}});
    b.Commit("st", k1, k);
    static_cast<void>(dead);
    graph = std::move(b).Build();
    plan.locations = {Location::InArena(SpaceId(0), 0, 0), Location::InCaller(k, 0),
                      Location::InCaller(k, 16),           Location::InCaller(k, 16),
                      Location::InCaller(k, 16),           Location::InCaller(k, 0),
                      Location::InCaller(k, 16),           Location()};
    plan.live.resize(8);
    for (absl::string_view op : {"copy", "upd", "take", "drop", "st"}) {
      Note& note = plan.notes.emplace_back();
      note.op = *graph->FindOp(op);
      note.action = Action::kElided;
      note.why = Why::kText;
    }
  }
  std::string Why(absl::string_view name) const {
    return WhyThere(*graph, plan, Movements(*graph, plan), *graph->FindValue(name));
  }
  absl::StatusOr<Graph> graph = absl::InternalError("");
  Plan plan;
};

TEST(DescribeTest, WhyEmplacedValuesLieThere) {
  Emplaced e;
  ASSERT_TRUE(e.graph.ok()) << e.graph.status();
  EXPECT_EQ(e.Why("row"),
            "written straight to where copy copies \"done\", which is made in place of it: into \"c\" at 0");
  EXPECT_EQ(e.Why("done"), "in place of \"row\", an operand of its op");
  EXPECT_EQ(e.Why("c"), "where its source \"done\" lies");
  EXPECT_EQ(e.Why("K1"), "on its base \"K\", which is updated in place");
  EXPECT_EQ(e.Why("r"), "where its source \"K1\" lies");
  EXPECT_EQ(e.Why("dead"), "nobody reads it, so drop moves nothing");
  // The copy executes and writes to where the update goes.
  e.plan.notes.erase(e.plan.notes.begin());
  e.plan.locations[2] = e.plan.locations[3] = Location::InArena(SpaceId(0), 0, 8);
  EXPECT_EQ(e.Why("c"), "written straight to where upd copies it: into \"K1\" at 16");
  EXPECT_EQ(e.Why("row"), "bytes of its own");
}

TEST(DescribeTest, WhyThereByContent) {
  Emplaced e;
  ASSERT_TRUE(e.graph.ok()) << e.graph.status();
  // c has bytes of its own, and what is taken out of K1 is done.
  e.plan.locations[4] = e.plan.locations[5] = Location::InArena(SpaceId(0), 0, 64);
  e.plan.locations[2] = Location::InArena(SpaceId(0), 0, 8);
  EXPECT_EQ(e.Why("r"), "where the same bytes are already");
  EXPECT_EQ(e.Why("done"), "written straight to where \"r\" lies, which has the same content: take moves nothing");
  EXPECT_EQ(e.Why("c"), "where the same bytes are already");
  e.plan.locations[4] = Location();
  EXPECT_EQ(e.Why("c"), "nobody reads it, so copy moves nothing: what upd would move is there already");
  e.plan.notes.clear();
  EXPECT_EQ(e.Why("c"), "the plan gives it no bytes");  // which is wrong
}

}  // namespace
}  // namespace bufplan
