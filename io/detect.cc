#include "io/detect.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "io/json_dom.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

constexpr FileFormat kJsonFormats[] = {FileFormat::kGraphJson, FileFormat::kPlanJson, FileFormat::kProblemJson,
                                       FileFormat::kGgmlDump};

absl::StatusOr<FileFormat> FromJson(absl::string_view text) {
  const absl::StatusOr<std::optional<std::string>> format = FindTopLevelString(text, "format");
  if (!format.ok()) return format.status();
  constexpr absl::string_view kKnown = "\"bufplan.graph\", \"bufplan.plan\", \"bufplan.problem\" or \"ggml-graph\"";
  if (!format->has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("at top level: \"format\" is missing, must be ", kKnown));
  }
  for (FileFormat f : kJsonFormats) {
    if (ToString(f) == **format) return f;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("at /format: unknown format ", Quoted(**format), ", must be ", kKnown));
}

// Whether MLIR's text begins here: `util.func`, `module`, `"builtin.module"(`, `#map =`, `!type =`.
bool IsMlir(absl::string_view text) {
  while (absl::StartsWith(text, "//")) {
    const size_t newline = text.find('\n');
    if (newline == absl::string_view::npos) return absl::StartsWith(text, "// -----");
    text = absl::StripLeadingAsciiWhitespace(text.substr(newline));
  }
  if (absl::ConsumePrefix(&text, "#") || absl::ConsumePrefix(&text, "!")) {
    while (!text.empty() && (absl::ascii_isalnum(text[0]) || absl::StrContains("_$.-", text[0]))) text.remove_prefix(1);
    return absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "=");
  }
  const bool generic = absl::ConsumePrefix(&text, "\"");
  size_t end = 0;
  while (end < text.size() && (absl::ascii_isalnum(text[end]) || text[end] == '_' || text[end] == '.')) ++end;
  const absl::string_view word = text.substr(0, end);
  if (word == "module" || word == "func") return !generic;
  const size_t dot = word.find('.');
  if (dot == 0 || dot == absl::string_view::npos || dot + 1 == word.size()) return false;
  return absl::ascii_isalpha(word[0]) && (!generic || absl::StartsWith(text.substr(end), "\"("));
}

}  // namespace

absl::string_view ToString(FileFormat format) {
  switch (format) {
    case FileFormat::kGraphJson: return "bufplan.graph";
    case FileFormat::kPlanJson: return "bufplan.plan";
    case FileFormat::kProblemJson: return "bufplan.problem";
    case FileFormat::kGgmlDump: return "ggml-graph";
    case FileFormat::kProblemCsv: return "CSV";
    case FileFormat::kIreeText: return "IREE stream text";
  }
  return "unknown";
}

absl::StatusOr<FileFormat> DetectFormat(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  const absl::string_view content = absl::StripLeadingAsciiWhitespace(text);
  if (content.empty()) return absl::InvalidArgumentError("line 1: the file is empty");
  if (content.front() == '{' || content.front() == '[') return FromJson(text);
  int columns = 0;
  for (absl::string_view cell : absl::StrSplit(text.substr(0, text.find('\n')), ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(cell);
    for (absl::string_view known : {"id", "lower", "upper", "size"}) columns += name == known ? 1 : 0;
  }
  if (columns >= 2) return FileFormat::kProblemCsv;
  if (IsMlir(content)) return FileFormat::kIreeText;
  return absl::InvalidArgumentError(
      "line 1: neither JSON, which begins with '{', nor CSV, whose first line has the columns id, lower, upper, size, "
      "nor MLIR's text, which begins with an op, a module or an alias");
}

}  // namespace bufplan
