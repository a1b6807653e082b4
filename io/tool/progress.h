// A line on the terminal while something takes long: "planning: 3 s". It appears after a second and is erased at the
// end.
//
// THREADS: starts a thread of its own if there is a terminal; nobody else may write to it in the meantime.
#ifndef BUFPLAN_IO_TOOL_PROGRESS_H_
#define BUFPLAN_IO_TOOL_PROGRESS_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "io/tool/tool_io.h"

namespace bufplan {

class Progress {
 public:
  Progress(const ToolIo& io, std::string stage);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void Show();

  const ToolIo& io_;
  const std::string stage_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_PROGRESS_H_
