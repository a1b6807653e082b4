// Reads what commands are given: a graph or a problem by its content, and plans of it.
//
// A plan file names its graph by fingerprint, and may have been made with narrowed symbols (option "symbols"), of a
// chosen function of a dump (option "function") or with its regions (option "regions"); the graph is read with these
// before it is compared.
//
// ERRORS: InvalidArgument, beginning with the path: files that cannot be read, or hold something else.
// THREADS: no shared state.
#ifndef BUFPLAN_IO_TOOL_LOAD_H_
#define BUFPLAN_IO_TOOL_LOAD_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/detect.h"
#include "io/ggml.h"
#include "io/json_graph.h"
#include "io/json_problem.h"
#include "io/tool/command_line.h"
#include "io/tool/tool_io.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/problem.h"

namespace bufplan {

// "graph.json", or "standard input" for "-".
std::string PathText(const std::string& path);

// The status as InvalidArgument, its message behind the path unless it begins with it.
absl::Status InFile(const std::string& path, const absl::Status& status);

struct Input {
  FileFormat format = FileFormat::kGraphJson;
  std::variant<std::monostate, Graph, Problem> content;

  std::vector<std::string> warnings;  // of importers: "dump.mlir:12:5: ..."

  const Graph* graph() const { return std::get_if<Graph>(&content); }
  const Problem* problem() const { return std::get_if<Problem>(&content); }
};

struct LoadOptions {
  SymbolOverrides symbols = {};             // graph JSON and IREE stream text
  std::string function = {};                // IREE stream text, see IreeOptions; empty: the first
  std::optional<GgmlRegions> regions = {};  // ggml dumps; absent: kIgnore
};

// The value of the option --regions: keep, fuse or streams; absent if it was not given.
absl::StatusOr<std::optional<GgmlRegions>> RegionsOption(const CommandLine& line);

// A graph (JSON, ggml dump or IREE stream text) or a problem (JSON or CSV). Options that the format does not take are
// an error, which names it. Warnings are also written to io.write_err.
absl::StatusOr<Input> LoadInput(const std::string& path, const LoadOptions& options, const ToolIo& io);

struct PlannedInput {
  Input input;
  Plan plan;                     // of a graph
  ProblemPlanFile problem_plan;  // of a problem
  // Not OK: the plan is of another graph; says which both are. Then there is no plan.
  absl::Status mismatch;
};

// A graph and its plan, or a problem and its plan or its CSV with offsets. `regions`: in place of what the plan says.
absl::StatusOr<PlannedInput> LoadPlanned(const std::string& path, const std::string& plan_path, const ToolIo& io,
                                         std::optional<GgmlRegions> regions = {});

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_LOAD_H_
