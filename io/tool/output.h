// Where a command's file goes: standard output for "-", else a file that is written whole or not at all.
//
// ERRORS: InvalidArgument, with the path and what the system says.
#ifndef BUFPLAN_IO_TOOL_OUTPUT_H_
#define BUFPLAN_IO_TOOL_OUTPUT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "io/tool/tool_io.h"

namespace bufplan {

// Whether the path ends in ".csv".
bool IsCsvPath(const std::string& path);

// Whether both paths are there and are the same file.
bool SameFile(const std::string& a, const std::string& b);

// Whether a file could be written there, as far as can be told without writing. To be asked before long work.
absl::Status CheckOutputPath(const std::string& path);

absl::Status WriteOutput(const std::string& path, absl::string_view text, const ToolIo& io);

// write_out, with its failures as InvalidArgument.
absl::Status WriteResult(absl::string_view text, const ToolIo& io);

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_OUTPUT_H_
