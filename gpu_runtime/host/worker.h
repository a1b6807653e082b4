// A stream of the host as a thread of its own: takes all that was enqueued meanwhile at once and runs it in order.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_WORKER_H_
#define BUFPLAN_GPU_RUNTIME_HOST_WORKER_H_

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

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

  // Calls push(list), which adds to the list.
  template <class Push>
  void Enqueue(const Push& push) {
    bool asleep = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      push(pending_);
      asleep = std::exchange(asleep_, false);
    }
    if (asleep) wake_.notify_one();
  }
  // Returns when nothing is left to run.
  void Synchronize();

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  CommandList pending_, running_;
  bool asleep_ = false, busy_ = false, stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_WORKER_H_
