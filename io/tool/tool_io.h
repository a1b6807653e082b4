// What the commands see of the world besides files: standard input and output, and the terminal.
#ifndef BUFPLAN_IO_TOOL_TOOL_IO_H_
#define BUFPLAN_IO_TOOL_TOOL_IO_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace bufplan {

struct ToolIo {
  std::function<absl::StatusOr<std::string>(const std::string& path)> read;  // "-": standard input
  std::function<absl::Status(absl::string_view text)> write_out;
  std::function<void(absl::string_view text)> write_err;
  bool err_is_terminal = false;
  size_t width = 100;  // columns to draw in
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_TOOL_IO_H_
