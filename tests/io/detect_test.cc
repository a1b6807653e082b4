#include "io/detect.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

TEST(Detect, ByContent) {
  EXPECT_EQ(DetectFormat(TestFile("examples/kv_step.json")).value(), FileFormat::kGraphJson);
  EXPECT_EQ(DetectFormat(TestFile("examples/intervals.json")).value(), FileFormat::kProblemJson);
  EXPECT_EQ(DetectFormat(TestFile("tests/data/ggml/resnet50_b1.json")).value(), FileFormat::kGgmlDump);
  EXPECT_EQ(DetectFormat("\n {\"x\": [], \"format\": \"bufplan.plan\", and so on").value(), FileFormat::kPlanJson);
  EXPECT_EQ(DetectFormat("id,lower,upper,size\n").value(), FileFormat::kProblemCsv);
  EXPECT_EQ(DetectFormat("\xEF\xBB\xBF"
                         "size, upper ,id\r\n")
                .value(),
            FileFormat::kProblemCsv);
  EXPECT_EQ(DetectFormat("\xEF\xBB\xBF{\"format\": \"bufplan.graph\"}").value(), FileFormat::kGraphJson);
}

TEST(Detect, MlirByWhatStandsFirst) {
  EXPECT_EQ(DetectFormat(TestFile("examples/iree/kv_decode_step.mlir")).value(), FileFormat::kIreeText);
  for (const char* text :
       {"module {", "module @m attributes {}", "builtin.module {", "util.func @f", "func @f()",
        "stream.executable private", "#map = affine_map<() -> ()>", "#a.b-c  =", "!t = i32", "\"builtin.module\"() ({",
        "// a\n\n  // b\n#x = 1", "// -----// IR Dump After X //----- //"}) {
    EXPECT_EQ(DetectFormat(text).value(), FileFormat::kIreeText) << text;
  }
  for (const char* text :
       {"modul {", "# a comment", "!", "a. b", ".a", "1.5", "\"a.b\"", "\"a\"(", "// only", "a,b.c\n", "-- a.b"}) {
    EXPECT_FALSE(DetectFormat(text).ok()) << text;
  }
  EXPECT_EQ(ToString(FileFormat::kIreeText), "IREE stream text");
}

TEST(Detect, SaysWhyNot) {
  const std::pair<absl::string_view, const char*> kCases[] = {
      {"", "line 1: the file is empty"},
      {" \n\t", "line 1: the file is empty"},
      {"hello",
       "line 1: neither JSON, which begins with '{', nor CSV, whose first line has the columns id, lower, upper, size, "
       "nor MLIR's text, which begins with an op, a module or an alias"},
      {"[1]", "at top level: must be an object"},
      {R"({"a": 1})",
       R"(at top level: "format" is missing, must be "bufplan.graph", "bufplan.plan", "bufplan.problem" or "ggml-graph")"},
      {R"({"format": "onnx"})",
       R"(at /format: unknown format "onnx", must be "bufplan.graph", "bufplan.plan", "bufplan.problem" or "ggml-graph")"},
      {"{\"a\": 1,\n",
       "line 2, column 1: syntax error while parsing object key - unexpected end of input; expected string literal"},
  };
  for (const auto& [text, error] : kCases) EXPECT_EQ(std::string(DetectFormat(text).status().message()), error);
}

}  // namespace
}  // namespace bufplan
