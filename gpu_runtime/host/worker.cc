#include "gpu_runtime/host/worker.h"

#include <utility>

namespace bufplan::runtime {
namespace {

void RunReplay(const CommandList& list, int64_t replay) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Command& c = list[i];
    switch (c.kind) {
      case CommandKind::kRecord: c.event->Complete(TicketOf(c, replay)); break;
      case CommandKind::kWait: c.event->WaitFor(TicketOf(c, replay)); break;
      default: RunCommand(c, list);
    }
  }
}

void RunList(const CommandList& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Command& c = list[i];
    switch (c.kind) {
      case CommandKind::kRecord: c.event->Complete(c.amount); break;
      case CommandKind::kWait: c.event->WaitFor(c.amount); break;
      case CommandKind::kReplay: RunReplay(*c.replay, c.amount); break;
      default: RunCommand(c, list);
    }
  }
}

}  // namespace

Worker::~Worker() {
  Flush();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Worker::Flush() {
  if (gathering_.empty()) return;
  bool asleep = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back(std::move(gathering_));
    gathering_ = CommandList();
    if (!spare_.empty()) {
      gathering_ = std::move(spare_.back());
      spare_.pop_back();
    }
    asleep = std::exchange(asleep_, false);
  }
  if (asleep) wake_.notify_one();
}

void Worker::Synchronize() {
  Flush();
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return pending_.empty() && !busy_; });
}

void Worker::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    asleep_ = true;
    wake_.wait(lock, [this] { return stop_ || !pending_.empty(); });
    asleep_ = false;
    if (pending_.empty()) return;
    busy_ = true;
    while (!pending_.empty()) {
      CommandList list = std::move(pending_.front());
      pending_.pop_front();
      lock.unlock();
      RunList(list);
      list.clear();
      lock.lock();
      spare_.push_back(std::move(list));
    }
    busy_ = false;
    idle_.notify_all();
  }
}

}  // namespace bufplan::runtime
