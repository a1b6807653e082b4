#include "tests/io/iree_sample.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "io/json_graph.h"

namespace bufplan {

std::string IreeFunctionText(absl::string_view body, absl::string_view before) {
  return absl::StrCat(before, R"(module @m { util.global private mutable @step = 0 : index
util.global private @five = 5 : index util.global private mutable @K : !stream.resource<variable>
util.global private mutable @Q : !stream.resource<variable> util.global private @W : !stream.resource<constant>
util.func public @f(%x: !stream.resource<external>, %y: !stream.resource<external>, %n: index) {
  %c0 = arith.constant 0 : index %c4 = arith.constant 4 : index %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index %c128 = arith.constant 128 : index
  %s = util.global.load @step : index %s16 = arith.muli %s, %c16 : index
  %s16_16 = arith.addi %s16, %c16 : index %p = arith.constant 7 : i32 %t = stream.timepoint.immediate => !stream.timepoint

)",
                      body, absl::StrContains(body, "util.return") ? "" : "\nutil.return", "\n}\n}\n");
}

absl::StatusOr<IreeImport> ImportIree(absl::string_view body, absl::string_view before) {
  const std::string text = IreeFunctionText(body, before);
  return ReadIreeGraph(text, {.symbols = {{"step", 0, 7}, {"n", 1, 8}}});
}

std::string IreeLine(const absl::StatusOr<IreeImport>& import, absl::string_view name) {
  if (!import.ok()) return std::string(import.status().message());
  const std::string json = WriteGraphJson(import->graph);
  for (absl::string_view line : absl::StrSplit(json, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::StartsWith(line, absl::StrCat("{\"name\": \"", name, "\""))) continue;
    for (const char* end : {",", "]"}) absl::ConsumeSuffix(&line, end);  // Of the list.
    return std::string(line);
  }
  return absl::StrCat("no ", name, " in\n", json);
}

std::string IreeError(absl::string_view body, absl::string_view before) {
  const absl::StatusOr<IreeImport> import = ImportIree(body, before);
  return import.ok() ? absl::StrCat("read as\n", WriteGraphJson(import->graph))
                     : std::string(import.status().message());
}

}  // namespace bufplan
