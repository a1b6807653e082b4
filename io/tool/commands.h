// The commands. Each takes its arguments without its own name, writes its results, and returns its exit status.
//
// ERRORS: what ExitStatus() in io/tool/tool.h makes an exit status of.
#ifndef BUFPLAN_IO_TOOL_COMMANDS_H_
#define BUFPLAN_IO_TOOL_COMMANDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "io/tool/command_line.h"
#include "io/tool/tool_io.h"

namespace bufplan {

struct Command {
  const CommandSpec* spec;
  absl::StatusOr<int> (*run)(const CommandLine&, const ToolIo&);
};

extern const CommandSpec kPlanCommand;
extern const CommandSpec kCheckCommand;
extern const CommandSpec kExplainCommand;
extern const CommandSpec kConvertCommand;

absl::StatusOr<int> RunPlan(const CommandLine& line, const ToolIo& io);
absl::StatusOr<int> RunCheck(const CommandLine& line, const ToolIo& io);
absl::StatusOr<int> RunExplain(const CommandLine& line, const ToolIo& io);
absl::StatusOr<int> RunConvert(const CommandLine& line, const ToolIo& io);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_COMMANDS_H_
