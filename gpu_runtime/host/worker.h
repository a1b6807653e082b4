// A stream of the host as a thread of its own: takes all that was enqueued meanwhile at once and runs it in order.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_WORKER_H_
#define BUFPLAN_GPU_RUNTIME_HOST_WORKER_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

#include "gpu_runtime/host/command_list.h"

namespace bufplan::runtime {

// THREADS: one thread enqueues and synchronizes.
class Worker {
 public:
  Worker() : thread_([this] { Loop(); }) {}
  // Runs what is enqueued first.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Calls push(list), which adds to the list. The worker gets what has gathered when that is kBatch commands, or at a
  // Flush().
  template <class Push>
  void Enqueue(const Push& push) {
    push(gathering_);
    if (gathering_.size() >= kBatch) Flush();
  }
  void Flush();
  // Flushes, and returns when nothing is left to run.
  void Synchronize();

 private:
  static constexpr size_t kBatch = 64;

  void Loop();

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  CommandList gathering_;                    // of the thread that enqueues
  std::deque<CommandList> pending_, spare_;  // spare: run and emptied
  bool asleep_ = false, busy_ = false, stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_WORKER_H_
