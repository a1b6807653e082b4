// `bufplan run`: executes a plan on a device and compares it with the graph executed without one.
#ifndef BUFPLAN_IO_TOOL_RUN_COMMAND_H_
#define BUFPLAN_IO_TOOL_RUN_COMMAND_H_

#include "absl/status/statusor.h"
#include "io/tool/command_line.h"
#include "io/tool/tool_io.h"

namespace bufplan {

extern const CommandSpec kRunCommand;

// Exit status 1: a difference. ERRORS: Unimplemented, Unavailable: the device, see gpu_runtime/device/open_device.h.
absl::StatusOr<int> RunRun(const CommandLine& line, const ToolIo& io);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_RUN_COMMAND_H_
