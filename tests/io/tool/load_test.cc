#include "io/tool/load.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string LoadError(FakeIo& fake, const std::string& path) {
  const absl::StatusOr<Input> input = LoadInput(path, {}, fake.io());
  EXPECT_EQ(input.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(input.status().message());
}

TEST(LoadTest, FormatsAreToldByContent) {
  FakeIo fake;
  fake.files["graph.txt"] = kKvStep;
  fake.files["-"] = kCsv;
  fake.files["problem"] = R"({"format": "bufplan.problem", "version": 1, "buffers": []})";
  EXPECT_EQ(LoadInput("graph.txt", {}, fake.io())->graph()->name(), "kv-step");
  EXPECT_EQ(LoadInput("-", {}, fake.io())->problem()->buffers.size(), 3u);
  EXPECT_EQ(LoadInput("problem", {}, fake.io())->format, FileFormat::kProblemJson);
}

TEST(LoadTest, SymbolsAreNarrowed) {
  FakeIo fake;
  const absl::StatusOr<Input> input = LoadInput("kv.json", {.symbols = {{"s", 17, 18}}}, fake.io());
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->graph()->symbols()[0].max, 18);
  EXPECT_THAT(std::string(LoadInput("p.csv", {.symbols = {{"s", 17, 18}}}, fake.io()).status().message()),
              HasSubstr("p.csv: is CSV, which has no symbols"));
}

TEST(LoadTest, ErrorsNameThePath) {
  FakeIo fake;
  fake.files["cut.json"] = std::string(kKvStep).substr(0, 200);
  fake.files["-"] = "";
  fake.files["plan.json"] = R"({"format": "bufplan.plan"})";
  EXPECT_THAT(LoadError(fake, "/no/such/file"), StartsWith("/no/such/file: cannot open: No such file"));
  EXPECT_THAT(LoadError(fake, "cut.json"), StartsWith("cut.json: line "));
  EXPECT_THAT(LoadError(fake, "-"), StartsWith("standard input: line 1"));
  EXPECT_THAT(LoadError(fake, "plan.json"), HasSubstr("is a plan, where a graph or a problem is needed"));
}

TEST(LoadTest, APlanOfTheGraph) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-", "--symbols", "s=3..9"}), 0) << fake.err();
  fake.files["plan.json"] = fake.out();
  const absl::StatusOr<PlannedInput> planned = LoadPlanned("kv.json", "plan.json", fake.io());
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_TRUE(planned->mismatch.ok());
  EXPECT_EQ(planned->input.graph()->symbols()[0].max, 9);  // as the plan's options say
  EXPECT_EQ(planned->plan.graph_name, "kv-step");
}

TEST(LoadTest, APlanOfAnotherGraph) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-", "--symbols", "s=3..9"}), 0) << fake.err();
  fake.files["plan.json"] = fake.out();
  fake.files["other.json"] = absl::StrReplaceAll(kKvStep, {{"33546240", "40000000"}});
  for (const std::string& other : {std::string("other.json"), std::string("chain.json")}) {
    const absl::StatusOr<PlannedInput> planned = LoadPlanned(other, "plan.json", fake.io());
    ASSERT_TRUE(planned.ok()) << planned.status();
    EXPECT_THAT(std::string(planned->mismatch.message()),
                HasSubstr("plan.json is the plan of another graph: \"kv-step\", fingerprint \""));
    EXPECT_THAT(std::string(planned->mismatch.message()), HasSubstr(absl::StrCat("; ", other, " is \"")));
  }
}

TEST(LoadTest, AProblemsPlanMayBeItsCsv) {
  FakeIo fake;
  fake.files["out.csv"] = "id,lower,upper,size,offset\nc,0,9,8,4\na,0,3,4,0\nb,3,9,4,0\n";
  const absl::StatusOr<PlannedInput> planned = LoadPlanned("p.csv", "out.csv", fake.io());
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_THAT(planned->problem_plan.plan.offsets, ::testing::ElementsAre(0, 0, 4));
  EXPECT_EQ(planned->problem_plan.plan.bytes, 12);
  const auto message = [&](const std::string& csv) {
    fake.files["out.csv"] = csv;
    return std::string(LoadPlanned("p.csv", "out.csv", fake.io()).status().message());
  };
  EXPECT_THAT(message(kCsv), HasSubstr("out.csv: has no offset for buffer \"a\""));
  EXPECT_THAT(message("id,lower,upper,size,offset\na,0,3,4,0\n"), HasSubstr("out.csv: has no row for buffer \"b\""));
  EXPECT_THAT(message("id,lower,upper,size,offset\nc,0,9,8,4\na,0,3,4,0\nb,3,9,4,0\nd,0,1,1,0\n"),
              HasSubstr("has 4 buffers, the problem has 3"));
  EXPECT_THAT(message("id,lower,upper,size,offset\nc,0,9,8,9223372036854775806\na,0,3,4,0\nb,3,9,4,0\n"),
              HasSubstr("out.csv: "));
}

TEST(LoadTest, SwappedAndUnfitArguments) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "chain.json", "-o", "-"}), 0) << fake.err();
  fake.files["plan.json"] = fake.out();
  const auto message = [&](const std::string& a, const std::string& b) {
    const absl::Status status = LoadPlanned(a, b, fake.io()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(message("plan.json", "chain.json"), HasSubstr("the graph comes first, then the plan"));
  EXPECT_THAT(message("chain.json", "p.csv"), HasSubstr("p.csv: is CSV, where a plan is needed"));
  EXPECT_THAT(message("plan.json", "plan.json"), HasSubstr("plan.json: is a plan, where a graph"));
  EXPECT_THAT(message("-", "-"), HasSubstr("only one of graph and plan"));
  fake.files["plan.json"] =
      absl::StrReplaceAll(fake.files["plan.json"], {{"\"chain\", ", "\"chain\", \"bogus\": 1, "}});
  EXPECT_THAT(message("chain.json", "plan.json"), StartsWith("plan.json: at /bogus: "));
}

TEST(LoadTest, SymbolsOfAPlanMustBeReadable) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-", "--symbols", "s=3..9"}), 0) << fake.err();
  fake.files["plan.json"] = absl::StrReplaceAll(fake.out(), {{"s=3..9", "s=9..3"}});
  EXPECT_THAT(std::string(LoadPlanned("kv.json", "plan.json", fake.io()).status().message()),
              StartsWith("plan.json: at /options/symbols: "));
}

}  // namespace
}  // namespace bufplan
