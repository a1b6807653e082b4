#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "io/explain/layout.h"
#include "io/explain/text_table.h"
#include "io/json_text.h"
#include "io/tool/commands.h"
#include "io/tool/load.h"
#include "io/tool/output.h"
#include "io/tool/progress.h"
#include "io/tool/symbol_tuples.h"
#include "ir/checker.h"

namespace bufplan {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--symbols", "S", "check at these values or in these ranges of symbols: s=17,t=0..4094"},
    {"--regions", "MODE", "how a ggml dump was planned: keep, fuse or streams; without, as the plan says"},
    {"--json", "", "print one line of JSON"}};

// What is reported, whatever was checked.
struct Answer {
  struct Fault {
    std::string kind, message;
    std::vector<int64_t> symbols;
  };
  std::vector<Fault> faults;
  int64_t symbol_tuples = 1;
  bool exact = true;
};

void AddFaults(const CheckReport& report, Answer& answer) {
  for (const Violation& v : report.violations) {
    answer.faults.push_back({std::string(ToString(v.kind)), v.message, v.symbols});
  }
}

// A plan that cannot be checked is bad input.
absl::Status Unchecked(const std::string& path, const absl::Status& status) { return InFile(path, status); }

absl::StatusOr<Answer> CheckGraphPlan(const PlannedInput& planned, const std::optional<std::string>& symbols,
                                      const std::string& plan_path) {
  const Graph& graph = *planned.input.graph();
  Answer answer;
  if (!symbols.has_value()) {
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, planned.plan);
    if (!report.ok()) return Unchecked(plan_path, report.status());
    AddFaults(*report, answer);
    answer.symbol_tuples = report->symbol_tuples;
    answer.exact = report->exact;
    return answer;
  }
  const absl::StatusOr<SymbolTuples> tuples = ParseSymbolTuples(graph, *symbols);
  if (!tuples.ok()) return tuples.status();
  answer.symbol_tuples = 0;
  answer.exact = tuples->exact;
  for (const std::vector<int64_t>& tuple : tuples->tuples) {
    CheckOptions options;
    if (!graph.symbols().empty()) options.symbol_values = tuple;
    const absl::StatusOr<CheckReport> report = CheckPlan(graph, planned.plan, options);
    if (!report.ok()) return Unchecked(plan_path, report.status());
    ++answer.symbol_tuples;
    AddFaults(*report, answer);
    if (!report->ok()) break;
  }
  return answer;
}

absl::StatusOr<Answer> CheckIntervals(const PlannedInput& planned, const std::string& plan_path) {
  const absl::StatusOr<CheckReport> report = CheckProblemPlan(*planned.input.problem(), planned.problem_plan.plan);
  if (!report.ok()) return Unchecked(plan_path, report.status());
  Answer answer;
  AddFaults(*report, answer);
  return answer;
}

std::string AnswerText(const Answer& answer, const Graph* graph, bool asked_for) {
  std::string text;
  for (const Answer::Fault& fault : answer.faults) {
    absl::StrAppend(&text, fault.kind, ": ", Printable(fault.message, 2000));
    if (graph != nullptr && !fault.symbols.empty())
      absl::StrAppend(&text, " (at ", SymbolValuesText(*graph, fault.symbols), ")");
    absl::StrAppend(&text, "\n");
  }
  if (!answer.faults.empty()) return text;
  if (graph == nullptr || graph->symbols().empty()) return "valid\n";
  const std::string tuples = Plural(answer.symbol_tuples, "tuple", "tuples");
  if (answer.exact) {
    return absl::StrCat("valid: checked at all symbol values ", asked_for ? "asked for (" : "(", tuples, ")\n");
  }
  return absl::StrCat("valid: checked at ", tuples, " of symbol values (corners and samples, not all there are)\n");
}

std::string AnswerJson(const Answer& answer, const Graph* graph) {
  JsonObjectText object;
  object.String("status", answer.faults.empty() ? "valid" : "invalid");
  object.Integer("symbol_tuples", answer.symbol_tuples).Bool("exact", answer.exact);
  object.Raw("violations", JsonArray(answer.faults, [&](const Answer::Fault& fault) {
               JsonObjectText violation;
               violation.String("kind", fault.kind).String("message", fault.message);
               JsonObjectText symbols;
               for (size_t i = 0; graph != nullptr && i < fault.symbols.size(); ++i) {
                 symbols.Integer(graph->symbols()[i].name, fault.symbols[i]);
               }
               violation.Raw("symbols", symbols.Finish());
               return violation.Finish();
             }));
  return object.Finish() + "\n";
}

}  // namespace

const CommandSpec kCheckCommand = {
    "check",
    "GRAPH PLAN",
    2,
    2,
    "say whether a plan is valid for a graph, or what is wrong with it",
    "Decides from graph and plan alone whether every op reads what it should. Prints \"valid\", or each violation\n"
    "on a line of its own. GRAPH may also be an interval problem, and PLAN then its CSV with offsets.\n"
    "The plan must have been made for this very graph. With symbols the check is exact where all their values\n"
    "are looked at; else corners of their ranges and samples inside are, which is said.\n",
    kOptions};

absl::StatusOr<int> RunCheck(const CommandLine& line, const ToolIo& io) {
  const std::string &path = line.arguments()[0], &plan_path = line.arguments()[1];
  const absl::StatusOr<std::optional<GgmlRegions>> regions = RegionsOption(line);
  if (!regions.ok()) return regions.status();
  const absl::StatusOr<PlannedInput> planned = LoadPlanned(path, plan_path, io, *regions);
  if (!planned.ok()) return planned.status();
  const std::optional<std::string> symbols = line.Value("--symbols");
  Answer answer;
  const Graph* graph = planned->input.graph();
  if (!planned->mismatch.ok()) {
    answer.symbol_tuples = 0;
    answer.faults.push_back({"fingerprint", std::string(planned->mismatch.message()), {}});
  } else {
    if (graph == nullptr && symbols.has_value()) {
      return InFile(path, absl::InvalidArgumentError("is a problem, which has no symbols"));
    }
    const Progress progress(io, "checking");
    absl::StatusOr<Answer> checked =
        graph != nullptr ? CheckGraphPlan(*planned, symbols, plan_path) : CheckIntervals(*planned, plan_path);
    if (!checked.ok()) return checked.status();
    answer = *std::move(checked);
  }
  const std::string text =
      line.Has("--json") ? AnswerJson(answer, graph) : AnswerText(answer, graph, symbols.has_value());
  if (absl::Status s = WriteResult(text, io); !s.ok()) return s;
  return answer.faults.empty() ? 0 : 1;
}

}  // namespace bufplan
