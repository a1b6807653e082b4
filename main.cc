// The bufplan program: the commands of io/tool, and those that are made of more than that. It is the only place that
// knows all of them: io knows no benchmarks.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/suite/bench_command.h"
#include "io/read_file.h"
#include "io/tool/run_command.h"
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
  const bufplan::Command more[] = {{&bufplan::kRunCommand, bufplan::RunRun},
                                   {&bufplan::kBenchCommand, bufplan::RunBench}};
  return bufplan::RunTool(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), io, more);
}
