#include "gpu_runtime/host/worker.h"

#include <optional>
#include <utility>

namespace bufplan::runtime {
namespace {

// `replay`: of a captured list, which time; its events count anew each time.
void RunList(const CommandList& list, std::optional<int64_t> replay = std::nullopt) {
  const auto ticket = [&](const Command& c) { return replay.has_value() ? TicketOf(c, *replay) : c.amount; };
  for (size_t i = 0; i < list.size(); ++i) {
    const Command& c = list[i];
    switch (c.kind) {
      case CommandKind::kRecord: c.event->Complete(ticket(c)); break;
      case CommandKind::kWait: c.event->WaitFor(ticket(c)); break;
      case CommandKind::kReplay: RunList(*c.replay, c.amount); break;
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
