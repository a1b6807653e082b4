#include "io/tool/run_command.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/device/open_device.h"
#include "gpu_runtime/execute/compare.h"
#include "gpu_runtime/execute/device_pool.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/registry/bind_kernels.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "io/explain/layout.h"
#include "io/explain/text_table.h"
#include "io/json_text.h"
#include "io/tool/kernel_attrs.h"
#include "io/tool/load.h"
#include "io/tool/output.h"
#include "io/tool/progress.h"
#include "io/tool/symbol_tuples.h"

namespace bufplan {
namespace {

using runtime::CompareOptions;
using runtime::Comparison;
using runtime::Device;

constexpr OptionSpec kOptions[] = {
    {"--device", "D", "host, cuda or hip; host if left out"},
    {"--symbols", "S", "run at these values or in these ranges of symbols: s=17,t=0..4094"},
    {"--stress", "N", "run N times more with random delays, garbage in dead bytes and verified guards"},
    {"--kernels", "K", "mix, or real: ops run the kernels that their attribute \"kernel\" names; mix if left out"},
    {"--tolerance", "T", "with real kernels: how far apart numbers may be at the end, relative; 0 if left out"},
    {"--sample", "BYTES", "write and read only the first and the last BYTES of what each op writes"},
    {"--capture", "",
     "capture each step as a graph of the device, and replay it; all runs under stress have the same delays"},
    {"--seed", "N", "of contents and delays; 1 if left out"},
    {"--regions", "MODE", "how a ggml dump was planned: keep, fuse or streams; without, as the plan says"},
    {"--json", "", "print one line of JSON"}};

// More tuples of symbol values than this are not run: the smallest, the largest, and some between.
constexpr size_t kMaxTuples = 5;
constexpr int kTimedRuns = 3;

struct Request {
  std::string device = "host";
  bool real_kernels = false;
  CompareOptions options;
  std::vector<std::vector<int64_t>> tuples;
  bool all_tuples = true;
};

absl::StatusOr<int64_t> Count(const CommandLine& line, absl::string_view option, int64_t min, int64_t fallback) {
  const std::optional<std::string> text = line.Value(option);
  return text.has_value() ? ParseCount(option, *text, min) : fallback;
}

std::vector<std::vector<int64_t>> SomeOf(std::vector<std::vector<int64_t>> tuples) {
  if (tuples.size() <= kMaxTuples) return tuples;
  std::sort(tuples.begin(), tuples.end());
  std::vector<std::vector<int64_t>> some;
  for (size_t i = 0; i < kMaxTuples; ++i) some.push_back(tuples[i * (tuples.size() - 1) / (kMaxTuples - 1)]);
  return some;
}

absl::StatusOr<Request> ParseRequest(const CommandLine& line, const Graph& graph) {
  Request request;
  request.device = line.Value("--device").value_or("host");
  const absl::StatusOr<int64_t> stress = Count(line, "--stress", 0, 0), seed = Count(line, "--seed", 0, 1);
  if (!stress.ok()) return stress.status();
  if (!seed.ok()) return seed.status();
  if (*stress > 1'000'000) return absl::InvalidArgumentError("option --stress: at most 1000000");
  request.options.stress = static_cast<int>(*stress);
  request.options.seed = static_cast<uint64_t>(*seed);
  request.options.capture = line.Has("--capture");
  request.options.timed_runs = kTimedRuns;
  const std::string kernels = line.Value("--kernels").value_or("mix");
  if (kernels != "mix" && kernels != "real") {
    return absl::InvalidArgumentError(
        absl::StrCat("option --kernels: ", InQuotes(kernels), " is neither mix nor real"));
  }
  request.real_kernels = kernels == "real";
  if (const std::optional<std::string> text = line.Value("--tolerance")) {
    double& tolerance = request.options.tolerance;
    if (!request.real_kernels) return absl::InvalidArgumentError("option --tolerance: needs --kernels real");
    if (!absl::SimpleAtod(*text, &tolerance) || !(tolerance >= 0) || !std::isfinite(tolerance)) {
      return absl::InvalidArgumentError(absl::StrCat("option --tolerance: ", InQuotes(*text), " is no number >= 0"));
    }
  }
  if (request.real_kernels && line.Has("--sample")) {
    return absl::InvalidArgumentError("option --sample: real kernels read and write everything");
  }
  if (line.Has("--sample")) {
    const absl::StatusOr<int64_t> sample = Count(line, "--sample", 1, 0);
    if (!sample.ok()) return sample.status();
    request.options.sample_bytes = *sample;
  }
  const absl::StatusOr<SymbolTuples> tuples = ParseSymbolTuples(graph, line.Value("--symbols").value_or(""));
  if (!tuples.ok()) return tuples.status();
  request.tuples = SomeOf(tuples->tuples);
  request.all_tuples = tuples->exact && request.tuples.size() == tuples->tuples.size();
  return request;
}

// What was run, whatever came of it.
struct Report {
  std::string device;
  std::vector<int64_t> symbols;  // at which a difference was found, else of the last run
  Comparison comparison;         // counts of all runs
};

void Merge(const Comparison& more, Report& report) {
  Comparison& all = report.comparison;
  all.difference = more.difference;
  all.runs += more.runs;
  all.reads_compared += more.reads_compared;
  all.values_compared += more.values_compared;
}

// The kernels that the graph's attributes name, and random numbers for them to work on.
struct RealKernels {
  runtime::KernelTable table;
  std::vector<ContentSpec> contents;
  int64_t compute_ops = 0, ops = 0;  // ops: of these, that have a kernel
  int64_t groups = 0;                // that the plan fuses and that have one
  std::string mixing = {};           // the first op without
};

absl::StatusOr<RealKernels> LoadKernels(const Graph& graph, const Plan& plan) {
  const auto specs = KernelSpecsOf(graph);
  if (!specs.ok()) return specs.status();
  absl::StatusOr<runtime::KernelTable> table = runtime::BindKernels(graph, *specs);
  if (!table.ok()) return table.status();
  absl::StatusOr<std::vector<ContentSpec>> contents = ContentSpecsOf(graph);
  if (!contents.ok()) return contents.status();
  RealKernels kernels = {*std::move(table), *std::move(contents)};
  for (size_t o = 0; o < specs->size(); ++o) {
    const OpId op(static_cast<int32_t>(o));
    if (graph.op(op).kind != OpKind::kCompute) continue;
    ++kernels.compute_ops;
    if ((*specs)[o].has_value()) {
      ++kernels.ops;
    } else if (kernels.mixing.empty()) {
      kernels.mixing = InQuotes(graph.name(op));
    }
  }
  for (size_t f = 0; f < plan.fused.size(); ++f) {
    const size_t fusion = plan.fused[f].fusion.index();
    if (!plan.fused[f].fused || fusion >= kernels.table.of_fusion.size()) continue;
    kernels.groups += kernels.table.of_fusion[fusion] != nullptr ? 1 : 0;
  }
  if (kernels.ops == 0) {
    return absl::InvalidArgumentError("option --kernels: no op of the graph has an attribute \"kernel\"");
  }
  return kernels;
}

absl::StatusOr<Report> Execute(const Graph& graph, const Plan& plan, const Request& request,
                               const RealKernels& kernels) {
  absl::StatusOr<std::unique_ptr<Device>> device = runtime::OpenDevice(request.device);
  if (!device.ok()) return device.status();
  runtime::DevicePool pool(**device);
  Report report;
  report.device = (*device)->properties().name;
  for (const std::vector<int64_t>& tuple : request.tuples) {
    CompareOptions options = request.options;
    if (!graph.symbols().empty()) options.symbol_values = tuple;
    if (request.real_kernels) {
      options.kernels = &kernels.table;
      options.is_f32 = [&](ValueId v) { return kernels.contents[v.index()].type == ContentSpec::Type::kF32; };
      options.initial = [&](ValueId v, int64_t bytes) {
        const uint64_t seed = runtime::MixTwo(options.seed, static_cast<uint64_t>(v.value));
        return RandomContent(kernels.contents[v.index()], bytes, seed);
      };
    }
    report.symbols = options.symbol_values;
    const absl::StatusOr<Comparison> c = CompareWithReference(pool, graph, plan, options);
    if (!c.ok()) return c.status();
    Merge(*c, report);
    report.comparison.planned_bytes = c->planned_bytes;
    report.comparison.reference_bytes = c->reference_bytes;
    report.comparison.planned_time = c->planned_time;
    report.comparison.reference_time = c->reference_time;
    if (c->difference.has_value()) return report;
    // On the host also in orders that threads would take once in a while.
    if (request.device != "host" || request.options.stress == 0 || graph.num_streams() == 1) continue;
    const std::unique_ptr<Device> interleaved = runtime::MakeHostDevice({.interleaving_seed = request.options.seed});
    options.timed_runs = 0;
    const absl::StatusOr<Comparison> more = CompareWithReference(*interleaved, graph, plan, options);
    if (!more.ok()) return more.status();
    Merge(*more, report);
    if (more->difference.has_value()) return report;
  }
  return report;
}

std::string Ratio(absl::Duration a, absl::Duration b) {
  return b <= absl::ZeroDuration() ? "" : absl::StrFormat("%.2f", absl::FDivDuration(a, b));
}

// "kernels: 124 of 125 ops, 25 fused groups; the others mix, "embed" for one".
std::string KernelsText(const RealKernels& kernels) {
  return absl::StrCat("kernels: ", FormatCount(kernels.ops), " of ", Plural(kernels.compute_ops, "op", "ops"), ", ",
                      Plural(kernels.groups, "fused group", "fused groups"),
                      kernels.mixing.empty() ? "" : absl::StrCat("; the others mix, ", kernels.mixing, " for one"),
                      "\n");
}

std::string ReportText(const Graph& graph, const Plan& plan, const Request& request, const RealKernels& kernels,
                       const Report& report) {
  const Comparison& c = report.comparison;
  const std::string at =
      graph.symbols().empty() ? "" : absl::StrCat(" (at ", SymbolValuesText(graph, report.symbols), ")");
  if (c.difference.has_value()) {
    return absl::StrCat("differs: ", Printable(c.difference->text, 2000), at,
                        c.difference->run == 0 ? "\n" : absl::StrCat("; run ", c.difference->run, " under stress\n"));
  }
  TextTable table({TextAlign::kLeft, TextAlign::kRight, TextAlign::kRight, TextAlign::kRight}, 0);
  table.Row({"", "planned", "reference", "ratio"});
  table.Row({"memory", FormatSize(c.planned_bytes), FormatSize(c.reference_bytes),
             c.reference_bytes == 0 ? ""
                                    : absl::StrFormat("%.2f", static_cast<double>(c.planned_bytes) /
                                                                  static_cast<double>(c.reference_bytes))});
  table.Row(
      {"time", FormatTime(c.planned_time), FormatTime(c.reference_time), Ratio(c.planned_time, c.reference_time)});
  table.Row({"copies", FormatCount(plan.stats.copies_kept),
             FormatCount(plan.stats.copies_kept + plan.stats.copies_elided), ""});
  std::string text =
      absl::StrCat(table.Text(), "\n", request.real_kernels ? KernelsText(kernels) : "",
                   "equal: ", Plural(c.runs, "run", "runs"), " on ", report.device, ", ",
                   request.real_kernels ? "" : absl::StrCat(Plural(c.reads_compared, "read", "reads"), " and "),
                   Plural(c.values_compared, "value", "values"), " at the end compared");
  if (!graph.symbols().empty()) {
    absl::StrAppend(&text, ", at ", Plural(static_cast<int64_t>(request.tuples.size()), "tuple", "tuples"),
                    " of symbol values", request.all_tuples ? "" : " (not all there are)");
  }
  if (request.options.sample_bytes.has_value()) {
    absl::StrAppend(&text, "; of each write the first and last ", FormatSize(*request.options.sample_bytes));
  }
  return text + "\n";
}

std::string ReportJson(const Graph& graph, const Request& request, const Report& report) {
  const Comparison& c = report.comparison;
  JsonObjectText object;
  object.String("status", c.difference.has_value() ? "differs" : "equal").String("device", report.device);
  object.Integer("runs", c.runs).Integer("reads_compared", c.reads_compared);
  object.Integer("values_compared", c.values_compared);
  object.Integer("planned_bytes", c.planned_bytes).Integer("reference_bytes", c.reference_bytes);
  object.Raw("planned_seconds", absl::StrFormat("%.9f", absl::ToDoubleSeconds(c.planned_time)));
  object.Raw("reference_seconds", absl::StrFormat("%.9f", absl::ToDoubleSeconds(c.reference_time)));
  object.Integer("symbol_tuples", static_cast<int64_t>(request.tuples.size())).Bool("exact", request.all_tuples);
  if (c.difference.has_value()) {
    JsonObjectText difference;
    difference.String("message", c.difference->text).Integer("run", c.difference->run);
    if (c.difference->op.has_value()) difference.String("op", graph.name(*c.difference->op));
    if (c.difference->value.has_value()) difference.String("value", graph.name(*c.difference->value));
    if (c.difference->byte.has_value()) difference.Integer("byte", *c.difference->byte);
    JsonObjectText symbols;
    for (size_t i = 0; i < report.symbols.size(); ++i) symbols.Integer(graph.symbols()[i].name, report.symbols[i]);
    difference.Raw("symbols", symbols.Finish());
    object.Raw("difference", difference.Finish());
  }
  return object.Finish() + "\n";
}

}  // namespace

const CommandSpec kRunCommand = {
    "run",
    "GRAPH PLAN",
    2,
    2,
    "execute a plan on a device, and compare it with the graph executed without one",
    "Every compute op runs as one that reads all bytes it declares to read and makes all bytes it declares to write\n"
    "of them, of its name and of their place; so a plan of any framework's graph is executed without its kernels.\n"
    "The reference has each value in memory of its own and runs the ops in list order on one stream. What each op\n"
    "reads and what is there at the end must be equal to the byte; the first difference is printed.\n"
    "On the host --stress also runs N + 1 interleavings of the streams that chance chooses.\n"
    "With --kernels real ops and groups run the kernels of gpu_runtime/registry, on random numbers, and what is there\n"
    "at the end is compared.\n",
    kOptions};

absl::StatusOr<int> RunRun(const CommandLine& line, const ToolIo& io) {
  const std::string &path = line.arguments()[0], &plan_path = line.arguments()[1];
  const absl::StatusOr<std::optional<GgmlRegions>> regions = RegionsOption(line);
  if (!regions.ok()) return regions.status();
  const absl::StatusOr<PlannedInput> planned = LoadPlanned(path, plan_path, io, *regions);
  if (!planned.ok()) return planned.status();
  const Graph* graph = planned->input.graph();
  if (graph == nullptr) return InFile(path, absl::InvalidArgumentError("is a problem: there is nothing to execute"));
  if (!planned->mismatch.ok()) return absl::InvalidArgumentError(planned->mismatch.message());
  const absl::StatusOr<Request> request = ParseRequest(line, *graph);
  if (!request.ok()) return request.status();
  absl::StatusOr<RealKernels> kernels = request->real_kernels ? LoadKernels(*graph, planned->plan) : RealKernels();
  if (!kernels.ok()) return InFile(path, kernels.status());
  absl::StatusOr<Report> report = absl::InternalError("");
  {
    const Progress progress(io, "running");
    report = Execute(*graph, planned->plan, *request, *kernels);
  }
  if (!report.ok()) return report.status();
  const std::string text = line.Has("--json") ? ReportJson(*graph, *request, *report)
                                              : ReportText(*graph, planned->plan, *request, *kernels, *report);
  if (absl::Status s = WriteResult(text, io); !s.ok()) return s;
  return report->comparison.difference.has_value() ? 1 : 0;
}

}  // namespace bufplan
