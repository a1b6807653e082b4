#include "io/tool/command_line.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr OptionSpec kOptions[] = {{"-o", "FILE", "where to"}, {"--count", "N", "how many"}, {"--json", "", "as JSON"}};
const CommandSpec kSpec = {"make", "IN [MORE]", 1, 2, "makes it", "Makes it well.\n", kOptions};

using Words = std::vector<std::string>;

std::string ErrorOf(const Words& words) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(kSpec, words);
  if (line.ok()) return "no error";
  EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::EndsWith(line.status().message(), "\nsee: bufplan make --help")) << line.status();
  return std::string(line.status().message().substr(0, line.status().message().find('\n')));
}

TEST(CommandLineTest, OptionsMayStandAnywhere) {
  for (const Words& words :
       {Words{"-o", "x", "in", "--json", "--count=3"}, Words{"in", "--count", "3", "-o", "x", "--json"},
        Words{"--json", "-o=x", "--count", "3", "in"}}) {
    const absl::StatusOr<CommandLine> line = ParseCommandLine(kSpec, words);
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_THAT(line->arguments(), ElementsAre("in"));
    EXPECT_EQ(line->Value("-o"), "x");
    EXPECT_EQ(line->Value("--count"), "3");
    EXPECT_TRUE(line->Has("--json"));
  }
}

TEST(CommandLineTest, DashesAsArguments) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(kSpec, Words{"-", "--", "--json"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->arguments(), ElementsAre("-", "--json"));
  EXPECT_FALSE(line->Has("--json"));
  const absl::StatusOr<CommandLine> output = ParseCommandLine(kSpec, Words{"in", "-o", "-"});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->Value("-o"), "-");
}

TEST(CommandLineTest, Errors) {
  EXPECT_EQ(ErrorOf({"in", "--cuont", "3"}), "make has no option \"--cuont\"; did you mean \"--count\"?");
  EXPECT_EQ(ErrorOf({"in", "--zebra"}), "make has no option \"--zebra\"");
  EXPECT_EQ(ErrorOf({"in", "-x"}), "make has no option \"-x\"; did you mean \"-o\"?");
  EXPECT_EQ(ErrorOf({"in", "--count"}), "option --count needs a value: --count N");
  EXPECT_EQ(ErrorOf({"in", "--json=1"}), "option --json takes no value");
  EXPECT_EQ(ErrorOf({"in", "--json", "--json"}), "option --json is given twice");
  EXPECT_EQ(ErrorOf({}), "make takes IN [MORE], not 0 arguments");
  EXPECT_EQ(ErrorOf({"a", "b", "c"}), "make takes IN [MORE], not 3 arguments");
}

TEST(CommandLineTest, Help) {
  EXPECT_TRUE(WantsHelp(Words{"in", "--help"}));
  EXPECT_TRUE(WantsHelp(Words{"-h"}));
  EXPECT_FALSE(WantsHelp(Words{"in", "--", "--help"}));
  const std::string help = HelpText(kSpec);
  EXPECT_THAT(help, HasSubstr("usage: bufplan make IN [MORE] [-o FILE] [--count N] [--json]\n\nMakes it well.\n"));
  EXPECT_THAT(help, HasSubstr("  --count N  how many\n"));
}

TEST(ParseCountTest, WholeNumbersInRange) {
  EXPECT_EQ(ParseCount("--n", "0", 0).value(), 0);
  EXPECT_EQ(ParseCount("--n", "9223372036854775807", 0).value(), INT64_MAX);
  for (absl::string_view bad : {"", "-1", "1.5", "12k", "9223372036854775808", "0x10"}) {
    const absl::Status status = ParseCount("--n", bad, 0).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("option --n: ")) << bad;
  }
}

TEST(ParseSecondsTest, AboveZeroAndFinite) {
  EXPECT_EQ(ParseSeconds("--t", "0.5").value(), absl::Milliseconds(500));
  EXPECT_EQ(ParseSeconds("--t", "3").value(), absl::Seconds(3));
  EXPECT_EQ(ParseSeconds("--t", "1e300").value(), absl::Seconds(1'000'000'000));
  EXPECT_EQ(ParseSeconds("--t", "1e-300").value(), absl::Nanoseconds(1));
  for (absl::string_view bad : {"", "abc", "0", "-1", "inf", "nan", "1s", "0,5"}) {
    const absl::Status status = ParseSeconds("--t", bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("is not a number of seconds above 0")) << bad;
  }
}

}  // namespace
}  // namespace bufplan
