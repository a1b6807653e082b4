#include "io/ggml_dump.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

constexpr absl::string_view kGood = R"({"format": "ggml-graph", "version": 1, "ggml_commit": "abc", "name": "mini",
"description": "two tensors", "params": {"n": 1}, "alignment": 32,
"allocator": {"buffer_size": 96, "buffer_size_align32": 96, "reserve_us_median": 1.5, "reserve_us_first": 2, "alloc_us": 0.1},
"stats": {"n_nodes": 2, "peak_live": 64},
"leafs": [
{"id": 0, "op": "NONE", "name": "x", "dtype": "f32", "ne": [8, 1], "nb": [4, 32], "nbytes": 32, "src": [], "flags": ["input"], "buffer": "compute", "offset": 0, "size": 32}],
"nodes": [
{"id": 1, "step": 0, "op": "RELU", "name": "y", "dtype": "f32", "ne": [8, 1], "nb": [4, 32], "nbytes": 32, "src": [0], "can_inplace": true, "buffer": "compute", "offset": 0, "size": 32, "inplace_of": 0},
{"id": 2, "step": 1, "op": "VIEW", "name": "v", "dtype": "f32", "ne": [4, 1], "nb": [4, 16], "nbytes": 16, "src": [1], "view_src": 1, "view_offs": 16, "flags": ["output"], "buffer": "compute"}],
"keep_regions": [{"kind": "glu_pair", "until": 2, "keep": [0, 1], "elide": [1]}]})";

TEST(GgmlDump, ReadsAllFields) {
  const absl::StatusOr<GgmlDump> dump = ReadGgmlDump(kGood);
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(dump->commit, "abc");
  EXPECT_EQ(dump->name, "mini");
  EXPECT_EQ(dump->description, "two tensors");
  EXPECT_EQ(dump->alignment_bytes, 32);
  EXPECT_EQ(dump->buffer_size_bytes, 96);
  EXPECT_EQ(dump->peak_live_bytes, 64);
  ASSERT_EQ(dump->tensors.size(), 3u);
  EXPECT_EQ(dump->num_leafs, 1u);
  const GgmlTensor& y = dump->tensors[1];
  EXPECT_EQ(y.op, "RELU");
  EXPECT_EQ(y.ne, (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(y.nb, (std::vector<int64_t>{4, 32}));
  EXPECT_EQ(y.src, (std::vector<int32_t>{0}));
  EXPECT_TRUE(y.can_inplace);
  EXPECT_FALSE(y.output);
  const GgmlTensor& v = dump->tensors[2];
  EXPECT_EQ(v.step, 1);
  EXPECT_EQ(v.view_src, 1);
  EXPECT_EQ(v.view_offs, 16);
  EXPECT_TRUE(v.output);
  ASSERT_EQ(dump->regions.size(), 1u);
  EXPECT_EQ(ToString(dump->regions[0].kind), "glu_pair");
  EXPECT_EQ(dump->regions[0].until, 2);
  EXPECT_EQ(dump->regions[0].keep, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(dump->regions[0].elide, (std::vector<int32_t>{1}));
}

TEST(GgmlDump, RefusesWithAPointer) {
  const struct {
    const char *from, *to, *error;
  } kCases[] = {
      {"ggml-graph", "bufplan.graph", R"(at /format: format "bufplan.graph", must be "ggml-graph")"},
      {R"("alignment": 32,)", "", R"(at top level: "alignment" is missing)"},
      {R"("src": [0])", R"("src": [7])", "at /nodes/0/src/0: no tensor up to here has id 7"},
      {R"("src": [0])", R"("src": [2])", "at /nodes/0/src/0: no tensor up to here has id 2"},
      {R"("src": [0])", R"("src": ["x"])", R"(at /nodes/0/src/0: must be an integer, is a string "x")"},
      {R"("id": 2,)", R"("id": 1,)", "at /nodes/1/id: another tensor has id 1"},
      {R"("view_src": 1)", R"("view_src": 2)", "at /nodes/1/view_src: tensor 2 is itself a view, must be a root"},
      {R"("view_offs": 16)", R"("view_offs": 17)",
       "at /nodes/1: tensor 2: view_offs=17 and nbytes=16 exceed the 32 bytes of tensor 1"},
      {R"("view_offs": 16)", R"("view_offs": 9223372036854775807)",
       "at /nodes/1: tensor 2: view_offs=9223372036854775807 and nbytes=16 exceed the 32 bytes of tensor 1"},
      {R"("view_offs": 16)", R"("view_offs": -1)", "at /nodes/1/view_offs: -1, must be >= 0"},
      {R"("nbytes": 16)", R"("nbytes": 16.5)", "at /nodes/1/nbytes: must be an integer, is a fraction 16.5"},
      {R"("ne": [4, 1])", R"("ne": [4])", "at /nodes/1/nb: has 2 dimensions, ne has 1"},
      {R"("ne": [4, 1])", R"("ne": [])", "at /nodes/1/ne: has 0 dimensions, must have 1..16"},
      {R"("ne": [4, 1])", R"("ne": [-4, 1])", "at /nodes/1/ne/0: -4, must be >= 0"},
      {R"("flags": ["output"])", R"("flags": ["out"])",
       R"(at /nodes/1/flags/0: "out" must be one of "input", "output", "param")"},
      {R"("buffer": "compute"}],
"keep)",
       R"("buffer": "gpu"}],
"keep)",
       R"(at /nodes/1/buffer: "gpu" must be one of "weight", "kv_cache", "compute")"},
      {R"("kind": "glu_pair")", R"("kind": "glu")",
       R"(at /keep_regions/0/kind: "glu" must be one of "qkv_streams", "glu_pair", "topk_moe", "moe_reduce")"},
      {R"("until": 2)", R"("until": 7)", "at /keep_regions/0/until: no tensor up to here has id 7"},
      {R"("until": 2)", R"("until": 0)", "at /keep_regions/0/until: tensor 0 is a leaf, must be a node"},
      {R"("until": 2, )", "", R"(at /keep_regions/0: "until" is missing)"},
      {R"("keep": [0, 1])", R"("keep": [9])", "at /keep_regions/0/keep/0: no tensor up to here has id 9"},
      {R"("until": 2, "keep": [0, 1])", R"("until": 1, "keep": [0, 2])",
       "at /keep_regions/0/keep/1: tensor 2 comes too late: the region ends at tensor 1"},
      {R"("keep": [0, 1], "elide": [1])", R"("keep": [0, 1])", R"(at /keep_regions/0: "elide" is missing)"},
      {R"("elide": [1])", R"("elide": ["y"])", R"(at /keep_regions/0/elide/0: must be an integer, is a string "y")"},
      {R"("elide": [1])", R"("elide": [0])", "at /keep_regions/0/elide/0: tensor 0 is a leaf, must be a node"},
      {R"("elide": [1])", R"("elide": [1, 2])",
       "at /keep_regions/0/elide/1: tensor 2 comes too late: the region ends at tensor 2"},
      {R"("flags": ["input"], "buffer": "compute")", R"("buffer": "kv_cache")",
       R"(at /keep_regions/0/keep/0: tensor 0 is in buffer "kv_cache", must be in "compute")"},
      {R"("dtype": "f32", "ne": [4, 1])", R"("type": "f32", "ne": [4, 1])",
       R"(at /nodes/1/type: unknown key "type"; known are "id", "step", "op", "name", "dtype", "ne", "nb", "nbytes", "src", )"
       R"("view_src", "view_offs", "flags", "can_inplace", "buffer", "offset", "size", "inplace_of")"},
  };
  for (const auto& c : kCases) {
    ASSERT_TRUE(absl::StrContains(kGood, c.from)) << c.from;
    const absl::StatusOr<GgmlDump> dump = ReadGgmlDump(absl::StrReplaceAll(kGood, {{c.from, c.to}}));
    ASSERT_FALSE(dump.ok()) << c.to;
    EXPECT_EQ(std::string(dump.status().message()), c.error);
  }
}

}  // namespace
}  // namespace bufplan
