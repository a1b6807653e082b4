// What ReadGraphJson refuses, and where it says the fault is.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"

namespace bufplan {
namespace {

// A valid graph in which each case spoils one thing.
constexpr absl::string_view kGood = R"({"format": "bufplan.graph", "version": 1, "name": "g",
 "symbols": [{"name": "s", "min": 0, "max": 7}],
 "spaces": [{"name": "device", "alignment": 16}],
 "streams": ["main", "side"],
 "values": [
  {"name": "x", "bytes": 64, "role": "input"},
  {"name": "y", "bytes": 64},
  {"name": "z", "bytes": "8*s"}],
 "ops": [
  {"name": "f", "reads": ["x"], "writes": ["y"]},
  {"name": "g", "kind": "slice", "of": "y", "at": 0, "to": "z"}],
 "order": [["f", "g"]],
 "keep_alive": [{"value": "x", "until": "g"}],
 "disjoint": [["x", "y"]],
 "fusions": [],
 "outputs": ["z"]})";

struct Case {
  const char *from, *to;  // what to replace by what
  const char* error;
};

void ExpectErrors(absl::Span<const Case> cases) {
  for (const Case& c : cases) {
    ASSERT_TRUE(absl::StrContains(kGood, c.from)) << c.from;
    const std::string text = absl::StrReplaceAll(kGood, {{c.from, c.to}});
    const absl::StatusOr<Graph> graph = ReadGraphJson(text);
    ASSERT_FALSE(graph.ok()) << c.to;
    EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument) << c.to;
    EXPECT_EQ(std::string(graph.status().message()), c.error);
  }
}

TEST(JsonGraphBad, TheGoodOneIsGood) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(kGood);
  EXPECT_TRUE(graph.ok()) << graph.status();
}

TEST(JsonGraphBad, Form) {
  ExpectErrors({
      {R"(1, "name": "g",)", R"(1, "name": "g", "nane": 1,)",
       R"(at /nane: unknown key "nane"; known are "format", "version", "name", "symbols", "spaces", "streams", "values", "ops", )"
       R"("order", "keep_alive", "disjoint", "fusions", "outputs", "attrs")"},
      {R"(1, "name": "g",)", R"(1, "name": "g", "name": "h",)", "at /name: the key occurs twice in its object"},
      {R"(1, "name": "g",)", R"(1, "name": 7,)", "at /name: must be a string, is an integer 7"},
      {"bufplan.graph", "bufplan.plan", R"(at /format: format "bufplan.plan", must be "bufplan.graph")"},
      {R"("version": 1)", R"("version": 2)", "at /version: version 2, must be 1"},
      {R"("version": 1)", R"("version": "1")", R"(at /version: must be an integer, is a string "1")"},
      {R"("fusions": [])", R"("fusions": {})", "at /fusions: must be an array, is an object"},
      {R"("fusions": [])", R"("fusions": null)", "at /fusions: must be an array, is null"},
      {R"("fusions": [])", R"("attrs": [])", "at /attrs: must be an object, is an array"},
      {R"(["main", "side"])", R"(["main", 2])", "at /streams/1: must be a string, is an integer 2"},
      {R"(["main", "side"])", R"(["main", ""])", "at /streams/1: a name has 0 bytes, must have 1..1024"},
      {R"("alignment": 16)", R"("alignment": 16.0)", "at /spaces/0/alignment: must be an integer, is a fraction 16.0"},
      {R"("alignment": 16)", R"("capacity": "1M")", R"(at /spaces/0/capacity: must be an integer, is a string "1M")"},
      {R"("alignment": 16)", R"("unified_with": ["host"])", R"(at /spaces/0/unified_with/0: unknown space "host")"},
      {R"("min": 0,)", "", R"(at /symbols/0: "min" is missing)"},
      {R"("max": 7)", R"("max": 1e3)", "at /symbols/0/max: must be an integer, is a fraction 1e3"},
      {R"({"name": "s",)", R"({"name": "",)", "at /symbols/0/name: a name has 0 bytes, must have 1..1024"},
  });
}

TEST(JsonGraphBad, Values) {
  ExpectErrors({
      {R"({"name": "y", "bytes": 64})", R"({"bytes": 64})", R"(at /values/1: "name" is missing)"},
      {R"({"name": "y", "bytes": 64})", R"({"name": "y"})", R"(at /values/1: "bytes" is missing)"},
      {R"({"name": "y", "bytes": 64})", R"("y")", R"(at /values/1: must be an object, is a string "y")"},
      {R"("y", "bytes": 64)", R"("y", "bytes": 6.4)",
       "at /values/1/bytes: must be an integer or an expression, is a fraction"},
      {R"("y", "bytes": 64)", R"("y", "bytes": 9223372036854775808)",
       "at /values/1/bytes: must be an integer or an expression, is an integer beyond 64 bits"},
      {R"("y", "bytes": 64)", R"("y", "bytes": null)",
       "at /values/1/bytes: must be an integer or an expression, is null"},
      {R"("role": "input")", R"("role": "inptu")",
       R"(at /values/0/role: "inptu" must be one of "transient", "input", "constant", "external", "variable")"},
      {R"("role": "input")", R"("space": "host")", R"(at /values/0/space: unknown space "host")"},
      {R"("role": "input")", R"("role": "input", "preserve": 1)",
       "at /values/0/preserve: must be true or false, is an integer 1"},
      {R"("role": "input")", R"("role": "input", "attrs": "a")", "at /values/0/attrs: must be an object, is a string"},
      {R"("role": "input")", R"("role": "input", "offset": null)", "at /values/0/offset: must be an integer, is null"},
      {R"({"name": "y", "bytes": 64})", R"({"name": "y", "bytes": 64, "size": 1})",
       R"(at /values/1/size: unknown key "size"; known are "name", "bytes", "role", "space", "alignment", "offset", "preserve", )"
       R"("writable", "attrs")"},
  });
}

TEST(JsonGraphBad, Ops) {
  ExpectErrors({
      {R"({"name": "f", "reads")", R"({"reads")", R"(at /ops/0: "name" is missing)"},
      {R"("kind": "slice")", R"("kind": "slise")",
       R"(at /ops/1/kind: "slise" must be one of "compute", "view", "slice", "clone", "update", "concat", "copy", "fill", )"
       R"("transfer", "commit", "barrier")"},
      {R"("kind": "slice", )", "", R"(at /ops/1/of: a compute has no "of")"},
      {R"("at": 0, )", "", R"(at /ops/1: "at" is missing; a slice needs it)"},
      {R"("kind": "slice", "of": "y",)", R"("kind": "slice", "of": "y", "from": "x",)",
       R"(at /ops/1/from: a slice has no "from")"},
      {R"("of": "y")", R"("of": "w")", R"(at /ops/1/of: unknown value "w")"},
      {R"("reads": ["x"])", R"("reads": "x")", R"(at /ops/0/reads: must be an array, is a string "x")"},
      {R"("reads": ["x"])", R"("reads": ["x", "q"])", R"(at /ops/0/reads/1: unknown value "q")"},
      {R"("reads": ["x"])", R"("reads": [{"region": {}}])", R"(at /ops/0/reads/0: "value" is missing)"},
      {R"("reads": ["x"])", R"("reads": [{"value": "x", "region": {"at": 0}}])",
       R"(at /ops/0/reads/0/region: "bytes" or "run" is missing)"},
      {R"("reads": ["x"])", R"("reads": [{"value": "x", "region": {"bytes": 8}}])",
       R"(at /ops/0/reads/0/region: "at" is missing)"},
      {R"("reads": ["x"])", R"("reads": [{"value": "x", "region": {"at": 0, "bytes": 8, "run": 8}}])",
       R"(at /ops/0/reads/0/region/run: "run" and "bytes" exclude each other)"},
      {R"("reads": ["x"])", R"("reads": [{"value": "x", "region": {"at": 0, "run": 8, "dims": [[2, 16], [2]]}}])",
       "at /ops/0/reads/0/region/dims/1: must be [count, stride], has 1 elements"},
      {R"("reads": ["x"])", R"("reads": [{"value": "x", "strides_ok": "yes"}])",
       R"(at /ops/0/reads/0/strides_ok: must be true or false, is a string "yes")"},
      {R"("writes": ["y"])", R"("writes": [{"value": "y", "cover": "some"}])",
       R"(at /ops/0/writes/0/cover: "some" must be one of "all", "part")"},
      {R"("writes": ["y"])", R"("writes": [{"value": "y", "in_place": ["x"]}])",
       R"(at /ops/0/writes/0/in_place/0: must be an object, is a string "x")"},
      {R"("writes": ["y"])", R"("writes": [{"value": "y", "in_place": [{"value": "x", "mode": "same"}]}])",
       R"(at /ops/0/writes/0/in_place/0/mode: "same" must be one of "same_index", "any")"},
      {R"("at": 0,)", R"("at": "8*t",)",
       R"x(at /ops/1/at: expression "8*t": )x"
       R"x(column 3, at "t": unknown symbol)x"},
      {R"("at": 0,)", R"("at": 0, "stream": "third",)", R"(at /ops/1/stream: unknown stream "third")"},
      {R"("at": 0,)", R"("at": 0, "elide": "maybe",)",
       R"(at /ops/1/elide: "maybe" must be one of "auto", "never", "must")"},
  });
}

TEST(JsonGraphBad, Constraints) {
  ExpectErrors({
      {R"([["f", "g"]])", R"([["f"]])", "at /order/0: must have 2 elements, has 1"},
      {R"([["f", "g"]])", R"([["f", "h"]])", R"(at /order/0/1: unknown op "h")"},
      {R"([["f", "g"]])", R"([{"before": "f"}])", "at /order/0: must be an array, is an object"},
      {R"("until": "g")", R"("until": "x")", R"(at /keep_alive/0/until: unknown op "x")"},
      {R"({"value": "x", "until": "g"})", R"({"value": "x"})", R"(at /keep_alive/0: "until" is missing)"},
      {R"([["x", "y"]])", R"([["x", 1]])", "at /disjoint/0/1: must be a string, is an integer 1"},
      {R"("outputs": ["z"])", R"("outputs": ["f"])", R"(at /outputs/0: unknown value "f")"},
      {R"("fusions": [])", R"("fusions": [{"name": "m"}])", R"(at /fusions/0: "ops" is missing)"},
      {R"("fusions": [])", R"("fusions": [{"name": "m", "ops": ["f", "h"]}])",
       R"(at /fusions/0/ops/1: unknown op "h")"},
      {R"("fusions": [])", R"("fusions": [{"name": "m", "ops": ["f"], "benefit": "much"}])",
       R"(at /fusions/0/benefit: must be a number, is a string "much")"},
      {R"("fusions": [])", R"("fusions": [{"name": "m", "ops": ["f"], "in_place": [{"value": "x"}]}])",
       R"(at /fusions/0/in_place/0: "result" is missing)"},
  });
}

// Faults of the graph itself come from GraphBuilder::Build; here it counts that the place is right.
TEST(JsonGraphBad, GraphFaultsHaveTheirPlace) {
  const struct {
    const char *from, *to, *where;
  } kCases[] = {
      {R"("y", "bytes": 64)", R"("y", "bytes": -4)", "at /values/1/bytes: value \"y\""},
      {R"({"name": "y",)", R"({"name": "x",)", "at /values/1/name: value \"x\": name is used twice"},
      {R"({"name": "g", "kind")", R"({"name": "f", "kind")", "at /ops/1/name: op \"f\""},
      {R"("main", "side")", R"("main", "main")", "at /streams/1: "},
      {R"("alignment": 16)", R"("alignment": 24)", "at /spaces/0/alignment: "},
      {R"("max": 7)", R"("max": -1)", "at /symbols/0"},
      {R"("reads": ["x"])", R"("reads": ["z"])", "at /ops/0/reads/0: "},
      {R"("at": 0,)", R"("at": 9,)", "at /ops/1"},
      {R"([["f", "g"]])", R"([["g", "f"]])", "at /order/0: "},
      {R"([["x", "y"]])", R"([["y", "y"]])", "at /disjoint/0: "},
  };
  for (const auto& c : kCases) {
    ASSERT_TRUE(absl::StrContains(kGood, c.from)) << c.from;
    const absl::StatusOr<Graph> graph = ReadGraphJson(absl::StrReplaceAll(kGood, {{c.from, c.to}}));
    ASSERT_FALSE(graph.ok()) << c.to;
    EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StartsWith(graph.status().message(), c.where)) << graph.status();
  }
}

TEST(JsonGraphBad, EveryTruncationIsRefusedWithLineAndColumn) {
  for (size_t size = 0; size < kGood.size(); ++size) {
    const absl::StatusOr<Graph> graph = ReadGraphJson(kGood.substr(0, size));
    ASSERT_FALSE(graph.ok()) << size;
    EXPECT_TRUE(absl::StartsWith(graph.status().message(), "line ")) << graph.status();
  }
}

TEST(JsonGraphBad, LongNamesAreRefusedShortly) {
  const std::string text = absl::StrReplaceAll(
      kGood, {{R"({"name": "y",)", absl::StrCat(R"({"name": ")", std::string(100000, 'y'), "\",")}});
  EXPECT_EQ(ReadGraphJson(text).status().message(), "at /values/1/name: a name has 100000 bytes, must have 1..1024");
}

}  // namespace
}  // namespace bufplan
