#include "io/json_plan.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "io/fingerprint.h"
#include "io/json_graph.h"
#include "tests/io/graph_equal.h"

namespace bufplan {
namespace {

// "device" is a space and a constant.
constexpr absl::string_view kGraph = R"({"format": "bufplan.graph", "version": 1, "name": "g",
 "symbols": [{"name": "s", "min": 0, "max": 7}],
 "spaces": [{"name": "device", "alignment": 16}, {"name": "host"}],
 "values": [
  {"name": "device", "bytes": 64, "role": "constant"},
  {"name": "K", "bytes": 4096, "role": "variable"},
  {"name": "x", "bytes": 64, "role": "input"},
  {"name": "y", "bytes": 64},
  {"name": "z", "bytes": 64},
  {"name": "part", "bytes": 64},
  {"name": "w", "bytes": 128}],
 "ops": [
  {"name": "f", "reads": ["x"], "writes": ["y"], "scratch": 32},
  {"name": "g", "reads": ["y"], "writes": ["z"]},
  {"name": "h", "kind": "slice", "of": "K", "at": "8*s", "to": "part"},
  {"name": "i", "reads": ["z", "part"], "writes": ["w"], "scratch": 16},
  {"name": "j", "reads": ["w", "device"], "writes": []}],
 "fusions": [{"name": "fg", "ops": ["f", "g"]}],
 "outputs": ["w"]})";

// What a plan can say, not a plan that is right.
Plan MakePlanByHand(const Graph& graph) {
  const Expr s = Expr::FromSymbol(SymbolId(0));
  Plan p;
  p.graph_name = std::string(graph.name());
  p.options = {{"effort", "fast"}, {"work_limit", "7"}};
  p.optimal = true;
  p.arenas = {{SpaceId(0), 256, 192, BoundKind::kAntichain, false, {128, 128}},
              {SpaceId(1), 0, 0, BoundKind::kLoad, true, {0}}};
  p.locations = {Location::InCaller(ValueId(0), 0),      Location::InCaller(ValueId(1), 0),
                 Location::InArena(SpaceId(0), 0, 64),   Location(),
                 Location::InArena(SpaceId(0), 1, 0),    Location::InCaller(ValueId(1), 8 * s),
                 Location::InArena(SpaceId(1), 0, 8 * s)};
  p.locations[5].strides = std::make_shared<const Strides>(Strides{8, {{4, 64}, {2, 8 * s + 8}}});
  p.live.resize(7);
  p.live[2] = {std::nullopt, OpId(0)};
  p.live[4] = {OpId(1), std::nullopt};
  p.live[5] = {OpId(2), OpId(3)};
  p.scratch = {{OpId(0), Location::InArena(SpaceId(0), 1, 64)}, {OpId(3), Location::InArena(SpaceId(0), 0, 0)}};
  p.notes.push_back(
      {.op = OpId(1), .why = Why::kText, .result = ValueId(4), .value = {}, .other = {}, .blocker = {}, .text = "one"});
  p.notes.push_back(
      {.op = OpId(1), .why = Why::kText, .result = {}, .value = {}, .other = {}, .blocker = {}, .text = ""});
  p.notes.push_back({.op = OpId(2),
                     .action = Action::kElided,
                     .why = Why::kText,
                     .result = {},
                     .value = {},
                     .other = {},
                     .blocker = {},
                     .text = "\"z\""});
  p.notes.push_back(
      {.op = OpId(3), .why = Why::kText, .result = {}, .value = {}, .other = {}, .blocker = {}, .text = "three"});
  p.fused = {{FusionId(0), true, 32, "fits"}};
  p.added_order = {{OpId(0), OpId(2), "because"}};
  p.stats = {1, 2, 3, 4, 5, OpId(1), {ValueId(2), ValueId(4)}};
  return p;
}

class JsonPlan : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<Graph> graph = ReadGraphJson(kGraph);
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_.emplace(*std::move(graph));
  }
  const Graph& graph() const { return *graph_; }
  std::string Good() const { return WritePlanJson(graph(), MakePlanByHand(graph())); }

 private:
  std::optional<Graph> graph_;
};

TEST_F(JsonPlan, IsWrittenAsTheFormatSays) {
  EXPECT_EQ(
      absl::StrReplaceAll(Good(), {{Fingerprint(graph()), "FINGERPRINT"}}),
      R"({"format": "bufplan.plan", "version": 1, "graph": "g", "fingerprint": "FINGERPRINT", "options": {"effort": "fast", "work_limit": "7"}, "status": "optimal",
 "arenas": [
  {"space": "device", "bytes": 256, "lower_bound": 192, "bound": "antichain", "optimal": false, "chunks": [128, 128]},
  {"space": "host", "bytes": 0, "lower_bound": 0, "bound": "load", "optimal": true, "chunks": [0]}],
 "values": [
  {"name": "device", "in": "device", "owner": true, "offset": 0, "first": null, "last": null},
  {"name": "K", "in": "K", "offset": 0, "first": null, "last": null},
  {"name": "x", "in": "device", "offset": 64, "first": null, "last": "f"},
  {"name": "y", "in": null, "first": null, "last": null},
  {"name": "z", "in": "device", "chunk": 1, "offset": 0, "first": "g", "last": null},
  {"name": "part", "in": "K", "offset": "8*s", "run": 8, "dims": [[4, 64], [2, "8*s + 8"]], "first": "h", "last": "i"},
  {"name": "w", "in": "host", "offset": "8*s", "first": null, "last": null}],
 "ops": [
  {"name": "f", "action": "run", "scratch": {"in": "device", "chunk": 1, "offset": 64}},
  {"name": "g", "action": "run", "result": "z", "why": "one"},
  {"name": "g", "action": "run", "why": ""},
  {"name": "h", "action": "elided", "why": "\"z\""},
  {"name": "i", "action": "run", "why": "three", "scratch": {"in": "device", "offset": 0}}],
 "fused": [
  {"name": "fg", "ops": ["f", "g"], "action": "fused", "at": "g", "cost_bytes": 32, "why": "fits"}],
 "order": [
  {"before": "f", "after": "h", "why": "because"}],
 "stats": {"copies_elided": 1, "copies_kept": 2, "bytes_copied": 3, "bytes_not_copied": 4, "sum_bytes": 5, "peak_op": "g", "live_at_peak": ["x", "z"]}}
)");
}

TEST_F(JsonPlan, RoundTripLosesNothing) {
  const absl::StatusOr<Plan> again = ReadPlanJson(Good(), graph());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PlanDifference(graph(), MakePlanByHand(graph()), *again), "");
  EXPECT_EQ(again->fingerprint, Fingerprint(graph()));
  EXPECT_EQ(WritePlanJson(graph(), *again), Good());
}

TEST_F(JsonPlan, FitsWhatItFittedIfTheGraphIsItsOwn) {
  const absl::StatusOr<Plan> again = ReadPlanJson(Good(), graph());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->Fits(graph()));
  const auto fits = [&](absl::string_view from, absl::string_view to) {
    const absl::StatusOr<Graph> other = ReadGraphJson(absl::StrReplaceAll(kGraph, {{from, to}}));
    EXPECT_TRUE(other.ok()) << other.status();
    return again->Fits(*other);
  };
  EXPECT_TRUE(fits(R"("w", "bytes": 128)", R"("w", "bytes": 64)"));
  EXPECT_TRUE(fits(R"("fg")", R"("other")"));
  EXPECT_FALSE(fits(R"("w", "bytes": 128)", R"("w", "bytes": 256)"));
  EXPECT_FALSE(fits(R"("outputs": ["w"])", R"("outputs": [])"));
  const absl::StatusOr<Plan> stranger =
      ReadPlanJson(absl::StrReplaceAll(Good(), {{Fingerprint(graph()), "another"}}), graph());
  ASSERT_TRUE(stranger.ok()) << stranger.status();
  EXPECT_FALSE(stranger->Fits(graph()));
}

TEST_F(JsonPlan, NotesKeepTheirSentences) {
  Plan plan = MakePlanByHand(graph());
  plan.notes.clear();
  plan.notes.push_back(
      {.op = OpId(2), .why = Why::kNotTried, .result = {}, .value = {}, .other = {}, .blocker = {}, .text = {}});
  const absl::StatusOr<Plan> again = ReadPlanJson(WritePlanJson(graph(), plan), graph());
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->notes.size(), 1u);
  EXPECT_EQ(again->notes[0].why, Why::kText);
  EXPECT_EQ(WhyText(graph(), again->notes[0]), WhyText(graph(), plan.notes[0]));
  EXPECT_EQ(WritePlanJson(graph(), *again), WritePlanJson(graph(), plan));
}

TEST_F(JsonPlan, WhatIsNotListedIsLeftToTheChecker) {
  const absl::StatusOr<Plan> plan = ReadPlanJson(
      R"({"format": "bufplan.plan", "version": 1, "graph": "g", "fingerprint": "", "status": "feasible",
          "arenas": [{"space": "host", "bytes": 0, "lower_bound": 0, "chunks": [0]}, {"space": "device", "bytes": 1, "lower_bound": 0, "chunks": [1]}]})",
      graph());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->arenas[0].bytes, 1);  // In the graph's order.
  ASSERT_EQ(plan->locations.size(), 7u);
  EXPECT_EQ(plan->location(ValueId(3)).kind, Location::Kind::kNone);
  ASSERT_EQ(plan->fused.size(), 1u);
  EXPECT_FALSE(plan->fused[0].fused);
  EXPECT_FALSE(plan->optimal);
}

TEST_F(JsonPlan, RefusesWhatTheGraphDoesNotHave) {
  const struct {
    const char *from, *to, *error;
  } kCases[] = {
      {R"({"name": "K", "in")", R"({"name": "Q", "in")", R"(at /values/1/name: the graph has no value "Q")"},
      {R"({"name": "K", "in")", R"({"name": "x", "in")", "at /values/2: the name is listed twice"},
      {R"("K", "in": "K")", R"("K", "in": "Q")", R"(at /values/1/in: the graph has no space and no value "Q")"},
      {R"("K", "in": "K")", R"("K", "in": "x")",
       R"(at /values/1/in: value "x" has no storage of its own; a place is in a space, a constant, an external or a variable)"},
      {R"("K", "in": "K")", R"("K", "in": 7)", "at /values/1/in: must be a string, is an integer 7"},
      {R"("K", "in": "K", "offset": 0)", R"("K", "in": "K")", R"(at /values/1: "offset" is missing)"},
      {R"("K", "in": "K", "offset": 0)", R"("K", "in": "K", "offset": 1.5)",
       "at /values/1/offset: must be a string, is a fraction 1.5"},
      {R"("K", "in": "K", "offset": 0)", R"("K", "in": "K", "offset": "t")",
       R"(at /values/1/offset: expression "t": column 1, at "t": unknown symbol)"},
      {R"("K", "in": "K",)", R"("K", "in": "K", "chunk": 1,)", "at /values/1/chunk: storage of a value has no chunks"},
      {R"("chunk": 1, "offset": 0,)", R"("chunk": -1, "offset": 0,)",
       "at /values/4/chunk: chunk=-1, must be in [0, 2^30]"},
      {R"("in": null,)", R"("in": null, "offset": 0,)",
       R"(at /values/3/offset: a value without bytes ("in": null) has no place)"},
      {R"("in": null,)", R"("in": null, "run": 8,)",
       R"(at /values/3/run: a value without bytes ("in": null) has no place)"},
      {R"("run": 8, )", "", R"(at /values/5/dims: needs "run")"},
      {R"("dims": [[4, 64], [2, "8*s + 8"]], )", "", R"(at /values/5/run: needs "dims")"},
      {R"([[4, 64], [2, "8*s + 8"]])", "[]", "at /values/5/dims: must not be empty"},
      {R"([[4, 64], [2, "8*s + 8"]])", "[[4, 64], [2]]",
       "at /values/5/dims/1: must be [count, stride], has 1 elements"},
      {R"([[4, 64], [2, "8*s + 8"]])", "[4, 64]", "at /values/5/dims/0: must be an array, is an integer 4"},
      {R"([[4, 64], [2, "8*s + 8"]])", R"([[4, "t"]])",
       R"(at /values/5/dims/0/1: expression "t": column 1, at "t": unknown symbol)"},
      {R"("run": 8, )", R"("run": true, )", "at /values/5/run: must be a string, is a boolean"},
      {R"({"in": "device", "offset": 0}})", R"({"in": "device", "offset": 0, "run": 8}})",
       R"(at /ops/4/scratch/run: unknown key "run"; known are "in", "owner", "chunk", "offset")"},
      {R"("last": "f")", R"("last": "q")", R"(at /values/2/last: the graph has no op "q")"},
      {R"({"space": "host")", R"({"space": "hots")", R"(at /arenas/1/space: the graph has no space "hots")"},
      {R"({"space": "host")", R"({"space": "device")", "at /arenas/1: the name is listed twice"},
      {R"("bound": "load")", R"("bound": "none")",
       R"(at /arenas/1/bound: "none" must be one of "load", "antichain", "search")"},
      {R"("status": "optimal")", R"("status": "good")", R"(at /status: "good" must be one of "feasible", "optimal")"},
      {R"({"name": "h", "action")", R"({"name": "a", "action")", R"(at /ops/3/name: the graph has no op "a")"},
      {R"({"name": "h", "action")", R"({"name": "f", "action")", "at /ops/3: ops must be in the graph's order"},
      {R"("action": "elided")", R"("action": "skip")", R"(at /ops/3/action: "skip" must be one of "run", "elided")"},
      {R"("result": "z", "why": "one")", R"("result": "z")", R"(at /ops/1/result: needs "why")"},
      {R"({"in": "device", "offset": 0}})", R"({"offset": 0}})", R"(at /ops/4/scratch: "in" is missing)"},
      {R"({"name": "fg")", R"({"name": "gf")", R"(at /fused/0/name: the graph has no fusion "gf")"},
      {R"("ops": ["f", "g"])", R"("ops": ["f"])", "at /fused/0/ops: these are not the ops of the graph's fusion"},
      {R"({"before": "f")", R"({"before": "x")", R"(at /order/0/before: the graph has no op "x")"},
      {R"("effort": "fast")", R"("effort": 1)", "at /options/effort: must be a string, is an integer 1"},
      {R"("sum_bytes": 5)", R"("sum": 5)",
       R"(at /stats/sum: unknown key "sum"; known are "copies_elided", "copies_kept", "bytes_copied", "bytes_not_copied", )"
       R"("sum_bytes", "peak_op", "live_at_peak")"},
      {"bufplan.plan", "bufplan.graph", R"(at /format: format "bufplan.graph", must be "bufplan.plan")"},
  };
  for (const auto& c : kCases) {
    ASSERT_TRUE(absl::StrContains(Good(), c.from)) << c.from;
    const absl::StatusOr<Plan> plan = ReadPlanJson(absl::StrReplaceAll(Good(), {{c.from, c.to}}), graph());
    ASSERT_FALSE(plan.ok()) << c.to;
    EXPECT_EQ(std::string(plan.status().message()), c.error) << c.to;
  }
  const absl::StatusOr<Plan> no_arena = ReadPlanJson(
      R"({"format": "bufplan.plan", "version": 1, "graph": "g", "fingerprint": "", "status": "feasible"})", graph());
  EXPECT_EQ(no_arena.status().message(), R"(at top level: no arena of space "device")");
}

// The mark is what counts of an entry; a reason is for people.
TEST_F(JsonPlan, ElidedNeedsNoReason) {
  const std::string text =
      absl::StrReplaceAll(Good(), {{R"("action": "elided", "why": "\"z\"")", R"("action": "elided")"}});
  const absl::StatusOr<Plan> plan = ReadPlanJson(text, graph());
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->notes.size(), 4u);
  EXPECT_EQ(plan->notes[2].op, OpId(2));
  EXPECT_EQ(plan->notes[2].action, Action::kElided);
  EXPECT_EQ(plan->notes[2].text, "");
}

TEST_F(JsonPlan, FingerprintsTellGraphsApart) {
  absl::StatusOr<Plan> plan = ReadPlanJson(Good(), graph());
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(CheckFingerprint(graph(), *plan).ok());
  const absl::StatusOr<Graph> other = ReadGraphJson(kGraph, {{"s", 0, 6}});
  ASSERT_TRUE(other.ok());
  const absl::Status status = CheckFingerprint(*other, *plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(status.message(), Fingerprint(graph()))) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), Fingerprint(*other))) << status;
  plan->fingerprint.clear();
  EXPECT_FALSE(CheckFingerprint(graph(), *plan).ok());
}

}  // namespace
}  // namespace bufplan
