// Files whose bytes are fixed: the examples, which are canonical, and what an import gives. To rewrite all of them:
//   UPDATE_GOLDEN=1 bazel run //tests/io:golden_test
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/fingerprint.h"
#include "io/ggml.h"
#include "io/json_graph.h"
#include "io/json_problem.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

TEST(Golden, ExamplesAreCanonical) {
  for (absl::string_view name : {"concat", "fork_join", "fusion", "kv_sink", "kv_step", "late_slice", "relu_chain",
                                 "residual", "sizes", "streams", "strided_copy", "transformer_block"}) {
    const std::string path = absl::StrCat("examples/", name, ".json");
    const absl::StatusOr<Graph> graph = ReadGraphJson(TestFile(path));
    ASSERT_TRUE(graph.ok()) << path << ": " << graph.status();
    ExpectGolden(path, WriteGraphJson(*graph));
  }
  const absl::StatusOr<Problem> problem = ReadProblemJson(TestFile("examples/intervals.json"));
  ASSERT_TRUE(problem.ok()) << problem.status();
  ExpectGolden("examples/intervals.json", WriteProblemJson(*problem));
}

// One line per file in place of the graphs themselves, which are large.
TEST(Golden, GgmlImports) {
  std::string lines;
  for (absl::string_view name :
       {"llama7b_decode", "llama7b_prefill512", "llama7b_prefill512_last", "llama8b_gqa_decode",
        "llama8b_gqa_prefill512_fa", "moe64_decode_fa", "moe64_prefill2048_fa_last", "moe64_prefill512_fa",
        "moe8x7b_decode", "resnet50_b1", "unet_64", "whisper_small_enc"}) {
    const absl::StatusOr<Graph> graph = ReadGgmlGraph(TestFile(absl::StrCat("tests/data/ggml/", name, ".json")));
    ASSERT_TRUE(graph.ok()) << name << ": " << graph.status();
    absl::StrAppend(&lines, Fingerprint(*graph), "  ", graph->values().size(), " values  ", graph->ops().size(),
                    " ops  ", name, "\n");
  }
  ExpectGolden("tests/io/golden/ggml_imports.txt", lines);
}

TEST(Golden, GgmlImportOfTheSmallDump) {
  const absl::StatusOr<Graph> graph = ReadGgmlGraph(TestFile("tests/io/golden/small_ggml.json"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  ExpectGolden("tests/io/golden/small_ggml.graph.json", WriteGraphJson(*graph));
}

}  // namespace
}  // namespace bufplan
