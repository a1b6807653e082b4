#include "io/tool/load.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "io/csv.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"
#include "io/fingerprint.h"
#include "io/iree_graph.h"
#include "io/iree_lexer.h"
#include "io/json_dom.h"
#include "io/json_plan.h"

namespace bufplan {
namespace {

absl::StatusOr<GgmlRegions> ParseRegions(absl::string_view word) {
  constexpr absl::string_view kWords[] = {"keep", "fuse", "streams"};
  for (GgmlRegions regions : {GgmlRegions::kKeep, GgmlRegions::kFuse, GgmlRegions::kStreams}) {
    if (word == ToString(regions)) return regions;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(InQuotes(word), " is none of keep, fuse, streams", DidYouMean(word, kWords, 1)));
}

absl::StatusOr<Input> ParseInput(absl::string_view text, const LoadOptions& options) {
  const absl::StatusOr<FileFormat> format = DetectFormat(text);
  if (!format.ok()) return format.status();
  Input input;
  input.format = *format;
  const bool is_iree = *format == FileFormat::kIreeText;
  if (!options.symbols.empty() && *format != FileFormat::kGraphJson && *format != FileFormat::kPlanJson && !is_iree) {
    return absl::InvalidArgumentError(absl::StrCat("is ", ToString(*format), ", which has no symbols"));
  }
  if (!options.function.empty() && !is_iree) {
    return absl::InvalidArgumentError(absl::StrCat("is ", ToString(*format), ", which has no functions"));
  }
  if (options.regions.has_value() && *format != FileFormat::kGgmlDump) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", ToString(*format), ", which has no regions; only a ggml dump has"));
  }
  const auto take = [&](auto content) -> absl::StatusOr<Input> {
    if (!content.ok()) return content.status();
    input.content = *std::move(content);
    return std::move(input);
  };
  switch (*format) {
    case FileFormat::kGraphJson: return take(ReadGraphJson(text, options.symbols));
    case FileFormat::kGgmlDump: {
      return take(ReadGgmlGraph(text, {.regions = options.regions.value_or(GgmlRegions::kIgnore)}));
    }
    case FileFormat::kIreeText: {
      absl::StatusOr<IreeImport> import = ReadIreeGraph(text, {options.symbols, options.function});
      if (!import.ok()) return import.status();
      input.warnings = std::move(import->warnings);
      return take(absl::StatusOr<Graph>(std::move(import->graph)));
    }
    case FileFormat::kProblemJson: return take(ReadProblemJson(text));
    case FileFormat::kProblemCsv: return take(ReadProblemCsv(text));
    case FileFormat::kPlanJson: break;
  }
  return absl::InvalidArgumentError("is a plan, where a graph or a problem is needed");
}

// What a plan file says of itself before its graph is known.
struct PlanHeader {
  std::string graph;
  std::optional<std::string> fingerprint;  // absent: missing or no string, which the reader refuses
  std::string symbols, function, regions;  // the options of these names

  bool IsOf(const std::string& expected) const { return !fingerprint.has_value() || *fingerprint == expected; }
};

absl::StatusOr<PlanHeader> ReadHeader(absl::string_view text) {
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(text);
  if (!doc.ok()) return doc.status();
  PlanHeader header;
  if (doc->root().kind() != JsonKind::kObject) return header;
  for (JsonValue member : doc->root()) {
    if (member.kind() == JsonKind::kString && member.key() == "graph") header.graph = std::string(member.text());
    if (member.kind() == JsonKind::kString && member.key() == "fingerprint") {
      header.fingerprint = std::string(member.text());
    }
    if (member.kind() != JsonKind::kObject || member.key() != "options") continue;
    for (JsonValue option : member) {
      if (option.kind() != JsonKind::kString) continue;
      if (option.key() == "symbols") header.symbols = std::string(option.text());
      if (option.key() == "function") header.function = std::string(option.text());
      if (option.key() == "regions") header.regions = std::string(option.text());
    }
  }
  return header;
}

std::string NameText(absl::string_view name) { return name.empty() ? "without a name" : InQuotes(name); }

absl::Status Mismatch(const std::string& path, absl::string_view name, const std::string& fingerprint,
                      const std::string& plan_path, const PlanHeader& header) {
  return absl::FailedPreconditionError(absl::StrCat(
      PathText(plan_path), " is the plan of another graph: ", NameText(header.graph), ", fingerprint \"",
      Printable(header.fingerprint.value_or(""), 100), "\"; ", PathText(path), " is ", NameText(name),
      ", fingerprint \"", fingerprint, "\"",
      header.symbols.empty() ? "" : absl::StrCat(" with symbols ", Printable(header.symbols)),
      header.regions.empty() ? "" : absl::StrCat("; the plan was made with --regions ", Printable(header.regions))));
}

// A problem's CSV with offsets says all that a plan does but for the lower bound.
absl::StatusOr<ProblemPlanFile> PlanOfCsv(const Problem& problem, absl::string_view text) {
  absl::StatusOr<Problem> planned = ReadProblemCsv(text);
  if (!planned.ok()) return planned.status();
  absl::flat_hash_map<absl::string_view, const Buffer*> by_name;
  for (const Buffer& b : planned->buffers) by_name[b.name] = &b;
  ProblemPlanFile file;
  for (const Buffer& b : problem.buffers) {
    const auto found = by_name.find(b.name);
    if (found == by_name.end()) {
      return absl::InvalidArgumentError(absl::StrCat("has no row for buffer ", InQuotes(b.name)));
    }
    if (!found->second->offset_bytes.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("has no offset for buffer ", InQuotes(b.name)));
    }
    file.plan.offsets.push_back(*found->second->offset_bytes);
    int64_t end = 0;
    if (__builtin_add_overflow(file.plan.offsets.back(), b.bytes, &end)) {
      return absl::InvalidArgumentError(absl::StrCat("offset of buffer ", InQuotes(b.name), " exceeds 64 bits"));
    }
    file.plan.bytes = std::max(file.plan.bytes, end);
  }
  if (planned->buffers.size() != problem.buffers.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", planned->buffers.size(), " buffers, the problem has ", problem.buffers.size()));
  }
  return file;
}

absl::StatusOr<PlannedInput> LoadProblemPlan(const std::string& path, Input input, const std::string& plan_path,
                                             absl::string_view plan_text, FileFormat plan_format) {
  PlannedInput planned;
  planned.input = std::move(input);
  const Problem& problem = *planned.input.problem();
  if (plan_format == FileFormat::kProblemCsv) {
    absl::StatusOr<ProblemPlanFile> file = PlanOfCsv(problem, plan_text);
    if (!file.ok()) return InFile(plan_path, file.status());
    planned.problem_plan = *std::move(file);
    return planned;
  }
  const absl::StatusOr<PlanHeader> header = ReadHeader(plan_text);
  if (!header.ok()) return InFile(plan_path, header.status());
  const std::string fingerprint = ProblemFingerprint(problem);
  if (!header->IsOf(fingerprint)) {
    planned.mismatch = Mismatch(path, problem.name, fingerprint, plan_path, *header);
    return planned;
  }
  absl::StatusOr<ProblemPlanFile> file = ReadProblemPlanJson(plan_text, problem);
  if (!file.ok()) return InFile(plan_path, file.status());
  planned.problem_plan = *std::move(file);
  return planned;
}

// How the plan says its graph was read.
absl::StatusOr<LoadOptions> OptionsOf(const PlanHeader& header) {
  const auto at = [](absl::string_view option, const absl::Status& status) {
    return absl::InvalidArgumentError(absl::StrCat("at /options/", option, ": ", status.message()));
  };
  LoadOptions options;
  absl::StatusOr<SymbolOverrides> symbols = ParseSymbolOverrides(header.symbols);
  if (!symbols.ok()) return at("symbols", symbols.status());
  options.symbols = *std::move(symbols);
  options.function = header.function;
  if (header.regions.empty()) return options;
  const absl::StatusOr<GgmlRegions> regions = ParseRegions(header.regions);
  if (!regions.ok()) return at("regions", regions.status());
  options.regions = *regions;
  return options;
}

absl::StatusOr<PlannedInput> LoadGraphPlan(const std::string& path, absl::string_view text,
                                           const std::string& plan_path, absl::string_view plan_text,
                                           std::optional<GgmlRegions> regions) {
  const absl::StatusOr<PlanHeader> header = ReadHeader(plan_text);
  if (!header.ok()) return InFile(plan_path, header.status());
  absl::StatusOr<LoadOptions> options = OptionsOf(*header);
  if (!options.ok()) return InFile(plan_path, options.status());
  const bool by_itself = options->symbols.empty() && options->function.empty() && !options->regions.has_value();
  if (regions.has_value()) options->regions = regions;
  absl::StatusOr<Input> input = ParseInput(text, *options);
  if (!input.ok() && !by_itself) {
    // If it is a graph without what the plan says, the plan was made for that or for another one.
    absl::StatusOr<Input> plain = ParseInput(text, {.regions = regions});
    if (plain.ok() && plain->graph() != nullptr) {
      const std::string fingerprint = Fingerprint(*plain->graph());
      if (!header->IsOf(fingerprint)) {
        PlannedInput planned;
        planned.mismatch = Mismatch(path, plain->graph()->name(), fingerprint, plan_path, *header);
        return planned;
      }
      input = std::move(plain);  // the graph as it was read then, in a file of its own
    }
  }
  if (!input.ok()) return InFile(path, input.status());
  PlannedInput planned;
  planned.input = *std::move(input);
  const Graph& graph = *planned.input.graph();
  const std::string fingerprint = Fingerprint(graph);
  if (!header->IsOf(fingerprint)) {
    planned.mismatch = Mismatch(path, graph.name(), fingerprint, plan_path, *header);
    return planned;
  }
  absl::StatusOr<Plan> plan = ReadPlanJson(plan_text, graph);
  if (!plan.ok()) return InFile(plan_path, plan.status());
  planned.plan = *std::move(plan);
  return planned;
}

}  // namespace

std::string PathText(const std::string& path) { return path == "-" ? "standard input" : Printable(path, 1000); }

absl::Status InFile(const std::string& path, const absl::Status& status) {
  // "dump.mlir:12:5: ..." where the message begins with line and column alone.
  const bool has_place = status.GetPayload(kIreePlacePayload).has_value();
  const std::string prefix = absl::StrCat(PathText(path), has_place ? ":" : ": ");
  return absl::InvalidArgumentError(absl::StartsWith(status.message(), prefix)
                                        ? std::string(status.message())
                                        : absl::StrCat(prefix, status.message()));
}

absl::StatusOr<std::optional<GgmlRegions>> RegionsOption(const CommandLine& line) {
  const std::optional<std::string> word = line.Value("--regions");
  if (!word.has_value()) return std::nullopt;
  const absl::StatusOr<GgmlRegions> regions = ParseRegions(*word);
  if (!regions.ok()) return absl::InvalidArgumentError(absl::StrCat("option --regions: ", regions.status().message()));
  return *regions;
}

absl::StatusOr<Input> LoadInput(const std::string& path, const LoadOptions& options, const ToolIo& io) {
  const absl::StatusOr<std::string> text = io.read(path);
  if (!text.ok()) return InFile(path, text.status());
  absl::StatusOr<Input> input = ParseInput(*text, options);
  if (!input.ok()) return InFile(path, input.status());
  for (std::string& warning : input->warnings) {
    warning = absl::StrCat(PathText(path), ":", warning);
    io.write_err(absl::StrCat("bufplan: warning: ", Printable(warning, 2000), "\n"));
  }
  return input;
}

absl::StatusOr<PlannedInput> LoadPlanned(const std::string& path, const std::string& plan_path, const ToolIo& io,
                                         std::optional<GgmlRegions> regions) {
  if (path == "-" && plan_path == "-") {
    return absl::InvalidArgumentError("only one of graph and plan can be standard input");
  }
  const absl::StatusOr<std::string> text = io.read(path);
  if (!text.ok()) return InFile(path, text.status());
  const absl::StatusOr<std::string> plan_text = io.read(plan_path);
  if (!plan_text.ok()) return InFile(plan_path, plan_text.status());
  const absl::StatusOr<FileFormat> format = DetectFormat(*text);
  if (!format.ok()) return InFile(path, format.status());
  const absl::StatusOr<FileFormat> plan_format = DetectFormat(*plan_text);
  if (!plan_format.ok()) return InFile(plan_path, plan_format.status());
  const bool problem = *format == FileFormat::kProblemJson || *format == FileFormat::kProblemCsv;
  if (*plan_format != FileFormat::kPlanJson && !(problem && *plan_format == FileFormat::kProblemCsv)) {
    const bool swapped = *format == FileFormat::kPlanJson;
    return InFile(plan_path,
                  absl::InvalidArgumentError(absl::StrCat("is ", ToString(*plan_format), ", where a plan is needed",
                                                          swapped ? "; the graph comes first, then the plan" : "")));
  }
  if (!problem) return LoadGraphPlan(path, *text, plan_path, *plan_text, regions);
  absl::StatusOr<Input> input = ParseInput(*text, {.regions = regions});
  if (!input.ok()) return InFile(path, input.status());
  return LoadProblemPlan(path, *std::move(input), plan_path, *plan_text, *plan_format);
}

}  // namespace bufplan
