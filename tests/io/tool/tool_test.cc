#include "io/tool/tool.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

TEST(ToolTest, HelpAndVersion) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"--help"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("plan IN "));
  EXPECT_EQ(fake.err(), "");
  for (const char* command : {"plan", "check", "explain", "convert"}) {
    EXPECT_THAT(fake.out(), HasSubstr(std::string("  ") + command + " "));
    FakeIo own;
    EXPECT_EQ(own.Run({command, "--help"}), 0);
    EXPECT_THAT(own.out(), StartsWith(std::string("usage: bufplan ") + command));
  }
  EXPECT_EQ(fake.Run({"--version"}), 0);
  EXPECT_THAT(fake.out(), StartsWith("bufplan "));
}

TEST(ToolTest, UsageErrors) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({}), 2);
  EXPECT_THAT(fake.err(), StartsWith("usage: "));
  EXPECT_EQ(fake.Run({"paln", "x"}), 2);
  EXPECT_EQ(fake.err(), "bufplan: there is no command \"paln\"; did you mean \"plan\"?\nsee: bufplan --help\n");
  EXPECT_EQ(fake.Run({"--verison"}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("did you mean \"--version\"?"));
  EXPECT_EQ(fake.out(), "");
}

// What the design has but this version does not is not taken silently.
TEST(ToolTest, LaterCommandsDoNotExist) {
  FakeIo fake;
  for (const char* command : {"run", "report", "diff"}) {
    EXPECT_EQ(fake.Run({command, "kv.json"}), 2) << command;
    EXPECT_THAT(fake.err(), HasSubstr("there is no command"));
  }
}

TEST(ToolTest, CommandsOfTheProgram) {
  static constexpr CommandSpec kSpec = {"count", "[N]", 0, 1, "count to N", "Counts.\n", {}};
  const Command more[] = {{&kSpec, [](const CommandLine& line, const ToolIo& io) -> absl::StatusOr<int> {
                             if (absl::Status s = io.write_out("counted\n"); !s.ok()) return s;
                             return static_cast<int>(line.arguments().size());
                           }}};
  FakeIo fake;
  EXPECT_EQ(RunTool({"count", "7"}, fake.io(), more), 1);
  EXPECT_EQ(RunTool({"--help"}, fake.io(), more), 0);
  EXPECT_THAT(fake.out(), StartsWith("counted\nusage: "));
  EXPECT_THAT(fake.out(), HasSubstr("  count [N] "));
  EXPECT_EQ(RunTool({"cuont"}, fake.io(), more), 2);
  EXPECT_THAT(fake.err(), HasSubstr("did you mean \"count\"?"));
}

TEST(ToolTest, ExitStatuses) {
  EXPECT_EQ(ExitStatus(absl::OkStatus()), 0);
  EXPECT_EQ(ExitStatus(absl::ResourceExhaustedError("")), 1);
  EXPECT_EQ(ExitStatus(absl::DeadlineExceededError("")), 1);
  EXPECT_EQ(ExitStatus(absl::FailedPreconditionError("")), 1);
  EXPECT_EQ(ExitStatus(absl::InternalError("")), 1);
  EXPECT_EQ(ExitStatus(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitStatus(absl::NotFoundError("")), 2);
  EXPECT_EQ(ExitStatus(absl::UnavailableError("")), 3);
  EXPECT_EQ(ExitStatus(absl::UnimplementedError("")), 3);
}

TEST(PlanTest, TableAndFile) {
  FakeIo fake;
  const std::string path = TempPath("chain_plan.json");
  EXPECT_EQ(fake.Run({"plan", "chain.json", "-o", path}), 0) << fake.err();
  EXPECT_THAT(fake.out(), StartsWith("space   bytes"));
  // x; then a, b, c at once; then c, d.
  EXPECT_THAT(fake.out(), HasSubstr("device    300"));
  EXPECT_THAT(fake.out(), HasSubstr("copies kept    0 (0 bytes copied)\n"));
  EXPECT_THAT(fake.out(), HasSubstr("sum of sizes   500 bytes"));
  EXPECT_EQ(fake.err(), "");
  EXPECT_THAT(ContentOf(path), StartsWith("{\"format\": \"bufplan.plan\", \"version\": 1, \"graph\": \"chain\""));
  EXPECT_EQ(fake.Run({"check", "chain.json", path}), 0);
  EXPECT_EQ(fake.out(), "valid\n");
}

TEST(PlanTest, Json) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"plan", "chain.json", "--json"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), StartsWith("{\"status\": \"optimal\", \"arenas\": [{\"space\": \"device\", \"bytes\": 300, "
                                     "\"lower_bound\": 300, \"optimal\": true, \"chunks\": [300]}], "
                                     "\"order_edges_added\": 0, \"stats\": {"));
  EXPECT_THAT(fake.out(), HasSubstr("\"sum_bytes\": 500, \"peak_op\": \"h\""));
  EXPECT_EQ(std::count(fake.out().begin(), fake.out().end(), '\n'), 1);
}

TEST(PlanTest, PlanOnStandardOutput) {
  FakeIo fake;
  fake.files["-"] = kChain;
  EXPECT_EQ(fake.Run({"plan", "-", "-o", "-"}), 0);
  EXPECT_THAT(fake.out(), StartsWith("{\"format\": \"bufplan.plan\""));
  EXPECT_THAT(fake.err(), StartsWith("space "));
}

TEST(PlanTest, OptionsAreInThePlan) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"plan", "kv.json", "-o", "-", "--effort", "fast", "--symbols", "s=17", "--capacity", "99999999",
                      "--work-limit", "1000"}),
            0)
      << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("\"effort\": \"fast\""));
  EXPECT_THAT(fake.out(), HasSubstr("\"symbols\": \"s=17\""));
  EXPECT_THAT(fake.out(), HasSubstr("\"capacity\": \"99999999\""));
  EXPECT_THAT(fake.out(), HasSubstr("\"work_limit\": \"1000\""));
  EXPECT_THAT(fake.err(), HasSubstr("symbols        s=17\n"));
}

TEST(PlanTest, ATimeLimitIsInThePlanAndMeansEffortMax) {
  FakeIo fake;
  for (const char* input : {"kv.json", "p.csv"}) {
    EXPECT_EQ(fake.Run({"plan", input, "-o", "-", "--time-limit", "2.5"}), 0) << fake.err();
    EXPECT_THAT(fake.out(), HasSubstr("\"time_limit\": \"2.5\""));
    EXPECT_THAT(fake.out(), HasSubstr("\"effort\": \"max\""));
    EXPECT_EQ(fake.Run({"plan", input, "-o", "-", "--time-limit=1", "--effort=fast"}), 0) << fake.err();
    EXPECT_THAT(fake.out(), HasSubstr("\"effort\": \"fast\""));
  }
}

TEST(PlanTest, ThreadsDoNotChangeThePlan) {
  FakeIo fake;
  // Random enough to need more than one round of searches.
  std::string csv = "id,lower,upper,size\n";
  uint32_t x = 1;
  for (int i = 0; i < 150; ++i) {
    const auto next = [&x](uint32_t n) { return (x = x * 1664525 + 1013904223) / 65536 % n; };
    const uint32_t begin = next(100);
    absl::StrAppend(&csv, i, ",", begin, ",", begin + 1 + next(60), ",", 1 + next(300), "\n");
  }
  fake.files["hard.csv"] = csv;
  for (const char* input : {"hard.csv", "kv.json"}) {
    EXPECT_EQ(fake.Run({"plan", input, "-o", "-", "--threads=1"}), 0) << fake.err();
    const std::string one = fake.out();
    for (const char* threads : {"--threads=2", "--threads=7"}) {
      EXPECT_EQ(fake.Run({"plan", input, "-o", "-", threads}), 0) << fake.err();
      EXPECT_EQ(fake.out(), one) << threads;
    }
  }
  EXPECT_EQ(fake.Run({"plan", "kv.json", "--threads", "0"}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("--threads"));
}

// Two values on two streams, which fit only one after the other.
TEST(PlanTest, ReuseEdges) {
  FakeIo fake;
  fake.files["two.json"] = R"({"format": "bufplan.graph", "version": 1, "name": "two", "streams": ["s0", "s1"],
   "values": [{"name": "x", "bytes": 100}, {"name": "y", "bytes": 100}],
   "ops": [{"name": "f", "stream": "s0", "reads": [], "writes": ["x"]},
           {"name": "g", "stream": "s1", "reads": [], "writes": ["y"]},
           {"name": "rx", "stream": "s0", "reads": ["x"], "writes": []},
           {"name": "ry", "stream": "s1", "reads": ["y"], "writes": []}]})";
  EXPECT_EQ(fake.Run({"plan", "two.json", "-o", "-"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("\"bytes\": 200"));
  EXPECT_THAT(fake.err(), Not(HasSubstr("order edges added")));
  EXPECT_EQ(fake.Run({"plan", "two.json", "-o", "-", "--capacity", "100"}), 0) << fake.err();
  EXPECT_THAT(fake.err(), HasSubstr("order edges added  1\n"));
  EXPECT_THAT(fake.out(), HasSubstr("{\"before\": \"rx\", \"after\": \"g\", \"why\": \"\\\"y\\\" takes bytes of"));
  EXPECT_EQ(fake.Run({"plan", "two.json", "-o", "-", "--reuse-edges", "allow"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("\"reuse_edges\": \"allow\""));
  EXPECT_THAT(fake.err(), HasSubstr("order edges added  1\n"));
  EXPECT_EQ(fake.Run({"plan", "two.json", "--capacity", "100", "--reuse-edges", "never"}), 1);
  EXPECT_THAT(fake.err(), HasSubstr("at least 200 bytes are needed"));
  EXPECT_EQ(fake.Run({"plan", "two.json", "--reuse-edges", "alow"}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("did you mean \"allow\"?"));
}

// A large value that is dead, a small slice of it that lives long: on it or in bytes of its own?
TEST(PlanTest, Objective) {
  FakeIo fake;
  fake.files["slice.json"] = R"({"format": "bufplan.graph", "version": 1, "name": "slice",
   "values": [{"name": "x", "bytes": 8, "role": "input"}, {"name": "big", "bytes": 100},
              {"name": "small", "bytes": 10}, {"name": "next", "bytes": 100}, {"name": "y", "bytes": 8}],
   "ops": [{"name": "f", "reads": ["x"], "writes": ["big"]},
           {"name": "cut", "kind": "slice", "of": "big", "at": 45, "to": "small"},
           {"name": "g", "reads": ["x"], "writes": ["next"]},
           {"name": "h", "reads": ["small", "next"], "writes": ["y"]}],
   "outputs": ["y"]})";
  ASSERT_EQ(fake.Run({"plan", "slice.json", "-o", "-"}), 0) << fake.err();
  EXPECT_THAT(fake.err(), HasSubstr("bytes moved    10 before, 10 after\n"));
  EXPECT_THAT(fake.out(), HasSubstr("\"why\": \"kept: less memory is needed that way\""));
  EXPECT_THAT(fake.out(), Not(HasSubstr("objective")));
  const std::string memory = fake.out();
  ASSERT_EQ(fake.Run({"plan", "slice.json", "-o", "-", "--objective", "memory"}), 0) << fake.err();
  EXPECT_EQ(fake.out(), memory);
  ASSERT_EQ(fake.Run({"plan", "slice.json", "-o", "-", "--objective=copies"}), 0) << fake.err();
  EXPECT_THAT(fake.err(), HasSubstr("bytes moved    10 before, 0 after\n"));
  EXPECT_THAT(fake.out(), HasSubstr("\"objective\": \"copies\""));
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"check", "slice.json", "plan.json"}), 0) << fake.out();
  EXPECT_EQ(fake.Run({"explain", "slice.json", "plan.json"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("objective=copies"));
  EXPECT_THAT(fake.out(), HasSubstr("copies: 0 kept (0 bytes), 1 elided (10 bytes not moved)\n"));
  EXPECT_EQ(fake.Run({"plan", "slice.json", "--objective", "copie"}), 2);
  EXPECT_EQ(fake.err(), "bufplan: option --objective: \"copie\" is none of memory, copies; did you mean \"copies\"?\n");
  EXPECT_EQ(fake.Run({"plan", "--help"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("--objective O"));
}

TEST(PlanTest, BadOptions) {
  FakeIo fake;
  const auto error = [&](const std::vector<std::string>& arguments) {
    EXPECT_EQ(fake.Run(arguments), 2);
    EXPECT_EQ(fake.out(), "");
    return fake.err();
  };
  EXPECT_THAT(error({"plan", "kv.json", "--effort", "fsat"}), HasSubstr("did you mean \"fast\"?"));
  EXPECT_THAT(error({"plan", "kv.json", "--capacity", "-1"}), HasSubstr("option --capacity: \"-1\""));
  EXPECT_THAT(error({"plan", "kv.json", "--time-limit", "abc"}),
              HasSubstr("option --time-limit: \"abc\" is not a number of seconds"));
  EXPECT_THAT(error({"plan", "kv.json", "--symbols", "s"}), HasSubstr("option --symbols: "));
  EXPECT_THAT(error({"plan", "kv.json", "--symbols", "t=1"}), HasSubstr("kv.json: "));
  EXPECT_THAT(error({"plan", "kv.json", "--json", "--draw"}), HasSubstr("exclude each other"));
  EXPECT_THAT(error({"plan", "kv.json", "-o", TempPath("x.csv")}), HasSubstr("only those of problems as .csv"));
  EXPECT_THAT(error({"plan", "p.csv", "--symbols", "s=1"}), HasSubstr("has no symbols"));
}

TEST(PlanTest, Infeasible) {
  FakeIo fake;
  const std::string path = TempPath("none.json");
  EXPECT_EQ(fake.Run({"plan", "chain.json", "--capacity", "299", "-o", path}), 1);
  EXPECT_EQ(fake.out(), "");
  EXPECT_THAT(fake.err(), StartsWith("bufplan: chain.json: "));
  EXPECT_THAT(fake.err(), HasSubstr("299"));
  EXPECT_THAT(fake.err(), HasSubstr("\"h\""));
  EXPECT_EQ(ContentOf(path), "<none>");
  EXPECT_EQ(fake.Run({"plan", "p.csv", "--capacity", "11", "-o", path}), 1);
  EXPECT_THAT(fake.err(), StartsWith("bufplan: p.csv: "));
  EXPECT_EQ(ContentOf(path), "<none>");
}

TEST(PlanTest, AFailureAsJson) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"plan", "chain.json", "--capacity", "299", "--json"}), 1);
  EXPECT_THAT(fake.out(), StartsWith("{\"status\": \"infeasible\", \"space\": \"device\", \"capacity\": 299, "
                                     "\"lower_bound\": 300, \"best_known\": 300, \"message\": \"chain.json: "));
  EXPECT_THAT(fake.err(), HasSubstr("chain.json: infeasible, proven for every way to share bytes that was tried: "));
  EXPECT_EQ(fake.Run({"plan", "p.csv", "--capacity", "11", "--json"}), 1);
  EXPECT_THAT(fake.out(), HasSubstr("\"status\": \"infeasible\", \"space\": null, \"capacity\": 11"));
  EXPECT_THAT(fake.err(), HasSubstr("p.csv: infeasible, proven: capacity=11"));
  EXPECT_EQ(fake.Run({"plan", "benchmarks/data/minimalloc/K.1048576.csv", "--capacity", "1048576", "--work-limit",
                      "1000", "--json"}),
            1);
  EXPECT_THAT(fake.out(), StartsWith("{\"status\": \"gave up\""));
  EXPECT_THAT(fake.out(), HasSubstr("\"lower_bound\": 1048576"));
  EXPECT_THAT(fake.err(), HasSubstr("K.1048576.csv: gave up: capacity=1048576"));
  EXPECT_THAT(fake.err(), HasSubstr("a larger --work-limit, or none, may help"));
}

TEST(PlanTest, FailuresLeaveTheOldFile) {
  FakeIo fake;
  const std::string path = TempPath("old.json");
  ASSERT_TRUE(WriteFile(path, "old").ok());
  fake.files["bad.json"] = absl::StrReplaceAll(kChain, {{"\"bytes\": 100}", "\"bytes\": -100}"}});
  EXPECT_EQ(fake.Run({"plan", "bad.json", "-o", path}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("bad.json: at /values/1"));
  EXPECT_EQ(fake.Run({"plan", "chain.json", "--capacity", "1", "-o", path}), 1);
  fake.out_fails = true;
  EXPECT_EQ(fake.Run({"plan", "chain.json", "-o", path}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("standard output: cannot write"));
  EXPECT_EQ(ContentOf(path), "old");
}

TEST(PlanTest, TheGraphIsNotReplacedByItsPlan) {
  FakeIo fake;
  const std::string path = TempPath("graph.json");
  ASSERT_TRUE(WriteFile(path, kChain).ok());
  EXPECT_EQ(fake.Run({"plan", path, "-o", path}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("would replace"));
  EXPECT_EQ(ContentOf(path), kChain);
  // A problem's CSV may get its offsets.
  const std::string csv = TempPath("in_place.csv");
  ASSERT_TRUE(WriteFile(csv, kCsv).ok());
  EXPECT_EQ(fake.Run({"plan", csv, "-o", csv}), 0) << fake.err();
  EXPECT_THAT(ContentOf(csv), StartsWith("id,lower,upper,size,offset\n"));
  EXPECT_EQ(fake.Run({"check", "p.csv", csv}), 0) << fake.out();
}

TEST(PlanTest, Problems) {
  FakeIo fake;
  const std::string path = TempPath("problem_plan.json");
  EXPECT_EQ(fake.Run({"plan", "p.csv", "-o", path, "--effort", "max"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("device     12"));
  EXPECT_THAT(fake.out(), Not(HasSubstr("copies")));
  EXPECT_THAT(ContentOf(path), HasSubstr("\"options\": {\"effort\": \"max\"}"));
  EXPECT_EQ(fake.Run({"check", "p.csv", path}), 0) << fake.out();
  EXPECT_EQ(fake.out(), "valid\n");
  EXPECT_EQ(fake.Run({"explain", "p.csv", path}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("12  in all"));
  EXPECT_EQ(fake.Run({"explain", "p.csv", path, "c"}), 0);
  EXPECT_THAT(fake.out(), StartsWith("buffer \"c\": 8 bytes"));
}

TEST(PlanTest, Draw) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"plan", "chain.json", "--draw"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("arena \"device\":\n"));
  EXPECT_THAT(fake.out(), HasSubstr("> time\n"));
  EXPECT_EQ(fake.Run({"plan", "p.csv", "--draw"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("> time\n"));
}

TEST(CheckTest, ViolationsAreListed) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "chain.json", "-o", "-"}), 0);
  std::string plan = fake.out();
  // Everything at offset 0: what is read is overwritten.
  for (const char* offset : {"\"offset\": 100", "\"offset\": 200"}) {
    plan = absl::StrReplaceAll(plan, {{offset, "\"offset\": 0"}});
  }
  fake.files["bad_plan.json"] = plan;
  EXPECT_EQ(fake.Run({"check", "chain.json", "bad_plan.json"}), 1);
  EXPECT_THAT(fake.out(), HasSubstr("\n"));
  EXPECT_THAT(fake.out(), Not(HasSubstr("valid\n")));
  EXPECT_EQ(fake.err(), "");
  EXPECT_EQ(fake.Run({"check", "chain.json", "bad_plan.json", "--json"}), 1);
  EXPECT_THAT(
      fake.out(),
      StartsWith("{\"status\": \"invalid\", \"symbol_tuples\": 1, \"exact\": true, \"violations\": [{\"kind\": \""));
  EXPECT_EQ(std::count(fake.out().begin(), fake.out().end(), '\n'), 1);
}

TEST(CheckTest, Symbols) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-"}), 0);
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"check", "kv.json", "plan.json"}), 0) << fake.out();
  EXPECT_THAT(fake.out(), HasSubstr("corners and samples, not all there are"));
  EXPECT_EQ(fake.Run({"check", "kv.json", "plan.json", "--symbols", "s=17"}), 0);
  EXPECT_EQ(fake.out(), "valid: checked at all symbol values asked for (1 tuple)\n");
  EXPECT_EQ(fake.Run({"check", "kv.json", "plan.json", "--symbols", "s=17..20", "--json"}), 0);
  EXPECT_EQ(fake.out(), "{\"status\": \"valid\", \"symbol_tuples\": 4, \"exact\": true, \"violations\": []}\n");
  EXPECT_EQ(fake.Run({"check", "kv.json", "plan.json", "--symbols", "s=5000"}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("5000..5000 is not inside of 0..4094"));
  EXPECT_EQ(fake.Run({"check", "p.csv", "plan.json", "--symbols", "s=1"}), 1);  // another graph's, first of all
}

TEST(CheckTest, AViolationSaysAtWhichSymbols) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-"}), 0);
  fake.files["plan.json"] = absl::StrReplaceAll(
      fake.out(),
      {{"\"row\", \"in\": \"K\", \"offset\": \"8192*s\"", "\"row\", \"in\": \"K\", \"offset\": \"8192*s - 8192\""}});
  ASSERT_NE(fake.files["plan.json"], fake.out());
  EXPECT_EQ(fake.Run({"check", "kv.json", "plan.json", "--symbols", "s=17"}), 1);
  EXPECT_THAT(fake.out(), HasSubstr("(at s=17)\n"));
}

TEST(CheckTest, AnotherGraphsPlan) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "kv.json", "-o", "-"}), 0);
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"check", "chain.json", "plan.json"}), 1);
  EXPECT_THAT(fake.out(), StartsWith("fingerprint: plan.json is the plan of another graph: \"kv-step\""));
  EXPECT_EQ(fake.Run({"explain", "chain.json", "plan.json"}), 1);
  EXPECT_EQ(fake.out(), "");
}

TEST(ExplainTest, WholeValueAndOp) {
  FakeIo fake;
  ASSERT_EQ(fake.Run({"plan", "chain.json", "-o", "-"}), 0);
  fake.files["plan.json"] = fake.out();
  EXPECT_EQ(fake.Run({"explain", "chain.json", "plan.json"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("most is in use at op \"h\" (compute, op 3 of 4):"));
  EXPECT_THAT(fake.out(), HasSubstr("in-place wishes refused: 1\n"));
  EXPECT_EQ(fake.Run({"explain", "chain.json", "plan.json", "b"}), 0);
  EXPECT_THAT(fake.out(), HasSubstr("  note: b is not in place of a: "));
  EXPECT_EQ(fake.Run({"explain", "chain.json", "plan.json", "h"}), 0);
  EXPECT_THAT(fake.out(), StartsWith("op \"h\" (compute, op 3 of 4)\n  executed\n"));
  EXPECT_EQ(fake.Run({"explain", "chain.json", "plan.json", "nobody"}), 2);
  EXPECT_EQ(fake.out(), "");
  EXPECT_THAT(fake.err(), HasSubstr("no value and no op \"nobody\""));
}

TEST(ConvertTest, ProblemsBothWays) {
  FakeIo fake;
  const std::string json = TempPath("p.json"), csv = TempPath("back.csv");
  EXPECT_EQ(fake.Run({"convert", "p.csv", json}), 0) << fake.err();
  EXPECT_EQ(fake.out(), "");
  EXPECT_EQ(fake.Run({"convert", json, csv}), 0) << fake.err();
  EXPECT_EQ(ContentOf(csv), kCsv);
}

TEST(ConvertTest, GraphsBecomeCanonical) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"convert", "kv.json", "-"}), 0) << fake.err();
  const std::string canonical = fake.out();
  fake.files["canonical.json"] = canonical;
  EXPECT_EQ(fake.Run({"convert", "canonical.json", "-"}), 0);
  EXPECT_EQ(fake.out(), canonical);
}

TEST(ConvertTest, GgmlDumps) {
  FakeIo fake;
  fake.files["dump.json"] = R"json({"format": "ggml-graph", "version": 1, "name": "tiny", "alignment": 32,
   "leafs": [{"id": 0, "op": "NONE", "name": "x", "dtype": "f32", "ne": [4, 1, 1, 1], "nb": [4, 16, 16, 16],
              "nbytes": 16, "src": [], "flags": ["input"], "buffer": "compute"}],
   "nodes": [{"id": 1, "step": 0, "op": "RELU", "name": "y", "dtype": "f32", "ne": [4, 1, 1, 1],
              "nb": [4, 16, 16, 16], "nbytes": 16, "src": [0], "flags": ["output"], "can_inplace": true,
              "buffer": "compute"}]})json";
  EXPECT_EQ(fake.Run({"convert", "dump.json", "-"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), StartsWith("{\"format\": \"bufplan.graph\", \"version\": 1, \"name\": \"tiny\""));
  EXPECT_EQ(fake.Run({"plan", "dump.json", "--json"}), 0) << fake.err();
  EXPECT_THAT(fake.out(), HasSubstr("\"bytes\": 16,"));
}

TEST(ConvertTest, WhatCannotBe) {
  FakeIo fake;
  EXPECT_EQ(fake.Run({"convert", "kv.json", TempPath("kv.csv")}), 2);
  EXPECT_THAT(fake.err(), HasSubstr("kv.json: is a graph, which has no CSV form"));
  EXPECT_EQ(ContentOf(TempPath("kv.csv")), "<none>");
  EXPECT_EQ(fake.Run({"convert", "kv.json", "/no/such/folder/x.json"}), 2);
}

}  // namespace
}  // namespace bufplan
