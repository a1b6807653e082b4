#include "io/tool/run_command.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/json_dom.h"
#include "io/tool/tool.h"
#include "tests/io/test_files.h"
#include "tests/io/tool/fake_io.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// y follows x, which grows with s.
constexpr char kGrow[] = R"json({"format": "bufplan.graph", "version": 1, "name": "grow",
 "symbols": [{"name": "s", "min": 1, "max": 1000}],
 "values": [{"name": "x", "bytes": "s"}, {"name": "y", "bytes": 8}, {"name": "z", "bytes": 8}],
 "ops": [{"name": "f", "writes": ["x"]}, {"name": "g", "writes": ["y"]},
         {"name": "h", "reads": ["x", "y"], "writes": ["z"]}],
 "outputs": ["z"]})json";

// A norm, its weight, and a group of both; the last op has no kernel.
constexpr char kReal[] =
    R"json({"format": "bufplan.graph", "version": 1, "name": "real", "spaces": [{"name": "device", "alignment": 64}],
 "values": [{"name": "x", "bytes": 512, "role": "input"}, {"name": "w", "bytes": 256, "role": "constant"},
            {"name": "n", "bytes": 512}, {"name": "y", "bytes": 512}, {"name": "z", "bytes": 32}],
 "ops": [{"name": "norm", "reads": ["x"], "writes": ["n"],
          "attrs": {"kernel": {"name": "rms_norm", "rows": 2, "columns": 64, "epsilon": 1e-5}}},
         {"name": "scale", "reads": ["n", "w"], "writes": ["y"],
          "attrs": {"kernel": {"name": "mul", "rows": 2, "columns": 64, "b_rows": 1}}},
         {"name": "mix", "reads": ["y"], "writes": ["z"]}],
 "fusions": [{"name": "both", "ops": ["norm", "scale"]}],
 "outputs": ["y", "z"]})json";

// Of one run.
struct Said {
  int status = 0;
  std::string out, err;
};

class RunCommandTest : public testing::Test {
 protected:
  RunCommandTest() {
    files_ = {
        {"chain.json", kChain}, {"kv.json", kKvStep}, {"grow.json", kGrow}, {"p.csv", kCsv}, {"real.json", kReal}};
  }

  Said Run(std::vector<std::string> arguments) const {
    FakeIo fake;
    Said said;
    ToolIo io = fake.io();
    io.read = [&](const std::string& path) -> absl::StatusOr<std::string> {
      const auto found = files_.find(path);
      return found != files_.end() ? absl::StatusOr<std::string>(found->second) : fake.io().read(path);
    };
    io.write_out = [&](absl::string_view text) {
      absl::StrAppend(&said.out, text);
      return absl::OkStatus();
    };
    io.write_err = [&](absl::string_view text) { absl::StrAppend(&said.err, text); };
    const Command more[] = {{&kRunCommand, RunRun}};
    arguments.insert(arguments.begin(), "run");
    said.status = RunTool(arguments, io, more);
    return said;
  }

  // The plan of a graph.
  std::string PlanOf(const std::string& graph, const std::vector<std::string>& options = {}) const {
    FakeIo fake;
    fake.files.insert(files_.begin(), files_.end());
    std::vector<std::string> arguments = {"plan", graph, "-o", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(fake.Run(arguments), 0) << fake.err();
    return fake.out();
  }
  void Plan(const std::string& graph, const std::string& plan) { files_[plan] = PlanOf(graph); }
  // Of a plan with a text replaced, which must be there.
  void PlanBroken(const std::string& graph, const std::string& plan, const std::string& text, const std::string& by) {
    const std::string good = PlanOf(graph);
    ASSERT_THAT(good, HasSubstr(text));
    files_[plan] = absl::StrReplaceAll(good, {{text, by}});
  }

  std::map<std::string, std::string> files_;
};

// The members of an object, each as JSON.
std::map<std::string, std::string> MembersOf(const std::string& text) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  EXPECT_TRUE(doc.ok()) << doc.status() << text;
  std::map<std::string, std::string> members;
  if (!doc.ok()) return members;
  for (JsonValue member : doc->root()) members[std::string(member.key())] = doc->Dump(member);
  return members;
}
std::vector<std::string> KeysOf(const std::map<std::string, std::string>& members) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : members) keys.push_back(key);
  return keys;
}

TEST_F(RunCommandTest, EqualPlans) {
  Plan("chain.json", "plan.json");
  const Said said = Run({"chain.json", "plan.json"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.err, "");
  // g reads one value, h two, f and k one.
  EXPECT_THAT(said.out, HasSubstr("\nequal: 1 run on host"));
  EXPECT_THAT(said.out, HasSubstr(", 5 reads and 1 value at the end compared\n"));
  EXPECT_THAT(said.out, StartsWith("        planned"));
  EXPECT_THAT(said.out, HasSubstr("memory    300 B"));
  const Said stressed = Run({"chain.json", "plan.json", "--stress", "3", "--capture", "--seed", "7", "--sample", "16"});
  EXPECT_EQ(stressed.status, 0) << stressed.err;
  EXPECT_THAT(stressed.out, HasSubstr("equal: 4 runs on host"));
  EXPECT_THAT(stressed.out,
              HasSubstr(", 20 reads and 4 values at the end compared; of each write the first and last 16 B\n"));
}

TEST_F(RunCommandTest, ExamplesAreEqual) {
  for (const char* name : {"concat", "fork_join", "fusion", "kv_sink", "kv_step", "late_slice", "relu_chain",
                           "residual", "streams", "strided_copy", "transformer_block", "two_branches"}) {
    files_["graph.json"] = TestFile(absl::StrCat("examples/", name, ".json"));
    Plan("graph.json", "plan.json");
    const Said said = Run({"graph.json", "plan.json", "--stress", "2", "--sample", "64"});
    EXPECT_EQ(said.status, 0) << name << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("\nequal: ")) << name;
  }
}

TEST_F(RunCommandTest, Difference) {
  PlanBroken("chain.json", "plan.json", R"("name": "b", "in": "device", "offset": 0)",
             R"("name": "b", "in": "device", "offset": 50)");
  if (HasFatalFailure()) return;
  const Said said = Run({"chain.json", "plan.json"});
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, MatchesRegex("differs: op \"h\" reads value \"a\" byte 0 \\(device\\+100\\): expected .., of "
                                     "value \"a\" byte 0, written by op \"f\"; found .., of value \"b\" byte 50, "
                                     "written by op \"g\"\n"));
}

TEST_F(RunCommandTest, DifferenceAtTheLargestSymbolValue) {
  PlanBroken("grow.json", "plan.json", "\"offset\": 1000", "\"offset\": 999");
  if (HasFatalFailure()) return;
  // Only at s=1000 does x reach y. The values that are run by themselves include the largest.
  const Said said = Run({"grow.json", "plan.json"});
  EXPECT_EQ(said.status, 1) << said.out;
  EXPECT_THAT(said.out, MatchesRegex("differs: op \"h\" reads value \"x\" byte 999 \\(device\\+999\\): expected .., of "
                                     "value \"x\" byte 999, written by op \"f\"; found .., of value \"y\" byte 0, "
                                     "written by op \"g\" \\(at s=1000\\)\n"));
  EXPECT_EQ(Run({"grow.json", "plan.json", "--symbols", "s=999"}).status, 0);
  EXPECT_EQ(Run({"grow.json", "plan.json", "--symbols", "s=1..999"}).status, 0);
  EXPECT_EQ(Run({"grow.json", "plan.json", "--symbols", "s=1000"}).status, 1);
  EXPECT_EQ(Run({"grow.json", "plan.json", "--symbols", "s=3..1000"}).status, 1);
  const std::map<std::string, std::string> members = MembersOf(Run({"grow.json", "plan.json", "--json"}).out);
  EXPECT_EQ(members.at("status"), "\"differs\"");
  const std::map<std::string, std::string> difference = MembersOf(members.at("difference"));
  EXPECT_THAT(KeysOf(difference), ElementsAre("byte", "message", "op", "run", "symbols", "value"));
  EXPECT_EQ(difference.at("op"), "\"h\"");
  EXPECT_EQ(difference.at("value"), "\"x\"");
  EXPECT_EQ(difference.at("byte"), "999");
  EXPECT_EQ(difference.at("run"), "0");
  EXPECT_EQ(MembersOf(difference.at("symbols")).at("s"), "1000");
}

TEST_F(RunCommandTest, DifferenceUnderStress) {
  // The result of h lies on one of its operands.
  Plan("grow.json", "plan.json");
  PlanBroken("grow.json", "plan.json", "\"offset\": 1008", "\"offset\": 1000");
  if (HasFatalFailure()) return;
  EXPECT_EQ(Run({"grow.json", "plan.json"}).status, 0);
  const Said said = Run({"grow.json", "plan.json", "--symbols", "s=5", "--stress", "2"});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.out, HasSubstr("found "));
  EXPECT_THAT(said.out, HasSubstr(" (at s=5); run 1 under stress\n"));
}

TEST_F(RunCommandTest, PlansThatCannotRun) {
  PlanBroken("grow.json", "plan.json", "\"offset\": 1000", "\"offset\": 2000");
  if (HasFatalFailure()) return;
  const Said said = Run({"grow.json", "plan.json"});
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("value \"y\" lies at device+2000 up to byte 2008 of a memory of 1016 bytes"));
}

TEST_F(RunCommandTest, Json) {
  Plan("grow.json", "plan.json");
  const Said said = Run({"grow.json", "plan.json", "--json", "--stress", "1"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
  const std::map<std::string, std::string> members = MembersOf(said.out);
  EXPECT_THAT(KeysOf(members),
              ElementsAre("device", "exact", "planned_bytes", "planned_seconds", "reads_compared", "reference_bytes",
                          "reference_seconds", "runs", "status", "symbol_tuples", "values_compared"));
  EXPECT_EQ(members.at("status"), "\"equal\"");
  EXPECT_THAT(members.at("device"), StartsWith("\"host"));
  EXPECT_EQ(members.at("symbol_tuples"), "5");
  EXPECT_EQ(members.at("exact"), "false");
  EXPECT_EQ(members.at("runs"), "10");
  EXPECT_EQ(members.at("reads_compared"), "20");
  EXPECT_EQ(members.at("planned_bytes"), "1016");
}

TEST_F(RunCommandTest, Symbols) {
  Plan("grow.json", "plan.json");
  const auto tuples = [&](const std::string& symbols) {
    const std::map<std::string, std::string> members =
        MembersOf(Run({"grow.json", "plan.json", "--json", "--symbols", symbols}).out);
    return members.at("symbol_tuples") + " " + members.at("exact");
  };
  EXPECT_EQ(tuples("s=17"), "1 true");
  EXPECT_EQ(tuples("s=17..19"), "3 true");
  EXPECT_EQ(tuples("s=1..100"), "5 false");
  EXPECT_EQ(tuples("s=1..1000"), "5 false");
  EXPECT_THAT(Run({"grow.json", "plan.json", "--symbols", "s=17"}).out, HasSubstr(", at 1 tuple of symbol values\n"));
  EXPECT_THAT(Run({"grow.json", "plan.json"}).out, HasSubstr(", at 5 tuples of symbol values (not all there are)\n"));
}

// On the host, streams are also interleaved.
TEST_F(RunCommandTest, SeveralStreamsAreInterleaved) {
  files_["graph.json"] = TestFile("examples/streams.json");
  Plan("graph.json", "plan.json");
  EXPECT_EQ(MembersOf(Run({"graph.json", "plan.json", "--json"}).out).at("runs"), "1");
  // A plain one and two under stress, on threads and interleaved.
  EXPECT_EQ(MembersOf(Run({"graph.json", "plan.json", "--json", "--stress", "2"}).out).at("runs"), "6");
}

TEST_F(RunCommandTest, RealKernels) {
  Plan("real.json", "real_plan.json");
  ASSERT_THAT(files_["real_plan.json"], HasSubstr("\"action\": \"fused\""));
  Said said = Run({"real.json", "real_plan.json", "--kernels", "real", "--stress", "2"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("\nkernels: 2 of 3 ops, 1 fused group; the others mix, \"mix\" for one\n"));
  EXPECT_THAT(said.out, HasSubstr("equal: 3 runs on host"));
  EXPECT_THAT(said.out, HasSubstr(", 6 values at the end compared\n"));
  said = Run({"real.json", "real_plan.json", "--kernels", "real", "--tolerance", "1e-6"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
}

TEST_F(RunCommandTest, RealKernelsOfABrokenPlanDiffer) {
  // y lies where x is, without permission to: the second row is read after the first one was written.
  PlanBroken("real.json", "broken.json", "\"name\": \"y\", \"in\": \"device\", \"offset\": 512",
             "\"name\": \"y\", \"in\": \"device\", \"offset\": 256");
  const Said said = Run({"real.json", "broken.json", "--kernels", "real"});
  EXPECT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("differs: op \"mix\" reads value \"y\" byte 256 "));
}

TEST_F(RunCommandTest, RealKernelsThatDoNotFit) {
  files_["real.json"] = absl::StrReplaceAll(kReal, {{"\"columns\": 64, \"eps", "\"columns\": 65, \"eps"}});
  Plan("real.json", "real_plan.json");
  const Said said = Run({"real.json", "real_plan.json", "--kernels", "real"});
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("real.json: op \"norm\""));
  EXPECT_THAT(said.err, HasSubstr("520"));  // bytes
}

TEST_F(RunCommandTest, ADeviceThatIsNotThere) {
  Plan("chain.json", "plan.json");
  for (const char* device : {"cuda", "hip"}) {
    const Said said = Run({"chain.json", "plan.json", "--device", device});
    if (said.status == 0) continue;  // it is there
    EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, HasSubstr(device == std::string("cuda") ? "CUDA" : "HIP"));
  }
}

TEST_F(RunCommandTest, WrongOptions) {
  Plan("chain.json", "plan.json");
  Plan("grow.json", "grow_plan.json");
  const auto refused = [&](std::vector<std::string> options, const std::string& graph = "chain.json",
                           const std::string& plan = "plan.json") {
    options.insert(options.begin(), {graph, plan});
    const Said said = Run(options);
    EXPECT_EQ(said.status, 2) << said.out << said.err;
    EXPECT_EQ(said.out, "");
    return said.err;
  };
  EXPECT_THAT(refused({"--device", "nonsense"}), HasSubstr("there is no device \"nonsense\""));
  EXPECT_THAT(refused({"--stress", "-1"}), HasSubstr("option --stress: \"-1\" is no whole number"));
  EXPECT_THAT(refused({"--stress", "many"}), HasSubstr("option --stress: \"many\" is no whole number"));
  EXPECT_THAT(refused({"--stress", "1000001"}), HasSubstr("option --stress: at most 1000000"));
  EXPECT_THAT(refused({"--seed", "x"}), HasSubstr("option --seed: \"x\""));
  EXPECT_THAT(refused({"--sample", "0"}), HasSubstr("option --sample: \"0\""));
  EXPECT_THAT(refused({"--symbols", "s=1"}), HasSubstr("option --symbols: "));
  EXPECT_THAT(refused({"--symbols", "s=0"}, "grow.json", "grow_plan.json"), HasSubstr("option --symbols: "));
  EXPECT_THAT(refused({"--symbols", "t=1"}, "grow.json", "grow_plan.json"), HasSubstr("\"t\""));
  EXPECT_THAT(refused({"--symbols", "s"}, "grow.json", "grow_plan.json"), HasSubstr("option --symbols: "));
  EXPECT_THAT(refused({"--kernels", "fake"}), HasSubstr("option --kernels: \"fake\" is neither mix nor real"));
  EXPECT_THAT(refused({"--kernels", "real"}), HasSubstr("no op of the graph has an attribute \"kernel\""));
  EXPECT_THAT(refused({"--tolerance", "1"}), HasSubstr("option --tolerance: needs --kernels real"));
  EXPECT_THAT(refused({"--kernels", "real", "--tolerance", "x"}), HasSubstr("option --tolerance: \"x\""));
  EXPECT_THAT(refused({"--kernels", "real", "--sample", "8"}), HasSubstr("option --sample: "));
  EXPECT_THAT(refused({"--regions", "all"}), HasSubstr("option --regions: "));
  EXPECT_THAT(refused({"--strss", "1"}), HasSubstr("did you mean \"--stress\"?"));
}

TEST_F(RunCommandTest, WrongInputs) {
  Plan("chain.json", "plan.json");
  Plan("p.csv", "p_plan.csv");
  Said said = Run({"p.csv", "p_plan.csv"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("p.csv: is a problem: there is nothing to execute"));
  said = Run({"kv.json", "plan.json"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("plan.json is the plan of another graph: \"chain\""));
  said = Run({"chain.json", "chain.json"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("chain.json"));
  said = Run({"chain.json", "no_such_plan.json"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("no_such_plan.json"));
  said = Run({"chain.json"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("run takes GRAPH PLAN, not 1 argument"));
}

TEST_F(RunCommandTest, Help) {
  const Said said = Run({"--help"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out, StartsWith("usage: bufplan run GRAPH PLAN "));
  for (const char* option :
       {"--device", "--symbols", "--stress", "--kernels", "--tolerance", "--sample", "--capture", "--seed", "--json"}) {
    EXPECT_THAT(said.out, HasSubstr(option));
  }
}

}  // namespace
}  // namespace bufplan
