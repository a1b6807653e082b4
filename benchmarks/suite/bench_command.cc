#include "benchmarks/suite/bench_command.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "benchmarks/suite/cases.h"
#include "benchmarks/suite/data_folder.h"
#include "benchmarks/suite/measure.h"
#include "benchmarks/suite/methods.h"
#include "benchmarks/suite/report.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"
#include "io/tool/load.h"
#include "io/tool/output.h"
#include "io/tool/progress.h"

namespace bufplan {
namespace {

constexpr OptionSpec kOptions[] = {
    {"-o", "FILE", "write the results there as JSON; with - they go to standard output and tables to standard error"},
    {"--compare", "OLD", "fail with exit status 1 if a result is worse than in OLD, a file written with -o"},
    {"--time-tolerance", "P", "how much longer, in percent, is no regression (50)"},
    {"--time-floor", "MS", "nor is what takes at most that many milliseconds longer (10)"},
    {"--problem", "NAME", "only the problem of that name"},
    {"--data", "DIR", "the folder benchmarks/data of the source tree; else found from here or the program upwards"},
    {"--max", "", "measure the effort max too"},
    {"--huge", "", "scale goes to 10^7 buffers, which takes some GB of memory"}};

struct Request {
  std::vector<absl::string_view> suites;
  std::string output;  // empty: none
  std::optional<std::string> problem;
  std::optional<std::vector<BenchResult>> old_results;
  CompareOptions compare;
  bool with_max = false, huge = false;
};

absl::StatusOr<std::vector<BenchResult>> LoadReport(const std::string& path, const ToolIo& io) {
  const absl::StatusOr<std::string> text = io.read(path);
  if (!text.ok()) return InFile(path, text.status());
  absl::StatusOr<std::vector<BenchResult>> report = ReadReportJson(*text);
  if (!report.ok()) return InFile(path, report.status());
  return report;
}

absl::StatusOr<Request> ReadRequest(const CommandLine& line, const ToolIo& io) {
  Request request;
  if (line.arguments().empty()) {
    // All but scale, which takes its time.
    request.suites.assign(std::begin(kSuites), std::end(kSuites) - 1);
  } else {
    const std::string& suite = line.arguments()[0];
    const auto found = std::find(std::begin(kSuites), std::end(kSuites), suite);
    if (found == std::end(kSuites)) {
      return UsageError(absl::StrCat("there is no suite ", InQuotes(suite), "; there are ",
                                     absl::StrJoin(kSuites, ", "), DidYouMean(suite, kSuites, 1)),
                        kBenchCommand.name);
    }
    request.suites = {*found};
  }
  if (const auto value = line.Value("-o")) {
    request.output = *value;
    if (absl::Status s = CheckOutputPath(*value); !s.ok()) return s;
  }
  for (const absl::string_view option : {"--time-tolerance", "--time-floor"}) {
    const auto value = line.Value(option);
    if (!value.has_value()) continue;
    if (!line.Has("--compare")) return UsageError(absl::StrCat(option, " goes with --compare"), kBenchCommand.name);
    const absl::StatusOr<int64_t> number = ParseCount(option, *value, 0);
    if (!number.ok()) return number.status();
    if (option == "--time-tolerance") {
      request.compare.time_tolerance_percent = *number;
    } else {
      request.compare.time_floor_ns = std::min<int64_t>(*number, 1'000'000'000'000) * 1'000'000;
    }
  }
  if (const auto value = line.Value("--compare")) {
    absl::StatusOr<std::vector<BenchResult>> report = LoadReport(*value, io);
    if (!report.ok()) return report.status();
    request.old_results = *std::move(report);
  }
  request.problem = line.Value("--problem");
  request.with_max = line.Has("--max");
  request.huge = line.Has("--huge");
  if (request.huge && request.suites.back() != "scale") {
    return UsageError("--huge goes with the suite scale", kBenchCommand.name);
  }
  return request;
}

absl::StatusOr<std::vector<CaseSource>> SourcesOf(const Request& request, const DataFolder& data, const ToolIo& io) {
  std::vector<CaseSource> sources;
  for (const absl::string_view suite : request.suites) {
    for (CaseSource& source : CasesOf(suite, data, io.read, request.huge)) sources.push_back(std::move(source));
  }
  if (!request.problem.has_value()) return sources;
  std::vector<absl::string_view> names;
  for (const CaseSource& source : sources) names.push_back(source.name);
  const std::string hint = DidYouMean(*request.problem, names, 1);
  sources.erase(std::remove_if(sources.begin(), sources.end(),
                               [&](const CaseSource& source) { return source.name != *request.problem; }),
                sources.end());
  if (!sources.empty()) return sources;
  return absl::InvalidArgumentError(absl::StrCat("option --problem: there is no ", InQuotes(*request.problem), " in ",
                                                 absl::StrJoin(request.suites, ", "), hint));
}

absl::StatusOr<std::vector<BenchResult>> RunCase(const CaseSource& source, bool with_max, const ToolIo& io) {
  const std::string title = absl::StrCat(source.suite, " ", source.name);
  const auto in_case = [&](absl::string_view method, const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(title, method.empty() ? "" : ", ", method, ": ", status.message()));
  };
  absl::StatusOr<BenchCase> bench_case = [&] {
    const Progress progress(io, title);
    return source.load();
  }();
  if (!bench_case.ok()) return in_case("", bench_case.status());
  std::vector<BenchResult> results;
  int64_t bound = LowerBoundOf(*bench_case);
  for (const Method& method : MethodsFor(*bench_case, with_max)) {
    const absl::StatusOr<Measurement> measured = [&] {
      const Progress progress(io, absl::StrCat(title, ", ", method.name));
      return Measure(*bench_case, method);
    }();
    if (!measured.ok()) return in_case(method.name, measured.status());
    BenchResult& r = results.emplace_back();
    r.suite = source.suite;
    r.problem = source.name;
    r.method = method.name;
    r.buffers = static_cast<int64_t>(bench_case->problem.buffers.size());
    r.measured = *measured;
    // Plans of the graph itself have bounds of their own.
    if (!absl::StartsWith(method.name, "graph ")) bound = std::max(bound, measured->lower_bound);
  }
  for (BenchResult& r : results) {
    r.lower_bound = absl::StartsWith(r.method, "graph ") ? r.measured.lower_bound : bound;
    r.optimal = r.measured.skipped.empty() && (r.measured.optimal || r.measured.bytes <= r.lower_bound);
  }
  return results;
}

// Says what is worse, and how much was compared. 1 if anything is.
absl::StatusOr<int> ReportComparison(const Request& request, const std::vector<BenchResult>& results,
                                     const std::string& old_path, const ToolIo& io) {
  const Comparison comparison = Compare(*request.old_results, results, request.compare);
  if (comparison.compared == 0) {
    return InFile(old_path, absl::InvalidArgumentError("has none of the results that were measured"));
  }
  std::string text =
      absl::StrCat("compared with ", PathText(old_path), ": ", Plural(comparison.compared, "result", "results"), ", ",
                   comparison.regressions.empty()
                       ? "no regression"
                       : Plural(static_cast<int64_t>(comparison.regressions.size()), "regression", "regressions"),
                   "\n");
  for (const std::string& regression : comparison.regressions) absl::StrAppend(&text, "  ", regression, "\n");
  if (request.output == "-") {
    io.write_err(text);
  } else if (absl::Status s = WriteResult(text, io); !s.ok()) {
    return s;
  }
  return comparison.regressions.empty() ? 0 : 1;
}

}  // namespace

const CommandSpec kBenchCommand = {
    "bench",
    "[SUITE]",
    0,
    1,
    "measure placement against published methods",
    "Suites: hard (small problems that greedy orders do not solve), real (networks), known (cut from a rectangle, so\n"
    "that the best is known), chunks (allocations of limited size), scale (10^3 to 10^6 buffers). Without SUITE all\n"
    "but scale. Each problem is solved by our efforts and by every baseline, and every result is checked.\n"
    "\n"
    "bytes: what the placement needs, over: how far above the lower bound, time: the median of up to nine runs,\n"
    "memory: peak growth of the resident set in a process of its own, optimal: nothing can be lower. A dash: the\n"
    "method would take too long. \"graph\" methods plan a whole graph, from sharing on; the others get the storages "
    "of\n"
    "such a plan as intervals.\n",
    kOptions};

absl::StatusOr<int> RunBench(const CommandLine& line, const ToolIo& io) {
  const absl::StatusOr<Request> request = ReadRequest(line, io);
  if (!request.ok()) return request.status();
  DataFolder data;
  if (std::any_of(request->suites.begin(), request->suites.end(), NeedsData)) {
    absl::StatusOr<DataFolder> found = FindDataFolder(line.Value("--data"));
    if (!found.ok()) return found.status();
    data = *std::move(found);
  }
  absl::StatusOr<std::vector<CaseSource>> sources = SourcesOf(*request, data, io);
  if (!sources.ok()) return sources.status();
  std::vector<BenchResult> results;
  size_t first = 0;  // result of the suite
  for (size_t i = 0; i < sources->size(); ++i) {
    const CaseSource& source = (*sources)[i];
    absl::StatusOr<std::vector<BenchResult>> of_case = RunCase(source, request->with_max, io);
    if (!of_case.ok()) return of_case.status();
    results.insert(results.end(), of_case->begin(), of_case->end());
    if (i + 1 < sources->size() && (*sources)[i + 1].suite == source.suite) continue;
    const absl::Span<const BenchResult> of_suite = absl::MakeConstSpan(results).subspan(first);
    const std::string text =
        absl::StrCat(source.suite, "\n", ReportTable(of_suite), "\n", SummaryTable(of_suite), "\n");
    if (request->output == "-") {
      io.write_err(text);
    } else if (absl::Status s = WriteResult(text, io); !s.ok()) {
      return s;
    }
    first = results.size();
  }
  if (!request->output.empty()) {
    if (absl::Status s = WriteOutput(request->output, WriteReportJson(results), io); !s.ok()) return s;
  }
  if (!request->old_results.has_value()) return 0;
  return ReportComparison(*request, results, *line.Value("--compare"), io);
}

}  // namespace bufplan
