// The tool on dumps of ggml graphs and their regions.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/test_files.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct GgmlToolTest : testing::Test {
  FakeIo fake;
  GgmlToolTest() { fake.files["dump.json"] = TestFile("tests/io/golden/small_ggml.json"); }
};

TEST_F(GgmlToolTest, ConvertWritesWhatTheRegionsBecome) {
  const auto convert = [&](const std::string& mode) {
    EXPECT_EQ(fake.Run({"convert", "dump.json", "-", absl::StrCat("--regions=", mode)}), 0) << fake.err();
    return fake.out();
  };
  EXPECT_THAT(convert("keep"), HasSubstr(R"({"value": "h", "until": "attn"})"));
  EXPECT_THAT(fake.out(), HasSubstr(R"("streams": ["main"])"));
  EXPECT_THAT(convert("fuse"), HasSubstr(R"({"name": "topk_moe o", "ops": ["attn", "CLAMP_17", "o"]})"));
  EXPECT_THAT(convert("streams"), HasSubstr(R"("streams": ["main", "branch1", "branch2"])"));
  EXPECT_THAT(fake.out(), HasSubstr(R"x(["cache_v (view)", "cache_v (write)"])x"));
  ASSERT_EQ(fake.Run({"convert", "dump.json", "-"}), 0) << fake.err();
  EXPECT_EQ(fake.out(), TestFile("tests/io/golden/small_ggml.graph.json"));
}

TEST_F(GgmlToolTest, APlanSaysWithWhichRegionsItWasMade) {
  for (const std::string mode : {"keep", "fuse", "streams"}) {
    ASSERT_EQ(fake.Run({"plan", "dump.json", "-o", "-", "--regions", mode}), 0) << fake.err();
    EXPECT_THAT(fake.out(), HasSubstr(absl::StrCat("\"regions\": \"", mode, "\"")));
    fake.files["plan.json"] = fake.out();
    EXPECT_EQ(fake.Run({"check", "dump.json", "plan.json"}), 0) << fake.out() << fake.err();
    EXPECT_EQ(fake.Run({"check", "dump.json", "plan.json", "--regions", mode}), 0) << fake.out() << fake.err();
    EXPECT_EQ(fake.Run({"explain", "dump.json", "plan.json", "h"}), 0) << fake.err();
    EXPECT_EQ(fake.Run({"explain", "dump.json", "plan.json", "h", "--regions", mode}), 0) << fake.err();
    ASSERT_EQ(fake.Run({"convert", "dump.json", "-", "--regions", mode}), 0) << fake.err();
    fake.files["converted.json"] = fake.out();
    EXPECT_EQ(fake.Run({"check", "converted.json", "plan.json"}), 0) << fake.out() << fake.err();
    const std::string other = mode == "keep" ? "fuse" : "keep";
    EXPECT_EQ(fake.Run({"check", "dump.json", "plan.json", "--regions", other}), 1);
    EXPECT_THAT(fake.out(), HasSubstr("plan.json is the plan of another graph"));
    EXPECT_EQ(fake.Run({"explain", "dump.json", "plan.json", "--regions", other}), 1);
  }
  fake.files["plan.json"] = absl::StrReplaceAll(fake.files["plan.json"], {{"\"streams\"", "\"stream\""}});
  EXPECT_EQ(fake.Run({"check", "dump.json", "plan.json"}), 2);
  EXPECT_EQ(fake.err(),
            "bufplan: plan.json: at /options/regions: \"stream\" is none of keep, fuse, streams; did you mean "
            "\"streams\"?\n");
}

TEST_F(GgmlToolTest, OnlyDumpsHaveRegions) {
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-"}), 0) << fake.err();
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"plan", "kv.json", "--regions", "keep"}), 2);
  EXPECT_EQ(fake.err(), "bufplan: kv.json: is bufplan.graph, which has no regions; only a ggml dump has\n");
  EXPECT_EQ(fake.Run({"convert", "p.csv", "-", "--regions", "keep"}), 2);
  EXPECT_EQ(fake.err(), "bufplan: p.csv: is CSV, which has no regions; only a ggml dump has\n");
  EXPECT_EQ(fake.Run({"check", "kv.json", "plan.json", "--regions", "fuse"}), 2);
  EXPECT_THAT(fake.err(), StartsWith("bufplan: kv.json: is bufplan.graph, which has no regions"));
  EXPECT_EQ(fake.Run({"explain", "kv.json", "plan.json", "--regions", "streams"}), 2);
  EXPECT_THAT(fake.err(), StartsWith("bufplan: kv.json: is bufplan.graph, which has no regions"));
  fake.files["out.csv"] = "id,lower,upper,size,offset\nc,0,9,8,4\na,0,3,4,0\nb,3,9,4,0\n";
  EXPECT_EQ(fake.Run({"check", "p.csv", "out.csv", "--regions", "streams"}), 2);
  EXPECT_THAT(fake.err(), StartsWith("bufplan: p.csv: is CSV, which has no regions"));
}

TEST_F(GgmlToolTest, TheModeIsOneOfThree) {
  ASSERT_EQ(fake.Run({"plan", "dump.json", "-o", "-"}), 0) << fake.err();
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"plan", "dump.json", "--regions", "fused"}), 2);
  EXPECT_EQ(fake.err(),
            "bufplan: option --regions: \"fused\" is none of keep, fuse, streams; did you mean \"fuse\"?\n");
  EXPECT_EQ(fake.Run({"convert", "dump.json", "-", "--regions", "ignore"}), 2);
  EXPECT_THAT(fake.err(), StartsWith("bufplan: option --regions: \"ignore\" is none of keep, fuse, streams"));
  EXPECT_EQ(fake.Run({"check", "dump.json", "plan.json", "--regions="}), 2);
  EXPECT_EQ(fake.Run({"explain", "dump.json", "plan.json", "--regions", "Keep"}), 2);
  for (const char* command : {"plan", "check", "explain", "convert"}) {
    EXPECT_EQ(fake.Run({command, "--help"}), 0);
    EXPECT_THAT(fake.out(), HasSubstr("[--regions MODE]"));
    EXPECT_THAT(fake.out(), HasSubstr("ggml dump"));
  }
}

}  // namespace
}  // namespace bufplan
