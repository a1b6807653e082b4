// The bufplan program, apart from main(): commands, help, exit status.
//
// Exit status: 0 done and valid; 1 the answer is no (invalid plan, infeasible, or our own plan failed the checker); 2
// bad input, bad usage, or a file that cannot be read or written; 3 the machine lacks something. Results go to standard
// output at once and at the end, everything else to standard error, errors as "bufplan: ...".
//
// THREADS: one call at a time per ToolIo.
#ifndef BUFPLAN_IO_TOOL_TOOL_H_
#define BUFPLAN_IO_TOOL_TOOL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "io/tool/commands.h"
#include "io/tool/tool_io.h"

namespace bufplan {

// `arguments` without the program's name. `more`: commands of the program besides those in io/tool/commands.h, which
// are made of what this folder does not know.
int RunTool(absl::Span<const std::string> arguments, const ToolIo& io, absl::Span<const Command> more = {});

// The exit status that an error stands for.
int ExitStatus(const absl::Status& status);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_TOOL_H_
