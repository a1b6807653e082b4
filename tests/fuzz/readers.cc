#include "tests/fuzz/readers.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "io/csv.h"
#include "io/detect.h"
#include "io/ggml.h"
#include "io/iree_graph.h"
#include "io/json_graph.h"
#include "io/json_plan.h"
#include "io/json_problem.h"
#include "tests/io/graph_equal.h"

namespace bufplan {

const absl::string_view kPlannedGraph = R"({"format": "bufplan.graph", "version": 1, "name": "g",
 "symbols": [{"name": "s", "min": 0, "max": 7}],
 "spaces": [{"name": "device", "alignment": 16}, {"name": "host"}],
 "values": [
  {"name": "device", "bytes": 64, "role": "constant"},
  {"name": "K", "bytes": 128, "role": "variable"},
  {"name": "x", "bytes": 64, "role": "input"},
  {"name": "y", "bytes": 64},
  {"name": "z", "bytes": "8*s"}],
 "ops": [
  {"name": "f", "reads": ["x", "device"], "writes": ["y"], "scratch": 32},
  {"name": "g", "kind": "slice", "of": "K", "at": "8*s", "to": "z"},
  {"name": "h", "reads": ["y", "z"], "writes": []}],
 "fusions": [{"name": "fh", "ops": ["f", "h"]}]})";

const absl::string_view kPlannedProblem = R"({"format": "bufplan.problem", "version": 1, "alignment": 8,
 "buffers": [{"name": "a", "bytes": 4, "begin": 0, "end": 3}, {"name": "b", "bytes": 4, "begin": 3, "end": 9}]})";

namespace {

absl::Status Broken(absl::string_view what) { return absl::InternalError(what); }

// A refusal as it may be.
absl::Status CheckRefusal(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInvalidArgument && status.code() != absl::StatusCode::kResourceExhausted) {
    return Broken(absl::StrCat("refused with ", status.ToString()));
  }
  if (status.message().empty() || status.message().size() > 5000) return Broken("the message is empty or huge");
  return absl::OkStatus();
}

absl::Status CheckGraph(const Graph& graph) {
  const std::string text = WriteGraphJson(graph);
  const absl::StatusOr<Graph> again = ReadGraphJson(text);
  if (!again.ok()) return Broken(absl::StrCat("not read back: ", again.status().message(), "\n", text));
  const std::string difference = GraphDifference(graph, *again);
  if (!difference.empty()) return Broken(absl::StrCat("read back with another ", difference, "\n", text));
  if (WriteGraphJson(*again) != text) return Broken(absl::StrCat("written otherwise the second time\n", text));
  return absl::OkStatus();
}

absl::Status CheckProblem(const Problem& problem) {
  const absl::StatusOr<Problem> from_json = ReadProblemJson(WriteProblemJson(problem));
  if (!from_json.ok()) return Broken(absl::StrCat("not read back: ", from_json.status().message()));
  if (!(*from_json == problem)) return Broken("read back from JSON as another problem");
  const std::string csv = WriteProblemCsv(problem);
  const absl::StatusOr<Problem> from_csv = ReadProblemCsv(csv);
  if (!from_csv.ok()) return Broken(absl::StrCat("not read back: ", from_csv.status().message()));
  if (WriteProblemCsv(*from_csv) != csv) return Broken("written otherwise as CSV the second time");
  if (problem.alignment_bytes == 1 && from_csv->buffers != problem.buffers)
    return Broken("read back from CSV as another problem");
  return absl::OkStatus();
}

template <class T>
const T& MadeOnce(absl::StatusOr<T> (*make)()) {
  static const absl::StatusOr<T>* const made = new absl::StatusOr<T>(make());
  return made->value();
}

}  // namespace

absl::Status FuzzGraphJson(absl::string_view data) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(data);
  return graph.ok() ? CheckGraph(*graph) : CheckRefusal(graph.status());
}

absl::Status FuzzPlanJson(absl::string_view data) {
  const Graph& graph = MadeOnce<Graph>([] { return ReadGraphJson(kPlannedGraph); });
  const absl::StatusOr<Plan> plan = ReadPlanJson(data, graph);
  if (!plan.ok()) return CheckRefusal(plan.status());
  const std::string text = WritePlanJson(graph, *plan);
  const absl::StatusOr<Plan> again = ReadPlanJson(text, graph);
  if (!again.ok()) return Broken(absl::StrCat("not read back: ", again.status().message(), "\n", text));
  const std::string difference = PlanDifference(graph, *plan, *again);
  if (!difference.empty()) return Broken(absl::StrCat("read back with another ", difference, "\n", text));
  if (WritePlanJson(graph, *again) != text) return Broken("written otherwise the second time");
  return absl::OkStatus();
}

absl::Status FuzzProblemJson(absl::string_view data) {
  const absl::StatusOr<Problem> problem = ReadProblemJson(data);
  return problem.ok() ? CheckProblem(*problem) : CheckRefusal(problem.status());
}

absl::Status FuzzProblemPlanJson(absl::string_view data) {
  const Problem& problem = MadeOnce<Problem>([] { return ReadProblemJson(kPlannedProblem); });
  const absl::StatusOr<ProblemPlanFile> file = ReadProblemPlanJson(data, problem);
  if (!file.ok()) return CheckRefusal(file.status());
  const std::string text = WriteProblemPlanJson(problem, *file);
  const absl::StatusOr<ProblemPlanFile> again = ReadProblemPlanJson(text, problem);
  if (!again.ok()) return Broken(absl::StrCat("not read back: ", again.status().message()));
  if (WriteProblemPlanJson(problem, *again) != text) return Broken("written otherwise the second time");
  return absl::OkStatus();
}

absl::Status FuzzCsv(absl::string_view data) {
  const absl::StatusOr<Problem> problem = ReadProblemCsv(data);
  return problem.ok() ? CheckProblem(*problem) : CheckRefusal(problem.status());
}

absl::Status FuzzGgml(absl::string_view data) {
  for (GgmlRegions regions : {GgmlRegions::kIgnore, GgmlRegions::kKeep, GgmlRegions::kFuse, GgmlRegions::kStreams}) {
    const absl::StatusOr<Graph> graph = ReadGgmlGraph(data, {.regions = regions});
    if (absl::Status s = graph.ok() ? CheckGraph(*graph) : CheckRefusal(graph.status()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status FuzzIree(absl::string_view data) {
  const SymbolOverrides ranges = {{"_global_seq_step.global", 0, 4094}, {"step", 0, 7}, {"n", 1, 8}};
  SymbolOverrides used;
  // An override that names nothing is refused; what all of the ranges, some and none of them give is looked at.
  for (size_t count = 0; count <= ranges.size(); ++count) {
    const absl::StatusOr<IreeImport> import = ReadIreeGraph(data, {.symbols = used});
    if (import.ok()) {
      if (absl::Status s = CheckGraph(import->graph); !s.ok()) return s;
    } else if (absl::Status s = CheckRefusal(import.status()); !s.ok()) {
      return s;
    }
    if (count == ranges.size()) break;
    if (absl::StrContains(data, ranges[count].name)) used.push_back(ranges[count]);
  }
  return absl::OkStatus();
}

absl::Status FuzzDetect(absl::string_view data) {
  const absl::StatusOr<FileFormat> format = DetectFormat(data);
  return format.ok() ? absl::OkStatus() : CheckRefusal(format.status());
}

absl::Status FuzzSymbolOverrides(absl::string_view data) {
  const absl::StatusOr<SymbolOverrides> overrides = ParseSymbolOverrides(data);
  if (!overrides.ok()) return CheckRefusal(overrides.status());
  for (const SymbolOverride& o : *overrides) {
    if (o.name.empty() || o.min > o.max) return Broken("an override without a name or with an empty range");
  }
  return absl::OkStatus();
}

}  // namespace bufplan
