#include "io/ggml.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"
#include "tests/io/ggml_dump_maker.h"
#include "tests/io/graph_equal.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

// The lines of the graph's ops, without attributes.
std::vector<std::string> OpLines(const GgmlDump& dump) {
  const absl::StatusOr<Graph> graph = GraphOfGgmlDump(dump);
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return {};
  std::vector<std::string> lines;
  bool in_ops = false;
  const std::string text = WriteGraphJson(*graph, {.attrs = false});
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line == " \"ops\": [") {
      in_ops = true;
    } else if (in_ops && line.substr(0, 2) == "  ") {
      lines.emplace_back(line.substr(2, line.rfind('}') - 1));
    } else if (in_ops) {
      lines.emplace_back(line);
      break;
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Ggml, ACacheIsWrittenInPlaceAndCommitted) {
  DumpMaker m;
  const int32_t cache = m.AddLeaf("cache", GgmlBuffer::kKvCache, 4096);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 256);
  const int32_t past = m.AddView("VIEW", "past", cache, 0, 512, {cache});
  const int32_t slot = m.AddView("VIEW", "slot", cache, 512, 256, {cache});
  m.AddView("CPY", "cpy", cache, 512, 256, {x, slot});
  const int32_t all = m.AddView("VIEW", "all", cache, 0, 768, {cache});
  const int32_t y = m.AddNode("MUL_MAT", "y", 64, {past, all});
  m.at(y).output = true;
  EXPECT_EQ(
      OpLines(m.dump),
      (Lines{
          R"({"name": "past", "kind": "view", "of": "cache", "at": 0, "to": "past"})",
          R"({"name": "slot", "kind": "view", "of": "cache", "at": 512, "to": "slot"})",
          R"({"name": "cpy", "reads": ["x"], "writes": [{"value": "cpy", "base": "cache", "region": {"at": 512, "bytes": 256}}]})",
          R"({"name": "all", "kind": "view", "of": "cpy", "at": 0, "to": "all"})",
          R"({"name": "past@4", "kind": "view", "of": "cpy", "at": 0, "to": "past@4"})",
          R"({"name": "y", "reads": ["past@4", "all"], "writes": ["y"]})",
          R"({"name": "commit cache", "kind": "commit", "from": "cpy", "to": "cache"})", R"( "outputs": ["y"]})"}));
}

TEST(Ggml, WritesFollowTheStridesOfTheirView) {
  DumpMaker m;
  const int32_t cache = m.AddLeaf("cache", GgmlBuffer::kKvCache, 4096);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  // 8 columns of 2 elements, 512 bytes apart: a transposed cache.
  const int32_t cpy = m.AddView("CPY", "cpy", cache, 32, 7 * 512 + 4, {x});
  m.at(cpy).dtype = "f16";
  m.at(cpy).ne = {2, 8, 1, 1};
  m.at(cpy).nb = {2, 512, 4096, 4096};
  // The same bytes with the dimensions exchanged.
  const int32_t permuted = m.AddView("CPY", "permuted", cache, 32, 7 * 512 + 4, {x});
  m.at(permuted).dtype = "f16";
  m.at(permuted).ne = {8, 2, 1, 1};
  m.at(permuted).nb = {512, 2, 4096, 4096};
  // Rows of blocks.
  const int32_t blocks = m.AddView("CPY", "blocks", cache, 0, 3 * 1024 + 68, {x});
  m.at(blocks).dtype = "q8_0";
  m.at(blocks).ne = {64, 4, 1, 1};
  m.at(blocks).nb = {34, 1024, 4096, 4096};
  // Strides that do not add up to the bytes spanned: some bytes of the span.
  const int32_t odd = m.AddView("CPY", "odd", cache, 0, 100, {x});
  m.at(odd).ne = {4, 4, 1, 1};
  m.at(odd).nb = {4, 8, 32, 32};
  EXPECT_EQ(
      OpLines(m.dump),
      (Lines{
          R"({"name": "cpy", "reads": ["x"], "writes": [{"value": "cpy", "base": "cache", "region": {"at": 32, "run": 4, "dims": [[8, 512]]}}]})",
          R"({"name": "permuted", "reads": ["x"], "writes": [{"value": "permuted", "base": "cpy", "region": {"at": 32, "run": 4, "dims": [[8, 512]]}}]})",
          R"({"name": "blocks", "reads": ["x"], "writes": [{"value": "blocks", "base": "permuted", "region": {"at": 0, "run": 68, "dims": [[4, 1024]]}}]})",
          R"({"name": "odd", "reads": ["x"], "writes": [{"value": "odd", "base": "blocks", "region": {"at": 0, "bytes": 100}, "cover": "part"}]})",
          R"({"name": "commit cache", "kind": "commit", "from": "odd", "to": "cache"})", R"( "outputs": []})"}));
}

TEST(Ggml, AnOpThatWritesItsOwnOperandReadsTheRoot) {
  DumpMaker m;
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t sum = m.AddNode("SUM_ROWS", "sum", 64, {x});
  const int32_t clamp = m.AddView("CLAMP", "clamp", sum, 0, 64, {sum});
  const int32_t scale = m.AddView("SCALE", "scale", sum, 16, 32, {clamp});
  m.at(scale).can_inplace = true;
  const int32_t y = m.AddNode("DIV", "y", 64, {sum, clamp, scale});
  m.at(y).can_inplace = true;
  EXPECT_EQ(
      OpLines(m.dump),
      (Lines{
          R"({"name": "sum", "reads": ["x"], "writes": ["sum"]})",
          R"({"name": "clamp", "reads": ["sum"], "writes": [{"value": "clamp", "base": "sum", "in_place": [{"value": "sum", "mode": "same_index"}]}]})",
          R"({"name": "scale", "reads": ["clamp"], "writes": [{"value": "scale", "base": "clamp", "region": {"at": 16, "bytes": 32}, "in_place": [{"value": "clamp", "mode": "any"}]}]})",
          R"({"name": "scale@3", "kind": "view", "of": "scale", "at": 16, "to": "scale@3"})",
          R"({"name": "y", "reads": ["scale", "scale@3"], "writes": [{"value": "y", "in_place": [{"value": "scale", "mode": "same_index"}]}]})",
          R"( "outputs": ["y"]})"}));
}

TEST(Ggml, SetRowsWritesAPart) {
  DumpMaker m;
  const int32_t cache = m.AddLeaf("cache", GgmlBuffer::kKvCache, 4096);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t rows = m.AddLeaf("rows", GgmlBuffer::kCompute, 8);
  m.AddView("SET_ROWS", "set", cache, 0, 4096, {x, rows, cache});
  EXPECT_EQ(
      OpLines(m.dump),
      (Lines{
          R"({"name": "set", "reads": ["x", "rows"], "writes": [{"value": "set", "base": "cache", "cover": "part"}]})",
          R"({"name": "commit cache", "kind": "commit", "from": "set", "to": "cache"})", R"( "outputs": []})"}));
}

TEST(Ggml, InPlaceIsForOperandsOfTheSameLayout) {
  DumpMaker m;
  const int32_t w = m.AddLeaf("w", GgmlBuffer::kWeight, 64);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  const int32_t other = m.AddLeaf("other", GgmlBuffer::kCompute, 64);
  m.at(other).dtype = "i32";
  const int32_t view = m.AddView("RESHAPE", "view", x, 0, 64, {x});
  const int32_t y = m.AddNode("MUL", "y", 64, {view, w, other, view});
  m.at(y).can_inplace = true;
  EXPECT_EQ(
      OpLines(m.dump),
      (Lines{
          R"({"name": "view", "kind": "view", "of": "x", "at": 0, "to": "view"})",
          R"({"name": "y", "reads": ["view", "w", "other"], "writes": [{"value": "y", "in_place": [{"value": "view", "mode": "same_index"}]}]})",
          R"( "outputs": ["y"]})"}));
}

TEST(Ggml, NamesBecomeUnique) {
  DumpMaker m;
  const int32_t x = m.AddLeaf("same", GgmlBuffer::kCompute, 64);
  const int32_t a = m.AddNode("RELU", "same", 64, {x});
  const int32_t b = m.AddNode("RELU", "", 64, {a});
  m.AddNode("CPY", "RELU_2", 64, {b, b + 1});  // ggml lists a new tensor as its own destination.
  EXPECT_EQ(OpLines(m.dump),
            (Lines{R"({"name": "RELU_1", "reads": ["same"], "writes": ["RELU_1"]})",
                   R"({"name": "RELU_2", "reads": ["RELU_1"], "writes": ["RELU_2"]})",
                   R"({"name": "CPY_3", "reads": ["RELU_2"], "writes": ["CPY_3"]})", R"( "outputs": ["CPY_3"]})"}));
}

TEST(Ggml, RolesAndOutputs) {
  DumpMaker m;
  const int32_t w = m.AddLeaf("w", GgmlBuffer::kWeight, 64);
  const int32_t trained = m.AddLeaf("trained", GgmlBuffer::kWeight, 64);
  const int32_t x = m.AddLeaf("x", GgmlBuffer::kCompute, 64);
  m.AddLeaf("unused", GgmlBuffer::kKvCache, 64);
  const int32_t y = m.AddNode("MUL_MAT", "y", 64, {w, x});
  m.at(y).output = true;
  m.AddView("CPY", "step", trained, 0, 64, {y});
  m.AddView("SCALE", "last", y, 0, 64, {y});  // Nobody reads y any more: its newest version is a result.
  const absl::StatusOr<Graph> graph = GraphOfGgmlDump(m.dump);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto role = [&](absl::string_view name) { return graph->value(*graph->FindValue(name)).role; };
  EXPECT_EQ(role("w"), Role::kConstant);
  EXPECT_EQ(role("trained"), Role::kVariable);
  EXPECT_EQ(role("x"), Role::kInput);
  EXPECT_EQ(role("unused"), Role::kVariable);
  EXPECT_FALSE(graph->commit_to(*graph->FindValue("unused")).has_value());
  EXPECT_TRUE(graph->commit_to(*graph->FindValue("trained")).has_value());
  ASSERT_EQ(graph->outputs().size(), 1u);
  EXPECT_EQ(graph->name(graph->outputs()[0]), "last");
  EXPECT_EQ(graph->space(SpaceId(0)).alignment_bytes, 128);
  EXPECT_EQ(graph->attrs_json(*graph->FindOp("last")), R"({"ggml_id": 6, "ggml_op": "SCALE"})");
}

TEST(Ggml, AllDumpsBecomeGraphs) {
  const struct {
    absl::string_view name;
    size_t nodes, commits;
  } kFiles[] = {{"llama7b_decode", 1060, 64},
                {"llama7b_prefill512", 1060, 64},
                {"llama7b_prefill512_last", 1062, 64},
                {"llama8b_gqa_decode", 1060, 64},
                {"llama8b_gqa_prefill512_fa", 901, 64},
                {"moe64_decode_fa", 965, 32},
                {"moe64_prefill2048_fa_last", 967, 32},
                {"moe64_prefill512_fa", 965, 32},
                {"moe8x7b_decode", 1572, 64},
                {"resnet50_b1", 495, 0},
                {"unet_64", 745, 0},
                {"whisper_small_enc", 416, 0}};
  for (const auto& f : kFiles) {
    const std::string text = TestFile(absl::StrCat("tests/data/ggml/", f.name, ".json"));
    const absl::StatusOr<GgmlDump> dump = ReadGgmlDump(text);
    ASSERT_TRUE(dump.ok()) << f.name << ": " << dump.status();
    EXPECT_EQ(dump->tensors.size() - dump->num_leafs, f.nodes) << f.name;
    EXPECT_GE(dump->buffer_size_bytes, dump->peak_live_bytes) << f.name;
    const absl::StatusOr<Graph> graph = ReadGgmlGraph(text);
    ASSERT_TRUE(graph.ok()) << f.name << ": " << graph.status();
    EXPECT_EQ(graph->ops().size(), f.nodes + f.commits) << f.name;
    EXPECT_EQ(graph->outputs().size(), 1u) << f.name;
    const absl::StatusOr<Graph> again = ReadGraphJson(WriteGraphJson(*graph));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(GraphDifference(*graph, *again), "") << f.name;
  }
}

}  // namespace
}  // namespace bufplan
