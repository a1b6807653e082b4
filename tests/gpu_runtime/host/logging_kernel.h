// A kernel that writes down that it ran, and commands of it.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_HOST_LOGGING_KERNEL_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_HOST_LOGGING_KERNEL_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "gpu_runtime/host/command_list.h"

namespace bufplan::runtime {

struct Log {
  std::mutex mutex;
  std::vector<int> entries;
};

struct LogArguments {
  Log* log;
  int entry;
};

// Runs for `items` entries: entry, entry + 1, ...
inline void LogKernel(const void* arguments, int64_t items) {
  const LogArguments& args = *static_cast<const LogArguments*>(arguments);
  const std::lock_guard<std::mutex> lock(args.log->mutex);
  for (int64_t i = 0; i < items; ++i) args.log->entries.push_back(args.entry + static_cast<int>(i));
}

inline void PushLog(CommandList& list, Log& log, int entry) {
  const LogArguments arguments = {&log, entry};
  list.Push({.kind = CommandKind::kKernel, .amount = 1, .kernel = LogKernel}, &arguments, sizeof(arguments));
}
inline void PushRecord(CommandList& list, HostEvent& event) {
  list.Push({.kind = CommandKind::kRecord, .amount = ++event.issued, .event = &event});
}
inline void PushWait(CommandList& list, HostEvent& event) {
  list.Push({.kind = CommandKind::kWait, .amount = event.issued, .event = &event});
}
inline void PushReplay(CommandList& list, const CommandList& graph, int64_t replay) {
  list.Push({.kind = CommandKind::kReplay, .amount = replay, .replay = &graph});
}

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_HOST_LOGGING_KERNEL_H_
