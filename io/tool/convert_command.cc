#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "io/csv.h"
#include "io/json_graph.h"
#include "io/json_problem.h"
#include "io/tool/commands.h"
#include "io/tool/load.h"
#include "io/tool/output.h"

namespace bufplan {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--symbols", "S", "values or ranges of symbols: s=17,t=0..4094"},
    {"--function", "F", "the function of an IREE dump to convert: NAME, or PART:NAME of a split file"},
    {"--regions", "MODE", "what the regions of a ggml dump become: keep (keep-alives), fuse (groups) or streams"}};

}  // namespace

const CommandSpec kConvertCommand = {
    "convert",
    "IN OUT",
    2,
    2,
    "rewrite a graph or a problem in another format, or in canonical form",
    "A ggml dump or IREE stream text becomes graph JSON, graph JSON its canonical form, a problem becomes CSV if\n"
    "OUT ends in .csv and problem JSON else.\n",
    kOptions};

absl::StatusOr<int> RunConvert(const CommandLine& line, const ToolIo& io) {
  const std::string &in = line.arguments()[0], &out = line.arguments()[1];
  if (absl::Status s = CheckOutputPath(out); !s.ok()) return s;
  const absl::StatusOr<SymbolOverrides> symbols = ParseSymbolOverrides(line.Value("--symbols").value_or(""));
  if (!symbols.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("option --symbols: ", symbols.status().message()));
  }
  const absl::StatusOr<std::optional<GgmlRegions>> regions = RegionsOption(line);
  if (!regions.ok()) return regions.status();
  const absl::StatusOr<Input> input = LoadInput(in, {*symbols, line.Value("--function").value_or(""), *regions}, io);
  if (!input.ok()) return input.status();
  std::string text;
  if (input->graph() != nullptr) {
    if (IsCsvPath(out)) return InFile(in, absl::InvalidArgumentError("is a graph, which has no CSV form"));
    text = WriteGraphJson(*input->graph());
  } else {
    text = IsCsvPath(out) ? WriteProblemCsv(*input->problem()) : WriteProblemJson(*input->problem());
  }
  if (absl::Status s = WriteOutput(out, text, io); !s.ok()) return s;
  return 0;
}

}  // namespace bufplan
