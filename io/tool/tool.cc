#include "io/tool/tool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"
#include "io/tool/command_line.h"
#include "io/tool/commands.h"
#include "io/tool/version.h"

namespace bufplan {
namespace {

std::vector<Command> AllCommands(absl::Span<const Command> more) {
  std::vector<Command> commands = {{&kPlanCommand, RunPlan},
                                   {&kCheckCommand, RunCheck},
                                   {&kExplainCommand, RunExplain},
                                   {&kConvertCommand, RunConvert}};
  commands.insert(commands.end(), more.begin(), more.end());
  return commands;
}

std::string Overview(absl::Span<const Command> commands) {
  std::string text =
      "usage: bufplan COMMAND ARGUMENTS...\n\n"
      "Decides where the buffers of a computation graph live: graph in, plan out.\n\n";
  TextTable table({TextAlign::kLeft, TextAlign::kLeft});
  for (const Command& c : commands) {
    table.Row({absl::StrCat(c.spec->name, " ", c.spec->arguments), std::string(c.spec->summary)});
  }
  table.Row({"COMMAND --help", "what a command takes and does"});
  table.Row({"--version", "the version"});
  return absl::StrCat(
      text, table.Text(),
      "\nInput is told by its content: graph JSON, ggml dump, IREE stream text, problem JSON, MiniMalloc\n"
      "CSV. \"-\" is standard input or output. Results go to standard output, everything else to\n"
      "standard error. Exit status: 0 done and valid, 1 the answer is no, 2 bad input or usage,\n"
      "3 the machine lacks something.\n");
}

absl::StatusOr<int> Run(absl::Span<const std::string> arguments, const ToolIo& io, absl::Span<const Command> commands) {
  if (arguments.empty()) {
    io.write_err(Overview(commands));
    return 2;
  }
  const std::string& name = arguments[0];
  const auto print = [&](absl::string_view text) -> absl::StatusOr<int> {
    if (absl::Status s = io.write_out(text); !s.ok()) return absl::InvalidArgumentError(s.message());
    return 0;
  };
  if (name == "--help" || name == "-h") return print(Overview(commands));
  if (name == "--version") return print(absl::StrCat("bufplan ", kVersion, "\n"));
  for (const Command& c : commands) {
    if (c.spec->name != name) continue;
    const absl::Span<const std::string> rest = arguments.subspan(1);
    if (WantsHelp(rest)) return print(HelpText(*c.spec));
    const absl::StatusOr<CommandLine> line = ParseCommandLine(*c.spec, rest);
    if (!line.ok()) return line.status();
    return c.run(*line, io);
  }
  std::vector<absl::string_view> known;
  if (absl::StartsWith(name, "-")) {
    known = {"--help", "--version"};
  } else {
    for (const Command& c : commands) known.push_back(c.spec->name);
  }
  return UsageError(absl::StrCat("there is no ", absl::StartsWith(name, "-") ? "option " : "command ", InQuotes(name),
                                 DidYouMean(name, known, 1)),
                    "");
}

}  // namespace

int ExitStatus(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk: return 0;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kInternal: return 1;
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnavailable: return 3;
    default: return 2;
  }
}

// Names come from files: they may be long and may hold what would disturb a terminal.
constexpr size_t kMaxMessage = 4000;

int RunTool(absl::Span<const std::string> arguments, const ToolIo& io, absl::Span<const Command> more) {
  const absl::StatusOr<int> exit_status = Run(arguments, io, AllCommands(more));
  if (exit_status.ok()) return *exit_status;
  const absl::Status& status = exit_status.status();
  const bool usage = status.GetPayload(kUsagePayload).has_value();
  io.write_err(absl::StrCat("bufplan: ", status.code() == absl::StatusCode::kInternal ? "internal error: " : "",
                            usage ? std::string(status.message()) : Printable(status.message(), kMaxMessage), "\n"));
  return ExitStatus(status);
}

}  // namespace bufplan
