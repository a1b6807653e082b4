// The tool on IREE's stream text, from dump to plan.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/iree_sample.h"
#include "tests/io/test_files.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kSteps[] = "_global_seq_step.global=0..4094";

// A plan of the decode step moves nothing and needs no byte beside the caches, at every step.
TEST(IreeToolTest, TheCachesOfADecodeStepAreUpdatedInPlace) {
  FakeIo fake;
  fake.files["kv.mlir"] = TestFile("examples/iree/kv_decode_step.mlir");
  ASSERT_EQ(fake.Run({"plan", "kv.mlir", "-o", "-", "--symbols", kSteps}), 0) << fake.err();
  EXPECT_THAT(fake.err(), HasSubstr("copies kept    0 (0 bytes copied)"));
  EXPECT_THAT(fake.err(), HasSubstr("device      0  0 B"));
  fake.files["plan.json"] = fake.out();
  ASSERT_EQ(fake.Run({"check", "kv.mlir", "plan.json"}), 0) << fake.out() << fake.err();
  for (const char* step : {"0", "1", "2", "4094"}) {
    EXPECT_EQ(fake.Run({"check", "kv.mlir", "plan.json", "--symbols", absl::StrCat("_global_seq_step.global=", step)}),
              0)
        << step << fake.out();
  }
  EXPECT_EQ(fake.Run({"explain", "kv.mlir", "plan.json", "%key_row"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("@_global_key.global"));
}

// What the last kernel takes out of %all is %row, which lies in the cache already.
TEST(IreeToolTest, ARowThatAKernelTakesBackIsForwarded) {
  FakeIo fake;
  fake.files["memcpy.mlir"] = TestFile("examples/iree/slow_memcpy.mlir");
  ASSERT_EQ(fake.Run({"plan", "memcpy.mlir", "-o", "-", "--symbols", kSteps}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("\"name\": \"%taken\", \"in\": \"@_global_cache.global\", \"offset\": "
                                    "\"8192*_global_seq_step.global\""));
  EXPECT_THAT(fake.err(), HasSubstr("copies kept    2 (33,546,240 bytes copied)"));
  fake.files["plan.json"] = fake.out();
  ASSERT_EQ(fake.Run({"check", "memcpy.mlir", "plan.json"}), 0) << fake.out() << fake.err();
  ASSERT_EQ(fake.Run({"explain", "memcpy.mlir", "plan.json"}), 0) << fake.err();
  EXPECT_THAT(fake.out(),
              HasSubstr("copies: 2 kept (33,546,240 of 67,092,480 bytes), 4 elided (100,638,720 bytes not moved)\n"));
  EXPECT_THAT(fake.out(), HasSubstr("8,192  the same bytes are there already, those of %row\n"));
  ASSERT_EQ(fake.Run({"explain", "memcpy.mlir", "plan.json", "%taken"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("  why there: where the same bytes are already\n"));
  ASSERT_EQ(fake.Run({"explain", "memcpy.mlir", "plan.json", "%row"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("written straight to where \"%taken\" lies, which has the same content"));
}

TEST(IreeToolTest, DumpsBecomeGraphJson) {
  FakeIo fake;
  fake.files["kv.mlir"] = TestFile("examples/iree/kv_decode_step.mlir");
  ASSERT_EQ(fake.Run({"convert", "kv.mlir", "-", "--symbols", kSteps}), 0) << fake.err();
  EXPECT_THAT(fake.out(), StartsWith(R"({"format": "bufplan.graph", "version": 1, "name": "decode_step")"));
}

TEST(IreeToolTest, ErrorsBeginWithFileLineAndColumn) {
  FakeIo fake;
  fake.files["a.mlir"] =
      IreeFunctionText("%r = stream.async.clone %z : !stream.resource<*>{%c4} -> !stream.resource<*>{%c4}");
  EXPECT_EQ(fake.Run({"plan", "a.mlir"}), 2);
  EXPECT_EQ(fake.err(), "bufplan: a.mlir:10:25: stream.async.clone: %z is not defined here\n");
  fake.files["none.mlir"] = "module {\n}\n";
  EXPECT_EQ(fake.Run({"plan", "none.mlir"}), 2);
  EXPECT_THAT(fake.err(), StartsWith("bufplan: none.mlir:1:1: the file has no function over !stream.resource"));
  EXPECT_EQ(fake.Run({"plan", "kv.json", "--function", "f"}), 2);
  EXPECT_EQ(fake.err(), "bufplan: kv.json: is bufplan.graph, which has no functions\n");
}

// Which function was read is a warning, and stands in the plan where it was asked for.
TEST(IreeToolTest, AFunctionOfSeveral) {
  FakeIo fake;
  const std::string one =
      "util.func @one(%x: !stream.resource<*>) { %c = arith.constant 8 : index\n"
      "%r = stream.async.clone %x : !stream.resource<*>{%c} -> !stream.resource<*>{%c}\n"
      "util.return %r : !stream.resource<*>\n}\n";
  std::string two = one;
  two.replace(two.find("@one"), 4, "@two");
  fake.files["a.mlir"] = one + two;
  ASSERT_EQ(fake.Run({"plan", "a.mlir"}), 0) << fake.err();
  EXPECT_EQ(fake.err(), "bufplan: warning: a.mlir:1:11: read @one, not @two; --function NAME reads another one\n");
  ASSERT_EQ(fake.Run({"plan", "a.mlir", "--function", "two", "-o", "-"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("\"function\": \"two\""));
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"check", "a.mlir", "plan.json"}), 0) << fake.out() << fake.err();
}

}  // namespace
}  // namespace bufplan
