#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "io/csv.h"
#include "io/explain/explain.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"
#include "io/json_graph.h"
#include "io/json_plan.h"
#include "io/json_problem.h"
#include "io/tool/commands.h"
#include "io/tool/load.h"
#include "io/tool/output.h"
#include "io/tool/plan_summary.h"
#include "io/tool/progress.h"
#include "planner/make_plan.h"
#include "planner/options.h"
#include "planner/placement/placement.h"
#include "planner/placement/shortfall.h"
#include "planner/plan_problem.h"

namespace bufplan {
namespace {

constexpr OptionSpec kOptions[] = {
    {"-o", "PLAN", "write the plan there; a problem's as CSV with offsets if it ends in .csv; - is standard output"},
    {"--capacity", "N", "limit on the bytes of the default space; one in the file counts if it is smaller"},
    {"--work-limit", "N", "elementary steps of placement; 0: what the effort allows"},
    {"--time-limit", "S",
     "seconds, as 0.5: the best plan found until then; without --effort and --work-limit nothing else ends the search"},
    {"--threads", "N",
     "threads of the exact search, at most; as many as there are cores without it; the plan is the same"},
    {"--effort", "E", "fast: one greedy pass; default; max: until proven or out of budget"},
    {"--objective", "O", "memory: least bytes of arenas, then fewest bytes copied; copies: the other way round"},
    {"--reuse-edges", "R",
     "order edges for room across streams: if-short (the default), allow (lower the peak), never"},
    {"--symbols", "S", "values or ranges of symbols: s=17,t=0..4094"},
    {"--function", "F", "the function of an IREE dump to plan: NAME, or PART:NAME of a split file"},
    {"--regions", "MODE", "what the regions of a ggml dump become: keep (keep-alives), fuse (groups) or streams"},
    {"--draw", "", "draw the arenas as text"},
    {"--json", "", "print one line of JSON in place of the table"}};
constexpr absl::string_view kEfforts[] = {"fast", "default", "max"};
constexpr absl::string_view kObjectives[] = {"memory", "copies"};
constexpr absl::string_view kReuseEdges[] = {"never", "if-short", "allow"};

struct Request {
  std::string output;  // empty: none
  PlanOptions options;
  LoadOptions load;
  bool json = false, draw = false;
};

// The index of the option's value among `words`; `otherwise` if it was not given.
absl::StatusOr<size_t> OneOf(const CommandLine& line, absl::string_view option,
                             absl::Span<const absl::string_view> words, size_t otherwise) {
  const std::optional<std::string> value = line.Value(option);
  if (!value.has_value()) return otherwise;
  const auto word = std::find(words.begin(), words.end(), *value);
  if (word != words.end()) return static_cast<size_t>(word - words.begin());
  return absl::InvalidArgumentError(absl::StrCat("option ", option, ": ", InQuotes(*value), " is none of ",
                                                 absl::StrJoin(words, ", "), DidYouMean(*value, words, 1)));
}

absl::StatusOr<Request> ReadRequest(const CommandLine& line) {
  Request request;
  if (const auto value = line.Value("-o")) {
    request.output = *value;
    if (absl::Status s = CheckOutputPath(*value); !s.ok()) return s;
  }
  if (const auto value = line.Value("--capacity")) {
    const absl::StatusOr<int64_t> bytes = ParseCount("--capacity", *value, 0);
    if (!bytes.ok()) return bytes.status();
    request.options.capacity_bytes = *bytes;
  }
  request.options.threads = static_cast<int32_t>(std::max(1U, std::thread::hardware_concurrency()));
  if (const auto value = line.Value("--threads")) {
    const absl::StatusOr<int64_t> threads = ParseCount("--threads", *value, 1);
    if (!threads.ok()) return threads.status();
    request.options.threads = static_cast<int32_t>(std::min<int64_t>(*threads, INT32_MAX));
  }
  if (const auto value = line.Value("--work-limit")) {
    const absl::StatusOr<int64_t> steps = ParseCount("--work-limit", *value, 0);
    if (!steps.ok()) return steps.status();
    request.options.work_limit = *steps;
  }
  if (const auto value = line.Value("--time-limit")) {
    const absl::StatusOr<absl::Duration> limit = ParseSeconds("--time-limit", *value);
    if (!limit.ok()) return limit.status();
    request.options.time_limit = *limit;
  }
  const Effort otherwise = line.Has("--time-limit") ? Effort::kMax : Effort::kDefault;
  const absl::StatusOr<size_t> effort = OneOf(line, "--effort", kEfforts, static_cast<size_t>(otherwise));
  if (!effort.ok()) return effort.status();
  request.options.effort = static_cast<Effort>(*effort);
  const absl::StatusOr<size_t> objective =
      OneOf(line, "--objective", kObjectives, static_cast<size_t>(Objective::kMemory));
  if (!objective.ok()) return objective.status();
  request.options.objective = static_cast<Objective>(*objective);
  const absl::StatusOr<size_t> reuse =
      OneOf(line, "--reuse-edges", kReuseEdges, static_cast<size_t>(ReuseEdges::kIfShort));
  if (!reuse.ok()) return reuse.status();
  request.options.reuse_edges = static_cast<ReuseEdges>(*reuse);
  if (const auto value = line.Value("--symbols")) {
    absl::StatusOr<SymbolOverrides> symbols = ParseSymbolOverrides(*value);
    if (!symbols.ok())
      return absl::InvalidArgumentError(absl::StrCat("option --symbols: ", symbols.status().message()));
    request.load.symbols = *std::move(symbols);
  }
  request.load.function = line.Value("--function").value_or("");
  const absl::StatusOr<std::optional<GgmlRegions>> regions = RegionsOption(line);
  if (!regions.ok()) return regions.status();
  request.load.regions = *regions;
  request.json = line.Has("--json");
  request.draw = line.Has("--draw");
  if (request.json && request.draw) return UsageError("--json and --draw exclude each other", kPlanCommand.name);
  return request;
}

// As the plan file has it and `check` reads it.
std::string SymbolsOption(const SymbolOverrides& symbols) {
  std::string text;
  for (const SymbolOverride& o : symbols) {
    absl::StrAppend(&text, text.empty() ? "" : ",", o.name, "=", o.min);
    if (o.min != o.max) absl::StrAppend(&text, "..", o.max);
  }
  return text;
}

// Says whether a failure is a proof, or what may help.
absl::Status NameOutcome(const absl::Status& status, const std::string& path, bool graph, const Request& request) {
  absl::string_view name, help;
  if (absl::IsResourceExhausted(status)) {
    // Storages are the result of a choice: others might need less.
    name = graph ? "infeasible, proven for every way to share bytes that was tried: " : "infeasible, proven: ";
  } else if (absl::IsDeadlineExceeded(status)) {
    name = "gave up: ";
    const bool timed = request.options.time_limit != absl::InfiniteDuration();
    const bool is_max = request.options.effort == Effort::kMax;
    help = request.options.work_limit > 0 ? "; a larger --work-limit, or none, may help"
           : is_max                       ? (timed ? "; a longer --time-limit may help" : "; --time-limit S may help")
           : timed                        ? "; --effort max, or a longer --time-limit, may help"
                                          : "; --effort max, or --time-limit S, may help";
  }
  return Reworded(status, absl::StrCat(PathText(path), ": ", name, status.message(), help));
}

struct Outcome {
  PlanSummary summary;
  std::string file;     // what goes to the output file
  std::string picture;  // if asked for
};

absl::StatusOr<Outcome> PlanGraph(const Graph& graph, const Request& request, const ToolIo& io) {
  if (IsCsvPath(request.output)) {
    return absl::InvalidArgumentError(absl::StrCat(PathText(request.output), ": plans of graphs are written as .json, ",
                                                   "only those of problems as .csv"));
  }
  const absl::Time start = absl::Now();
  absl::StatusOr<Plan> plan = [&] {
    const Progress progress(io, "planning");
    return MakePlan(graph, request.options);
  }();
  const absl::Duration time = absl::Now() - start;
  if (!plan.ok()) return plan.status();
  const LoadOptions& load = request.load;
  if (!load.symbols.empty()) plan->options.emplace_back("symbols", SymbolsOption(load.symbols));
  if (!load.function.empty()) plan->options.emplace_back("function", load.function);
  if (load.regions.has_value()) plan->options.emplace_back("regions", std::string(ToString(*load.regions)));
  Outcome outcome;
  outcome.summary = SummaryOf(graph, *plan, time);
  if (!request.output.empty()) outcome.file = WritePlanJson(graph, *plan);
  if (request.draw) outcome.picture = DrawPlan(graph, *plan, io.width);
  return outcome;
}

absl::StatusOr<Outcome> PlanIntervals(const Problem& problem, const Request& request, const ToolIo& io) {
  Problem limited = problem;
  if (request.options.capacity_bytes.has_value()) {
    limited.capacity_bytes = std::min(problem.capacity_bytes.value_or(INT64_MAX), *request.options.capacity_bytes);
  }
  PlanProblemOptions options;
  constexpr PlacementEffort kPlacementEfforts[] = {PlacementEffort::kFast, PlacementEffort::kDefault,
                                                   PlacementEffort::kMax};
  options.placement.effort = kPlacementEfforts[static_cast<size_t>(request.options.effort)];
  options.placement.work_limit = request.options.work_limit;
  options.placement.deadline = request.options.deadline;
  options.placement.threads = request.options.threads;
  const absl::Time start = absl::Now();
  absl::StatusOr<ProblemPlan> plan = [&] {
    const Progress progress(io, "planning");
    return PlanProblem(limited, options);
  }();
  const absl::Duration time = absl::Now() - start;
  if (!plan.ok()) return plan.status();
  Outcome outcome;
  outcome.summary = SummaryOf(problem, *plan, time);
  if (request.draw) outcome.picture = absl::StrCat("\n", DrawProblem(problem, *plan, io.width));
  if (IsCsvPath(request.output)) {
    outcome.file = WriteProblemCsv(problem, plan->offsets);
  } else if (!request.output.empty()) {
    ProblemPlanFile file;
    file.bound = plan->by_search ? BoundKind::kSearch : BoundKind::kLoad;
    file.plan = *std::move(plan);
    file.options.emplace_back("effort", std::string(kEfforts[static_cast<size_t>(request.options.effort)]));
    if (request.options.capacity_bytes.has_value()) {
      file.options.emplace_back("capacity", absl::StrCat(*request.options.capacity_bytes));
    }
    if (request.options.work_limit > 0)
      file.options.emplace_back("work_limit", absl::StrCat(request.options.work_limit));
    if (request.options.time_limit != absl::InfiniteDuration()) {
      file.options.emplace_back("time_limit", absl::StrCat(absl::ToDoubleSeconds(request.options.time_limit)));
    }
    outcome.file = WriteProblemPlanJson(problem, file);
  }
  return outcome;
}

}  // namespace

const CommandSpec kPlanCommand = {
    "plan",
    "IN",
    1,
    1,
    "plan a graph or an interval problem, print a summary",
    "Plans a graph (graph JSON, ggml dump or IREE stream text) or an interval problem (problem JSON or CSV),\n"
    "checks the plan, and prints what it takes: bytes of each arena, copies kept and elided, bytes that the graph\n"
    "as written would move and bytes that are moved. The plan goes to the file given with -o; on any failure that\n"
    "file is left as it was. With \"-o -\" the plan goes to standard output and the summary to standard error.\n"
    "\n"
    "The answer is one of four. optimal: no placement of what is stored needs less. feasible: a plan that is not\n"
    "proven to be optimal. infeasible: proven, nothing fits within the capacity. gave up: no plan within the\n"
    "capacity was found, nor a proof that there is none. The last two exit with status 1; with --json their numbers\n"
    "are a line of JSON on standard output as well: status, space, capacity, lower_bound, best_known, message.\n"
    "A time limit counts from the start of the command; reading the file, a first plan and checking always run.\n",
    kOptions};

absl::StatusOr<int> RunPlan(const CommandLine& line, const ToolIo& io) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<Request> request = ReadRequest(line);
  if (!request.ok()) return request.status();
  if (request->options.time_limit != absl::InfiniteDuration()) {
    request->options.deadline = Deadline(start + absl::ToChronoNanoseconds(request->options.time_limit));
  }
  const std::string& path = line.arguments()[0];
  const absl::StatusOr<Input> input = LoadInput(path, request->load, io);
  if (!input.ok()) return input.status();
  // To write a plan takes up to as long as to read what it is the plan of; the rest is what all comes to an end with.
  const double part = request->output.empty() ? 0.2 : 0.8;
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  request->options.deadline = request->options.deadline.LessTime(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(part * reading));
  if (!IsCsvPath(request->output) && SameFile(path, request->output)) {
    return absl::InvalidArgumentError(absl::StrCat(PathText(path), ": the plan would replace what it is the plan of"));
  }
  const absl::StatusOr<Outcome> outcome = input->graph() != nullptr ? PlanGraph(*input->graph(), *request, io)
                                                                    : PlanIntervals(*input->problem(), *request, io);
  if (!outcome.ok()) {
    const absl::Status status = NameOutcome(outcome.status(), path, input->graph() != nullptr, *request);
    const std::optional<Shortfall> shortfall = ShortfallOf(status);
    if (!request->json || !shortfall.has_value()) return status;
    const std::string failure = FailureJson(*shortfall, absl::IsResourceExhausted(status), status.message());
    if (request->output == "-") {
      io.write_err(failure);
    } else if (absl::Status s = WriteResult(failure, io); !s.ok()) {
      return s;
    }
    return status;
  }
  const std::string summary =
      request->json ? SummaryJson(outcome->summary) : absl::StrCat(SummaryTable(outcome->summary), outcome->picture);
  if (request->output == "-") {
    io.write_err(summary);
  } else if (absl::Status s = WriteResult(summary, io); !s.ok()) {
    return s;
  }
  if (!request->output.empty()) {
    if (absl::Status s = WriteOutput(request->output, outcome->file, io); !s.ok()) return s;
  }
  return 0;
}

}  // namespace bufplan
