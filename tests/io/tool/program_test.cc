// Runs the program itself: exit status, what goes to which stream, and which files are left.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/write_file.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Outcome {
  int exit_status = -1;
  std::string out, err;
};

// By the shell, so that a command line may redirect; out and err are what the program left there.
Outcome RunProgram(const std::string& arguments) {
  const std::string out = TempPath("stdout"), err = TempPath("stderr");
  unlink(out.c_str());
  const std::string command = absl::StrCat("(./bufplan ", arguments, ") >", out, " 2>", err);
  const int status = std::system(command.c_str());
  Outcome outcome;
  outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  outcome.out = ContentOf(out);
  outcome.err = ContentOf(err);
  return outcome;
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = TempPath("work");
    ASSERT_EQ(
        std::system(
            absl::StrCat("chmod -R u+w ", folder_, " 2>/dev/null; rm -rf ", folder_, " && mkdir ", folder_).c_str()),
        0);
    Write("kv.json", kKvStep);
    Write("chain.json", kChain);
    Write("p.csv", kCsv);
  }
  std::string Path(absl::string_view name) const { return absl::StrCat(folder_, "/", name); }
  void Write(absl::string_view name, absl::string_view text) { ASSERT_TRUE(WriteFile(Path(name), text).ok()); }
  // Names of all files in the folder, with hidden ones.
  std::string Files() const {
    const std::string list = TempPath("list");
    EXPECT_EQ(std::system(absl::StrCat("ls -A ", folder_, " | tr '\\n' ' ' >", list).c_str()), 0);
    return ContentOf(list);
  }

  std::string folder_;
};

TEST_F(ProgramTest, PlanCheckExplain) {
  const std::string plan = Path("plan.json");
  Outcome o = RunProgram(absl::StrCat("plan ", Path("kv.json"), " -o ", plan));
  EXPECT_EQ(o.exit_status, 0);
  EXPECT_EQ(o.err, "");
  EXPECT_THAT(o.out, HasSubstr("lower bound"));
  o = RunProgram(absl::StrCat("check ", Path("kv.json"), " ", plan));
  EXPECT_EQ(o.exit_status, 0);
  EXPECT_THAT(o.out, StartsWith("valid"));
  o = RunProgram(absl::StrCat("explain ", Path("kv.json"), " ", plan, " K1"));
  EXPECT_EQ(o.exit_status, 0);
  EXPECT_THAT(o.out, StartsWith("value \"K1\": 33,546,240 bytes"));
  EXPECT_EQ(Files(), "chain.json kv.json p.csv plan.json ");
}

TEST_F(ProgramTest, PipesAndStandardStreams) {
  Outcome o =
      RunProgram(absl::StrCat("plan - -o - <", Path("chain.json"), " | ./bufplan check ", Path("chain.json"), " -"));
  EXPECT_EQ(o.exit_status, 0);
  EXPECT_EQ(o.out, "valid\n");
  EXPECT_THAT(o.err, StartsWith("space "));  // the summary, as standard output has the plan
  o = RunProgram(absl::StrCat("convert ", Path("p.csv"), " - | ./bufplan convert - ", Path("q.csv")));
  EXPECT_EQ(o.exit_status, 0);
  EXPECT_EQ(ContentOf(Path("q.csv")), kCsv);
}

TEST_F(ProgramTest, SamePlanEveryTime) {
  for (const char* name : {"a.json", "b.json"}) {
    EXPECT_EQ(RunProgram(absl::StrCat("plan ", Path("chain.json"), " -o ", Path(name))).exit_status, 0);
  }
  EXPECT_EQ(ContentOf(Path("a.json")), ContentOf(Path("b.json")));
}

TEST_F(ProgramTest, BadInput) {
  const std::string kv = kKvStep;
  const std::pair<const char*, std::string> cases[] = {
      {"empty", ""},
      {"no JSON", "hello"},
      {"binary", std::string("\x7f\x45\x4c\x46\0\0\xff\xfe", 8)},
      {"cut off", kv.substr(0, kv.size() / 2)},
      {"trailing text", kv + "x"},
      {"an array", "[1, 2]"},
      {"no format", "{}"},
      {"another format", R"({"format": "onnx", "version": 1})"},
      {"another version", absl::StrReplaceAll(kv, {{"\"version\": 1", "\"version\": 2"}})},
      {"unknown key", absl::StrReplaceAll(kv, {{"\"symbols\"", "\"simbols\""}})},
      {"wrong type", absl::StrReplaceAll(kv, {{"\"bytes\": 8192}", "\"bytes\": [8192]}"}})},
      {"negative", absl::StrReplaceAll(kv, {{"\"bytes\": 8192}", "\"bytes\": -8192}"}})},
      {"huge", absl::StrReplaceAll(kv, {{"\"bytes\": 8192}", "\"bytes\": 9223372036854775808}"}})},
      {"duplicate", absl::StrReplaceAll(kv, {{"\"name\": \"K1\"", "\"name\": \"K\""}})},
      {"unknown value", absl::StrReplaceAll(kv, {{"\"reads\": [\"past\"]", "\"reads\": [\"future\"]"}})},
      {"cyclic", absl::StrReplaceAll(kv, {{"\"reads\": [\"past\"]", "\"reads\": [\"K1\"]"}})},
      {"deep", std::string(100000, '[')},
      {"bad CSV", "id,lower,upper,size\na,0,x,4\n"},
      {"CSV backwards", "id,lower,upper,size\na,5,3,4\n"},
  };
  for (const auto& [what, text] : cases) {
    Write("bad", text);
    const Outcome o = RunProgram(absl::StrCat("plan ", Path("bad"), " -o ", Path("plan.json")));
    EXPECT_EQ(o.exit_status, 2) << what << ": " << o.err;
    EXPECT_EQ(o.out, "") << what;
    // One message: the path, then the place.
    EXPECT_THAT(o.err, StartsWith(absl::StrCat("bufplan: ", Path("bad"), ": "))) << what;
    EXPECT_TRUE(absl::StrContains(o.err, ": at ") || absl::StrContains(o.err, ": line ")) << what << ": " << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << what << ": " << o.err;
    EXPECT_EQ(Files(), "bad chain.json kv.json p.csv ") << what;
  }
}

TEST_F(ProgramTest, InfeasibleIsOne) {
  const Outcome o = RunProgram(absl::StrCat("plan ", Path("chain.json"), " --capacity 299 -o ", Path("plan.json")));
  EXPECT_EQ(o.exit_status, 1);
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err, HasSubstr("299"));
  EXPECT_EQ(Files(), "chain.json kv.json p.csv ");
}

TEST_F(ProgramTest, InvalidPlanIsOne) {
  ASSERT_EQ(RunProgram(absl::StrCat("plan ", Path("chain.json"), " -o ", Path("plan.json"))).exit_status, 0);
  Write("plan.json", absl::StrReplaceAll(ContentOf(Path("plan.json")), {{"\"offset\": 100", "\"offset\": 0"}}));
  const Outcome o = RunProgram(absl::StrCat("check ", Path("chain.json"), " ", Path("plan.json")));
  EXPECT_EQ(o.exit_status, 1);
  EXPECT_THAT(o.out, Not(StartsWith("valid")));
  EXPECT_EQ(o.err, "");
}

TEST_F(ProgramTest, UsageIsTwo) {
  for (const char* arguments : {"", "frobnicate", "plan", "plan a b", "check a", "explain", "convert a",
                                "plan --bogus a", "plan a --objective speed", "run a b --device host"}) {
    const Outcome o = RunProgram(arguments);
    EXPECT_EQ(o.exit_status, 2) << arguments;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_NE(o.err, "") << arguments;
  }
  EXPECT_EQ(RunProgram("--help").exit_status, 0);
  EXPECT_EQ(RunProgram("plan --help").exit_status, 0);
}

TEST_F(ProgramTest, FilesThatCannotBeReadOrWritten) {
  const std::string plan_chain = absl::StrCat("plan ", Path("chain.json"));
  ASSERT_EQ(mkdir(Path("dir.json").c_str(), 0755), 0);
  ASSERT_EQ(mkdir(Path("sealed").c_str(), 0555), 0);
  const std::string files = Files();
  std::vector<std::string> commands = {
      absl::StrCat("plan ", Path("missing.json")),
      absl::StrCat("plan ", Path("dir.json")),
      absl::StrCat(plan_chain, " -o ", Path("dir.json")),
      absl::StrCat(plan_chain, " -o ", Path("missing/plan.json")),
      absl::StrCat(plan_chain, " -o ", Path("chain.json/plan.json")),
      absl::StrCat(plan_chain, " -o /dev/full"),
      absl::StrCat(plan_chain, " -o ", Path("plan.json"), " >/dev/full"),
      absl::StrCat("convert ", Path("chain.json"), " - >/dev/full"),
      absl::StrCat("convert ", Path("chain.json"), " /dev/full"),
      "--version >/dev/full",
  };
  if (geteuid() != 0) commands.push_back(absl::StrCat(plan_chain, " -o ", Path("sealed/plan.json")));
  for (const std::string& command : commands) {
    const Outcome o = RunProgram(command);
    EXPECT_EQ(o.exit_status, 2) << command;
    EXPECT_THAT(o.err, StartsWith("bufplan: ")) << command;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << command << ": " << o.err;
    EXPECT_EQ(Files(), files) << command;
  }
}

TEST_F(ProgramTest, Examples) {
  for (const char* name : {"concat", "fork_join", "fusion", "kv_sink", "kv_step", "late_slice", "relu_chain", "sizes",
                           "streams", "strided_copy", "transformer_block"}) {
    const std::string graph = absl::StrCat("examples/", name, ".json"), plan = Path(name);
    Outcome o = RunProgram(absl::StrCat("plan ", graph, " -o ", plan));
    EXPECT_EQ(o.exit_status, 0) << name << ": " << o.err;
    o = RunProgram(absl::StrCat("check ", graph, " ", plan));
    EXPECT_EQ(o.exit_status, 0) << name << ": " << o.out << o.err;
    o = RunProgram(absl::StrCat("explain ", graph, " ", plan));
    EXPECT_EQ(o.exit_status, 0) << name << ": " << o.err;
    EXPECT_THAT(o.out, StartsWith("plan of ")) << name;
  }
  EXPECT_EQ(RunProgram(absl::StrCat("plan examples/intervals.json -o ", Path("i.csv"))).exit_status, 0);
  EXPECT_EQ(RunProgram(absl::StrCat("check examples/intervals.json ", Path("i.csv"))).exit_status, 0);
}

}  // namespace
}  // namespace bufplan
