// The tool in memory: files by name, what was written, and what is said.
#ifndef BUFPLAN_TESTS_IO_TOOL_FAKE_IO_H_
#define BUFPLAN_TESTS_IO_TOOL_FAKE_IO_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "io/tool/tool_io.h"

namespace bufplan {

// Reads from `files`, or from the disk what is not in there. Results and messages are collected.
class FakeIo {
 public:
  FakeIo();

  const ToolIo& io() const { return io_; }
  ToolIo& io() { return io_; }
  // Runs the tool; out() and err() are of the last run.
  int Run(const std::vector<std::string>& arguments);
  const std::string& out() const { return out_; }
  const std::string& err() const { return err_; }

  std::map<std::string, std::string> files;
  bool out_fails = false;  // standard output cannot be written

 private:
  ToolIo io_;
  std::string out_, err_;
};

// A path for a file in the test's own folder.
std::string TempPath(absl::string_view name);
// The content of a file, or "<none>".
std::string ContentOf(const std::string& path);

// The example of docs/design.md: a step of a key-value cache.
extern const char kKvStep[];
// Five values of 100 bytes in a chain; "b" could be in place of "a" but "a" is read again.
extern const char kChain[];
// MiniMalloc's CSV: three buffers, 12 bytes at once.
extern const char kCsv[];

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IO_TOOL_FAKE_IO_H_
