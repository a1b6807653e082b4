#include "io/tool/progress.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bufplan {

Progress::Progress(const ToolIo& io, std::string stage) : io_(io), stage_(std::move(stage)) {
  if (io.err_is_terminal) thread_ = std::thread([this] { Show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Progress::Show() {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
    io_.write_err(absl::StrCat("\r", stage_, ": ", ++seconds, " s"));
  }
  // Back to the left margin, and the line erased to its end.
  if (seconds > 0) io_.write_err("\r\033[K");
}

}  // namespace bufplan
