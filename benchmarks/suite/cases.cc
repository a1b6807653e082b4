#include "benchmarks/suite/cases.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/cut_rectangle.h"
#include "benchmarks/ggml_graphs.h"
#include "benchmarks/random_problem.h"
#include "benchmarks/suite/graph_intervals.h"
#include "io/csv.h"
#include "io/ggml.h"
#include "planner/make_plan.h"

namespace bufplan {
namespace {

// Limits that a graph's largest buffer meets and all of it does not, or barely does.
struct ChunkedGraph {
  absl::string_view graph;
  int64_t max_mib;
};
constexpr ChunkedGraph kChunkedGraphs[] = {
    {"llama7b_prefill512", 64},         {"llama7b_prefill512_last", 64},    {"unet_64", 72},
    {"moe64_prefill512_fa", 104},       {"whisper_small_enc", 104},         {"moe64_prefill2048_fa_last", 136},
    {"llama8b_gqa_prefill512_fa", 256}, {"moe64_prefill2048_fa_last", 256}, {"llama8b_gqa_prefill512_fa", 512}};

constexpr uint64_t kSeed = 1;

absl::Status InFileNamed(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
}

CaseSource CsvCase(absl::string_view suite, absl::string_view name, const std::string& path, const FileReader& read) {
  return {std::string(suite), std::string(name), [path, read]() -> absl::StatusOr<BenchCase> {
            const absl::StatusOr<std::string> text = read(path);
            if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
            absl::StatusOr<Problem> problem = ReadProblemCsv(*text);
            if (!problem.ok()) return InFileNamed(path, problem.status());
            return BenchCase{*std::move(problem), nullptr, std::nullopt};
          }};
}

CaseSource GgmlCase(absl::string_view suite, std::string name, const std::string& path, const FileReader& read,
                    std::optional<int64_t> max_chunk_bytes) {
  return {std::string(suite), std::move(name), [path, read, max_chunk_bytes]() -> absl::StatusOr<BenchCase> {
            const absl::StatusOr<std::string> text = read(path);
            if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
            absl::StatusOr<Graph> graph = ReadGgmlGraph(*text);
            if (!graph.ok()) return InFileNamed(path, graph.status());
            const absl::StatusOr<Plan> plan = MakePlan(*graph);
            if (!plan.ok()) return InFileNamed(path, plan.status());
            BenchCase c{IntervalsOf(*graph, *plan), nullptr, max_chunk_bytes};
            if (!max_chunk_bytes.has_value()) c.graph = std::make_shared<const Graph>(*std::move(graph));
            return c;
          }};
}

}  // namespace

bool NeedsData(absl::string_view suite) { return suite == "hard" || suite == "real" || suite == "chunks"; }

std::vector<CaseSource> CasesOf(absl::string_view suite, const DataFolder& data, const FileReader& read, bool huge) {
  std::vector<CaseSource> cases;
  if (suite == "hard") {
    for (char letter = 'A'; letter <= 'K'; ++letter) {
      const std::string name(1, letter);
      cases.push_back(CsvCase(suite, name, absl::StrCat(data.problems, "/minimalloc/", name, ".1048576.csv"), read));
    }
  } else if (suite == "real") {
    for (absl::string_view file : {"somas/resnet50", "somas/pangu_2.6B", "iopddl/G_1", "iopddl/S_1"}) {
      cases.push_back(CsvCase(suite, file, absl::StrCat(data.problems, "/", file, ".csv"), read));
    }
    for (absl::string_view graph : kGgmlGraphs) {
      cases.push_back(GgmlCase(suite, absl::StrCat("ggml/", graph), absl::StrCat(data.ggml, "/", graph, ".json"), read,
                               std::nullopt));
    }
  } else if (suite == "chunks") {
    for (const ChunkedGraph& c : kChunkedGraphs) {
      cases.push_back(GgmlCase(suite, absl::StrCat(c.graph, "@", c.max_mib),
                               absl::StrCat(data.ggml, "/", c.graph, ".json"), read, c.max_mib << 20));
    }
  } else if (suite == "known") {
    for (int64_t n : {20, 50, 100, 200, 500, 1000, 2000, 5000}) {
      cases.push_back({std::string(suite), absl::StrCat("cut-", n), [n]() -> absl::StatusOr<BenchCase> {
                         constexpr int64_t kHeight = int64_t{1} << 20;
                         return BenchCase{CutIntoBuffers(n, 4 * n, kHeight, kSeed).problem, nullptr, std::nullopt};
                       }});
    }
  } else if (suite == "scale") {
    for (int64_t n = 1000; n <= (huge ? 10'000'000 : 1'000'000); n *= 10) {
      cases.push_back({std::string(suite), absl::StrCat("random-", n), [n]() -> absl::StatusOr<BenchCase> {
                         return BenchCase{RandomProblem(n, kSeed), nullptr, std::nullopt};
                       }});
    }
  }
  return cases;
}

}  // namespace bufplan
