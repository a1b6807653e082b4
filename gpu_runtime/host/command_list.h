// What is enqueued on a stream of the host: commands in order, with their arguments beside them.
//
// COST: a push is a few copies; memory grows to the largest list and is kept. THREADS: one at a time.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_COMMAND_LIST_H_
#define BUFPLAN_GPU_RUNTIME_HOST_COMMAND_LIST_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "gpu_runtime/host/host_kernels.h"

namespace bufplan::runtime {

// The moments at which one stream reaches the Records of one event, and how many were reached. `issued`: enqueued; of
// the thread that enqueues.
class HostEvent {
 public:
  int64_t issued = 0;

  bool Done(int64_t ticket) const { return completed_.load(std::memory_order_acquire) >= ticket; }
  void Complete(int64_t ticket) {
    completed_.store(ticket, std::memory_order_release);
    completed_.notify_all();
  }
  // Others get the core first: what is waited for is mostly near, and a thread that sleeps takes long to wake.
  void WaitFor(int64_t ticket) const {
    for (int i = 0; i < kYields && !Done(ticket); ++i) std::this_thread::yield();
    for (int64_t now = completed_.load(std::memory_order_acquire); now < ticket;
         now = completed_.load(std::memory_order_acquire)) {
      completed_.wait(now, std::memory_order_acquire);
    }
  }

 private:
  static constexpr int kYields = 100;
  std::atomic<int64_t> completed_ = 0;
};

enum class CommandKind : uint8_t { kKernel, kCopy, kFill, kMatmul, kFunction, kRecord, kWait, kReplay };

struct HostGraph;
class CommandList;

struct Command {
  CommandKind kind = CommandKind::kKernel;
  uint8_t byte = 0;                     // kFill
  int64_t amount = 0;                   // kKernel: items; kCopy, kFill: bytes; kRecord, kWait: ticket; kReplay: which
  HostKernel kernel = nullptr;          // kKernel
  void* to = nullptr;                   // kCopy, kFill
  const void* from = nullptr;           // kCopy
  HostEvent* event = nullptr;           // kRecord, kWait
  const CommandList* replay = nullptr;  // kReplay
  size_t arguments_at = 0;              // kKernel, kMatmul, kFunction: into the list's arguments, or functions
};

class CommandList {
 public:
  bool empty() const { return commands_.empty(); }
  size_t size() const { return commands_.size(); }
  const Command& operator[](size_t i) const { return commands_[i]; }
  void clear() {
    commands_.clear();
    arguments_.clear();
    functions_.clear();
  }

  void Push(const Command& command) { commands_.push_back(command); }
  void Push(Command command, const void* arguments, size_t bytes) {
    command.arguments_at = arguments_.size();
    arguments_.resize(arguments_.size() + (bytes + sizeof(Unit) - 1) / sizeof(Unit));
    if (bytes > 0) std::memcpy(static_cast<void*>(&arguments_[command.arguments_at]), arguments, bytes);
    commands_.push_back(command);
  }
  void Push(Command command, std::function<void()> function) {
    command.arguments_at = functions_.size();
    functions_.push_back(std::move(function));
    commands_.push_back(command);
  }
  const std::function<void()>& function(const Command& command) const { return functions_[command.arguments_at]; }
  const void* arguments(const Command& command) const { return arguments_.data() + command.arguments_at; }

 private:
  // Aligned as any block of arguments may be.
  struct alignas(std::max_align_t) Unit {
    std::byte bytes[alignof(std::max_align_t)];
  };
  std::vector<Command> commands_;
  std::vector<Unit> arguments_;
  std::vector<std::function<void()>> functions_;
};

// What was captured: a list for each stream that takes part. Its events are its own: replay r (from 0) completes ticket
// `r * issued + t` for the t-th Record of an event.
struct HostGraph {
  std::vector<std::pair<int32_t, CommandList>> lists;  // by stream
  std::deque<HostEvent> events;
  int64_t replays = 0;  // enqueued
};

// The ticket of a command of a graph's list in that replay.
inline int64_t TicketOf(const Command& c, int64_t replay) { return replay * c.event->issued + c.amount; }

// Executes a command that needs nobody else: neither kRecord, kWait nor kReplay. `list`: that it is of.
void RunCommand(const Command& command, const CommandList& list);

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_COMMAND_LIST_H_
