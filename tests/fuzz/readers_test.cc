// Every reader on spoiled texts, with fixed seeds and a fixed number of rounds. FUZZ_ROUNDS=100000 does more.
#include "tests/fuzz/readers.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/csv.h"
#include "io/iree_graph.h"
#include "io/json_graph.h"
#include "io/json_plan.h"
#include "io/json_problem.h"
#include "tests/fuzz/mutator.h"
#include "tests/io/iree_sample.h"
#include "tests/io/test_files.h"

namespace bufplan {
namespace {

int Rounds(int usual) {
  const char* const text = std::getenv("FUZZ_ROUNDS");
  int rounds = 0;
  return text != nullptr && absl::SimpleAtoi(text, &rounds) ? rounds : usual;
}

std::vector<std::string> GraphSeeds() {
  std::vector<std::string> seeds = {std::string(kPlannedGraph)};
  for (absl::string_view name : {"concat", "fork_join", "fusion", "kv_step", "relu_chain", "residual", "sizes",
                                 "streams", "strided_copy", "transformer_block"}) {
    seeds.push_back(TestFile(absl::StrCat("examples/", name, ".json")));
  }
  return seeds;
}

// Whatever the readers think of these, they must not fall over.
std::vector<std::string> HandMade() {
  return {
      "",
      "{}",
      "[]",
      "null",
      "{\"format\": \"bufplan.graph\"}",
      std::string(10000, '['),
      std::string(1000, '{'),
      "{\"format\": \"bufplan.graph\", \"version\": 1, \"values\": [{\"name\": \"a\", \"bytes\": \"" +
          std::string(5000, '(') + "\"}]}",
      "{\"format\": \"bufplan.graph\", \"version\": 1, \"symbols\": [{\"name\": \"s\", \"min\": -9223372036854775808, "
      "\"max\": 9223372036854775807}], \"values\": [{\"name\": \"a\", \"bytes\": \"s*s*s\"}]}",
      "\xFF\xFE{\x00}",
      "id,lower,upper,size\n\"",
      ",,,\n,,,"};
}

using Reader = absl::Status (*)(absl::string_view);

// Runs the reader on the seeds, which it must accept, on what is made by hand, and on spoiled texts.
void RunReader(Reader reader, std::vector<std::string> seeds, int rounds, uint64_t seed) {
  for (const std::vector<std::string>& texts : {seeds, HandMade()}) {
    for (const std::string& text : texts) {
      const absl::Status status = reader(text);
      EXPECT_TRUE(status.ok()) << status << "\n" << text.substr(0, 1000);
    }
  }
  Mutator mutator(std::move(seeds), seed);
  for (int i = 0; i < rounds; ++i) {
    const std::string text = mutator.Next();
    const absl::Status status = reader(text);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ", round " << i << ": " << status << "\n" << text;
  }
}

TEST(Fuzz, GraphJson) {
  for (const std::string& text : GraphSeeds()) EXPECT_TRUE(ReadGraphJson(text).ok());
  RunReader(FuzzGraphJson, GraphSeeds(), Rounds(2000), 1);
}

TEST(Fuzz, PlanJson) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(kPlannedGraph);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::string seed =
      R"({"format": "bufplan.plan", "version": 1, "graph": "g", "fingerprint": "f", "options": {"effort": "fast"},
 "status": "optimal", "arenas": [
  {"space": "device", "bytes": 160, "lower_bound": 128, "bound": "antichain", "optimal": false, "chunks": [96, 64]},
  {"space": "host", "bytes": 0, "lower_bound": 0, "bound": "load", "optimal": true, "chunks": [0]}],
 "values": [
  {"name": "device", "in": "device", "owner": true, "offset": 0, "first": null, "last": null},
  {"name": "K", "in": "K", "offset": 0},
  {"name": "x", "in": "device", "offset": 0, "first": null, "last": "f"},
  {"name": "y", "in": null},
  {"name": "z", "in": "K", "offset": "8*s", "first": "g", "last": "h"}],
 "ops": [
  {"name": "f", "action": "run", "scratch": {"in": "device", "chunk": 1, "offset": 0}},
  {"name": "g", "action": "elided", "why": "view of K"},
  {"name": "h", "action": "run", "result": "y", "why": "kept"}],
 "fused": [
  {"name": "fh", "ops": ["f", "h"], "action": "fused", "cost_bytes": 3, "why": "fits"}],
 "order": [
  {"before": "f", "after": "h", "why": "w"}],
 "stats": {"copies_elided": 1, "copies_kept": 0, "bytes_copied": 0, "bytes_not_copied": 8, "sum_bytes": 64, "peak_op": "f", "live_at_peak": ["x"]}})";
  const absl::StatusOr<Plan> plan = ReadPlanJson(seed, *graph);
  EXPECT_TRUE(plan.ok()) << plan.status();
  RunReader(FuzzPlanJson, {seed}, Rounds(4000), 2);
}

TEST(Fuzz, ProblemJson) {
  const std::string seed = R"({"format": "bufplan.problem", "version": 1, "name": "p", "alignment": 8, "capacity": 99,
 "buffers": [
  {"name": "a", "bytes": 4, "begin": 0, "end": 3, "alignment": 16, "offset": 32, "gaps": [[1, 2]], "hint": 5},
  {"name": "b", "bytes": 0, "begin": -3, "end": 9}]})";
  EXPECT_TRUE(ReadProblemJson(seed).ok());
  RunReader(FuzzProblemJson, {seed, std::string(kPlannedProblem), TestFile("examples/intervals.json")}, Rounds(4000),
            3);
}

TEST(Fuzz, ProblemPlanJson) {
  const absl::StatusOr<Problem> problem = ReadProblemJson(kPlannedProblem);
  ASSERT_TRUE(problem.ok()) << problem.status();
  ProblemPlanFile file;
  file.plan.offsets = {0, 8};
  file.plan.bytes = 12;
  file.options = {{"a", "b"}};
  const std::string seed = WriteProblemPlanJson(*problem, file);
  EXPECT_TRUE(ReadProblemPlanJson(seed, *problem).ok());
  RunReader(FuzzProblemPlanJson, {seed}, Rounds(4000), 4);
}

TEST(Fuzz, Csv) {
  const std::vector<std::string> seeds = {"id,lower,upper,size\na,0,3,4\nb,3,9,4\n",
                                          "size,id,gaps,lower,upper,alignment,hint,offset\r\n4,\"x,\"\"y\"\"\",1-2 "
                                          "3-4,0,9,8,,16\r\n8, z ,,-5,-1,,7,\r\n\r\n"};
  for (const std::string& text : seeds) EXPECT_TRUE(ReadProblemCsv(text).ok());
  RunReader(FuzzCsv, seeds, Rounds(6000), 5);
}

TEST(Fuzz, Ggml) { RunReader(FuzzGgml, {TestFile("tests/io/golden/small_ggml.json")}, Rounds(800), 6); }

TEST(Fuzz, Iree) {
  const std::string ops = IreeFunctionText(R"(
  %k = util.global.load @K : !stream.resource<variable>
  %results:2, %tp = stream.async.execute on(#d) await(%t) => with(%x as %a: !stream.resource<external>{%c64}, %k as %b: !stream.resource<variable>{%c64}) -> (!stream.resource<transient>{%c64}, %k{%c64}) {
    %3 = stream.async.concurrent with(%a as %a0: !stream.resource<external>{%c64}) -> !stream.resource<transient>{%c64} {
      %3 = stream.async.clone %a0 : !stream.resource<external>{%c64} -> !stream.resource<transient>{%c64}
      stream.yield %3 : !stream.resource<transient>{%c64}
    }
    %4 = stream.async.fill %p, %b[%c0 to %c4 for %c4] : i32 -> %b as !stream.resource<variable>{%c64}
    %5 = stream.async.concat %3, %3 : !stream.resource<transient>{%c64}, !stream.resource<transient>{%c64} -> !stream.resource<*>{%c128}
    %6 = stream.async.dispatch @e::@f[%n](%n, %5[%c0 to %c64 for %c64]) : (index, !stream.resource<*>{%c128}) -> %5{%c128}
    %7 = stream.async.slice %6[%s16 to %s16_16] : !stream.resource<*>{%c128} -> !stream.resource<transient>{%c16}
    %8 = stream.async.alloca : !stream.resource<transient>{%c64}
    %9 = stream.async.copy %7[%c0 to %c4], %8[%c0 to %c4], %c4 : !stream.resource<transient>{%c16} -> %8 as !stream.resource<transient>{%c64}
    stream.yield %9, %4 : !stream.resource<transient>{%c64}, !stream.resource<variable>{%c64}
  } => !stream.timepoint
  util.global.store %results#1, @K : !stream.resource<variable>
  util.return %results#0 : !stream.resource<transient>)");
  const std::vector<std::string> seeds = {ops, TestFile("examples/iree/kv_decode_step.mlir"),
                                          TestFile("examples/iree/slow_memcpy.mlir")};
  EXPECT_TRUE(ReadIreeGraph(ops, {.symbols = {{"step", 0, 7}}}).ok());
  RunReader(FuzzIree, seeds, Rounds(2000), 9);
}

TEST(Fuzz, Detect) {
  std::vector<std::string> seeds = GraphSeeds();
  seeds.push_back("id,lower,upper,size\na,0,3,4\n");
  RunReader(FuzzDetect, seeds, Rounds(6000), 7);
}

TEST(Fuzz, SymbolOverrides) { RunReader(FuzzSymbolOverrides, {"s=17,t=0..4094", "a=-3..-1", "s=1"}, Rounds(10000), 8); }

}  // namespace
}  // namespace bufplan
