#include "io/json_graph.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"
#include "tests/io/graph_equal.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

constexpr absl::string_view kExamples[] = {"concat",   "fork_join", "fusion",  "kv_step",      "relu_chain",
                                           "residual", "sizes",     "streams", "strided_copy", "transformer_block"};

std::string Example(absl::string_view name) { return TestFile(absl::StrCat("examples/", name, ".json")); }

void ExpectRoundTrip(const Graph& graph) {
  const std::string text = WriteGraphJson(graph);
  const absl::StatusOr<Graph> again = ReadGraphJson(text);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  EXPECT_EQ(GraphDifference(graph, *again), "") << text;
  EXPECT_EQ(WriteGraphJson(*again), text);
}

// Something of everything, with names that need care.
absl::StatusOr<Graph> BuildEverything() {
  GraphBuilder b("every \"thing\"\n");
  b.SetAttrs(R"({"a": [1, 2.50, -1e300, 18446744073709551616, "é\n", null, true, {}]})");
  const Expr s = b.AddSymbol("s", 0, 15);
  const Expr n = b.AddSymbol("n.é", 8, 64, 8);
  Space host;
  host.alignment_bytes = 64;
  host.capacity_bytes = 1 << 20;
  host.max_allocation_bytes = 1 << 18;
  const SpaceId device = b.AddSpace("dev/ice", Space{.alignment_bytes = 16});
  host.unified_with = {device};
  const SpaceId host_id = b.AddSpace("host~", std::move(host));
  const StreamId main = b.AddStream("main");
  const StreamId side = b.AddStream("side");
  const ValueId x = b.Input("x", 64 * n, {.preserve = true});
  const ValueId c = b.Constant("c\t", 4096, {.attrs_json = R"({"dtype": "f16"})"});
  const ValueId e = b.External("漢", 64 * n, {.space = host_id, .writable = true});
  const ValueId borrowed = b.External("borrowed", 128);
  const ValueId k = b.Variable("K", 8192);
  const ValueId declared = b.AddValue("declared", 64 * n, Role::kTransient, {.alignment_bytes = 512});
  const Region strided{16, 16, {{n, 64}, {2, 32}}};
  b.Compute("op", {.reads = {x, Operand(c, Region{128, 64, {}}), Operand(x, strided, true, 4), borrowed},
                   .writes = {{.value = declared, .in_place = {x, {c, InPlaceMode::kAny}}, .movable = false},
                              {.name = "second", .bytes = 0, .options = {.pinned_offset_bytes = 4096}}},
                   .options = {.scratch_bytes = CeilDiv(n, 16) * 32, .attrs_json = R"({"kernel": "k"})"}});
  const ValueId view = b.View("view", declared, 8 * s, 64, "view");
  const ValueId slice = b.Slice("slice", declared, 0, 8 * s, "slice", {.stream = side});
  const ValueId clone = b.Clone("clone", view, "clone", {.elide = Elide::kNever});
  const ValueId upd = b.Update("update", declared, clone, 8 * s, "update");
  const ValueId part = b.Compute(
      "part",
      {.reads = {slice},
       .writes = {{.name = "part", .bytes = 64 * n, .base = upd, .region = Region{0, 128, {}}, .cover = Cover::kPart}},
       .options = {.stream = side}});
  const ValueId parts[] = {clone, view};
  const ValueId joined = b.Concat("concat", parts, "concat");
  const ValueId copied =
      b.Copy("copy", {{part, strided, Region{0, 32 * n, {}}}, {joined, std::nullopt, Region{32 * n, 128, {}}}},
             std::nullopt, 64 * n, "copy");
  const ValueId with_base =
      b.Copy("copy base", {{joined, Region{0, 64, {}}, Region{0, 16, {{4, 32}}}}}, copied, 64 * n, "copy base");
  const ValueId filled = b.Fill("fill", with_base, Region{0, 8, {{n, 64}}}, 64 * n, "fill");
  b.Fill("fill all", std::nullopt, std::nullopt, 64, "fill all");
  const ValueId moved = b.Transfer("transfer", filled, Target("transfer", {.space = host_id}));
  b.Commit("save", moved, e);
  b.Barrier("barrier", {.stream = side});
  const OpId barrier = b.last_op();
  const ValueId k1 = b.Update("k", k, clone, Min(8 * s, 64), "K1");
  b.Commit("save k", k1, k);
  const ValueId f0 = b.Compute("f0", {.reads = {filled}, .writes = {{.name = "f0", .bytes = 256}}});
  const OpId f0_op = b.last_op();
  const ValueId f1 = b.Compute("f1", {.reads = {f0, joined}, .writes = {{.name = "f1", .bytes = 256}}});
  b.AddFusion({.name = "fuse",
               .ops = {f0_op, b.last_op()},
               .benefit = 0.1,
               .required = true,
               .in_place = {{f1, filled, InPlaceMode::kAny}}});
  b.Order(barrier, f0_op);
  b.KeepAliveUntil(clone, f0_op);
  b.Disjoint(f1, clone);
  b.Output(f1);
  b.Output(filled);
  (void)main;
  return std::move(b).Build();
}

TEST(JsonGraph, RoundTripLosesNothing) {
  const absl::StatusOr<Graph> graph = BuildEverything();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ExpectRoundTrip(*graph);
}

TEST(JsonGraph, ExamplesRoundTrip) {
  for (absl::string_view name : kExamples) {
    const absl::StatusOr<Graph> graph = ReadGraphJson(Example(name));
    ASSERT_TRUE(graph.ok()) << name << ": " << graph.status();
    ExpectRoundTrip(*graph);
  }
}

TEST(JsonGraph, DefaultsAreWhatTheFormatSays) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(R"json({"format": "bufplan.graph", "version": 1,
    "spaces": [{"name": "m", "capacity": null, "max_allocation": null}],
    "values": [{"name": "x", "bytes": "2*(3+1)", "role": "input"}, {"name": "y", "bytes": 8}],
    "ops": [{"name": "f", "reads": ["x"], "writes": [{"value": "y", "in_place": [{"value": "x"}]}]}]})json");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->name(), "");
  EXPECT_EQ(graph->num_streams(), 1);
  EXPECT_EQ(graph->space(SpaceId(0)).alignment_bytes, 1);
  EXPECT_EQ(graph->space(SpaceId(0)).capacity_bytes, std::nullopt);
  EXPECT_EQ(graph->value(ValueId(0)).bytes, Expr(8));
  EXPECT_EQ(graph->value(ValueId(1)).role, Role::kTransient);
  const Op& op = graph->op(OpId(0));
  EXPECT_EQ(op.kind, OpKind::kCompute);
  EXPECT_EQ(op.elide, Elide::kAuto);
  const Write& write = graph->writes(op)[0];
  EXPECT_EQ(write.cover, Cover::kAll);
  EXPECT_TRUE(write.movable);
  EXPECT_EQ(graph->in_place(write)[0].mode, InPlaceMode::kSameIndex);
  EXPECT_EQ(WriteGraphJson(*graph), R"({"format": "bufplan.graph", "version": 1, "name": "",
 "spaces": [
  {"name": "m", "alignment": 1}],
 "streams": ["main"],
 "values": [
  {"name": "x", "bytes": 8, "role": "input"},
  {"name": "y", "bytes": 8}],
 "ops": [
  {"name": "f", "reads": ["x"], "writes": [{"value": "y", "in_place": [{"value": "x", "mode": "same_index"}]}]}],
 "outputs": []}
)");
}

TEST(JsonGraph, AnEmptyGraphIsAGraph) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(R"({"format": "bufplan.graph", "version": 1})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->name(SpaceId(0)), "device");
  ExpectRoundTrip(*graph);
}

TEST(JsonGraph, UnnamedThingsOfTheBuilderGetTheirNames) {
  GraphBuilder b;
  const ValueId x = b.Input("", 8);
  b.Output(b.Compute("", {.reads = {x}, .writes = {{.bytes = 8}}}));
  const absl::StatusOr<Graph> graph = std::move(b).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ExpectRoundTrip(*graph);
}

TEST(JsonGraph, AttributesThatAreNoJsonStayReadable) {
  for (absl::string_view bad : {"not json", "[1]", "{\"a\": 1, \"a\": 2}", "\xFF"}) {
    GraphBuilder b;
    b.SetAttrs(std::string(bad));
    b.Input("x", 8, {.attrs_json = std::string(bad)});
    const absl::StatusOr<Graph> graph = std::move(b).Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Graph> again = ReadGraphJson(WriteGraphJson(*graph));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->attrs_json(), again->attrs_json(ValueId(0)));
    if (bad != "\xFF") {
      EXPECT_EQ(again->attrs_json(), absl::StrCat("{\"text\": \"", absl::StrReplaceAll(bad, {{"\"", "\\\""}}), "\"}"));
    }
  }
}

TEST(JsonGraph, AttributesCanBeLeftOut) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(Example("sizes"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_NE(WriteGraphJson(*graph).find("attrs"), std::string::npos);
  EXPECT_EQ(WriteGraphJson(*graph, {.attrs = false}).find("attrs"), std::string::npos);
}

TEST(JsonGraph, OverridesReplaceRangesBeforeValidation) {
  const std::string text = Example("kv_step");
  const absl::StatusOr<Graph> fixed = ReadGraphJson(text, {{"s", 17, 17}});
  ASSERT_TRUE(fixed.ok()) << fixed.status();
  EXPECT_EQ(fixed->symbols()[0].min, 17);
  EXPECT_EQ(fixed->value(ValueId(1)).max_bytes, 17 * 8192);
  EXPECT_EQ(std::string(ReadGraphJson(text, {{"s", 0, 4095}}).status().message()).substr(0, 10), "at /ops/2:");
  EXPECT_EQ(ReadGraphJson(text, {{"t", 0, 1}}).status().message(),
            R"(symbol "t": the graph has no such symbol; it has "s")");
  EXPECT_EQ(ReadGraphJson(Example("relu_chain"), {{"t", 0, 1}}).status().message(),
            R"(symbol "t": the graph has no such symbol; it has none)");
  // A multiple_of stays and must fit.
  EXPECT_FALSE(ReadGraphJson(Example("sizes"), {{"tokens", 17, 17}}).ok());
  EXPECT_TRUE(ReadGraphJson(Example("sizes"), {{"tokens", 32, 32}}).ok());
}

TEST(SymbolOverrides, ParseFixedValuesAndRanges) {
  EXPECT_EQ(ParseSymbolOverrides("").value(), SymbolOverrides());
  EXPECT_EQ(ParseSymbolOverrides("s=17,t=0..4094").value(), (SymbolOverrides{{"s", 17, 17}, {"t", 0, 4094}}));
  EXPECT_EQ(ParseSymbolOverrides("s=-3..-1").value(), (SymbolOverrides{{"s", -3, -1}}));
  const std::pair<absl::string_view, const char*> kBad[] = {
      {"s", R"(symbols: "s" must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits)"},
      {"s=", R"(symbols: "s=" must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits)"},
      {"=3", R"(symbols: "=3" must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits)"},
      {"s=1,", R"(symbols: "" must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits)"},
      {"s=1..2..3", R"(symbols: "s=1..2..3" must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits)"},
      {"s=99999999999999999999",
       R"(symbols: "s=99999999999999999999" must be NAME=INTEGER or NAME=MIN..MAX, integers of 64 bits)"},
      {"s=5..4", R"(symbols: "s=5..4": min=5, must be <= max=4)"},
      {"s=1,s=2", R"(symbols: "s" is given twice)"},
  };
  for (const auto& [text, error] : kBad) EXPECT_EQ(std::string(ParseSymbolOverrides(text).status().message()), error);
}

}  // namespace
}  // namespace bufplan
