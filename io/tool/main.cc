// The bufplan program: see io/tool/tool.h.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "io/read_file.h"
#include "io/tool/tool.h"
#include "io/tool/tool_io.h"
#include "io/write_file.h"

namespace {

// Columns to draw in: those of the terminal, at most as many as text that goes elsewhere has.
size_t DrawingWidth() {
  constexpr size_t kWidth = 100;
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidth;
  return std::min<size_t>(size.ws_col, kWidth);
}

void WriteError(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // There is nobody left to tell.
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

int main(int argc, char** argv) {
  bufplan::ToolIo io;
  io.read = [](const std::string& path) { return bufplan::ReadFile(path); };
  io.write_out = [](absl::string_view text) { return bufplan::WriteFile("-", text); };
  io.write_err = WriteError;
  io.err_is_terminal = isatty(STDERR_FILENO) != 0;
  io.width = DrawingWidth();
  return bufplan::RunTool(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), io);
}
