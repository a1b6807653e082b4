#include "gpu_runtime/host/host_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/host/command_list.h"
#include "gpu_runtime/host/interleaver.h"
#include "gpu_runtime/host/worker.h"

namespace bufplan::runtime {
namespace {

class HostDevice : public Device {
 public:
  explicit HostDevice(const HostOptions& options) {
    if (options.interleaving_seed.has_value()) interleaver_.emplace(*options.interleaving_seed);
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    properties_ = {.backend = Backend::kHost,
                   .name = absl::StrCat("host, ", cores, cores == 1 ? " core" : " cores"),
                   .memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE),
                   .compute_units = static_cast<int32_t>(cores)};
  }
  ~HostDevice() override {
    WaitForAll();
    workers_.clear();
    for (const auto& [memory, bytes] : allocations_) munmap(memory, bytes);
  }

  const DeviceProperties& properties() const override { return properties_; }

  // Pages that nobody touches cost nothing.
  absl::StatusOr<std::byte*> Allocate(int64_t bytes) override {
    if (bytes < 0) return absl::ResourceExhaustedError(absl::StrCat("the host cannot allocate ", bytes, " bytes"));
    const size_t size = static_cast<size_t>(std::max<int64_t>(1, bytes));
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the host cannot allocate ", bytes, " bytes: ", std::strerror(errno)));
    }
    allocations_[memory] = size;
    return static_cast<std::byte*>(memory);
  }
  void Free(std::byte* memory) override {
    WaitForAll();
    const auto it = allocations_.find(memory);
    if (it == allocations_.end()) return;
    munmap(it->first, it->second);
    allocations_.erase(it);
  }

  absl::StatusOr<StreamHandle> MakeStream() override {
    const absl::StatusOr<size_t> queue = MakeQueue();
    if (!queue.ok()) return queue.status();
    queue_of_stream_.push_back(*queue);
    return StreamHandle{static_cast<int32_t>(queue_of_stream_.size()) - 1};
  }
  absl::StatusOr<EventHandle> MakeEvent() override {
    events_.emplace_back();
    return EventHandle{static_cast<int32_t>(events_.size()) - 1};
  }

  void Copy(StreamHandle stream, std::byte* to, const std::byte* from, int64_t bytes) override {
    if (bytes > 0) Push(stream, {.kind = CommandKind::kCopy, .amount = bytes, .to = to, .from = from});
  }
  void CopyIn(StreamHandle stream, std::byte* to, const void* host_from, int64_t bytes) override {
    if (RefuseInCapture("CopyIn")) return;
    if (bytes > 0) Push(stream, {.kind = CommandKind::kCopy, .amount = bytes, .to = to, .from = host_from});
  }
  void CopyOut(StreamHandle stream, void* host_to, const std::byte* from, int64_t bytes) override {
    if (RefuseInCapture("CopyOut")) return;
    if (bytes > 0) Push(stream, {.kind = CommandKind::kCopy, .amount = bytes, .to = host_to, .from = from});
  }
  void Fill(StreamHandle stream, std::byte* to, uint8_t byte, int64_t bytes) override {
    if (bytes > 0) Push(stream, {.kind = CommandKind::kFill, .byte = byte, .amount = bytes, .to = to});
  }
  void LaunchBytes(StreamHandle stream, KernelId kernel, int64_t items, const void* arguments,
                   size_t argument_bytes) override {
    if (items <= 0) return;
    if (static_cast<size_t>(kernel) >= kNumKernels)
      return Fail("Launch of a kernel that is not in the list of kernels");
    Push(stream, {.kind = CommandKind::kKernel, .amount = items, .kernel = HostKernelOf(kernel)}, arguments,
         argument_bytes);
  }
  void Matmul(StreamHandle stream, const MatmulArgs& arguments) override {
    Push(stream, {.kind = CommandKind::kMatmul}, &arguments, sizeof(arguments));
  }

  void HostCall(StreamHandle stream, std::function<void()> function) override {
    Push(stream, {.kind = CommandKind::kFunction}, function);
  }
  void* NativeStream(StreamHandle) override { return nullptr; }

  void Record(EventHandle event, StreamHandle stream) override {
    if (capture_.has_value() && !capture_->Takes(stream)) {
      return Fail("Record on a stream that takes no part in the capture");
    }
    Event& e = EventOf(event);
    HostEvent*& moments = e.of_stream[stream.index];
    if (moments == nullptr) moments = &(capture_.has_value() ? capture_->graph->events : moments_).emplace_back();
    e.latest = moments;
    const int64_t ticket = ++moments->issued;
    Push(stream, {.kind = CommandKind::kRecord, .amount = ticket, .event = moments});
  }
  void Wait(StreamHandle stream, EventHandle event) override {
    HostEvent* const moments = EventOf(event).latest;
    if (capture_.has_value()) {
      if (moments == nullptr) return Fail("Wait for an event that was not recorded in the capture");
      capture_->Join(stream);
    }
    if (moments != nullptr) Push(stream, {.kind = CommandKind::kWait, .amount = moments->issued, .event = moments});
  }

  absl::Status Synchronize() override {
    WaitForAll();
    return std::exchange(failure_, absl::OkStatus());
  }

  absl::Status BeginCapture(StreamHandle origin) override {
    if (capture_.has_value()) return absl::FailedPreconditionError("a capture has begun already");
    capture_.emplace();
    capture_->graph = std::make_unique<HostGraph>();
    capture_->Join(origin);
    return absl::OkStatus();
  }
  absl::StatusOr<GraphHandle> EndCapture() override {
    if (!capture_.has_value()) return absl::FailedPreconditionError("no capture has begun");
    std::unique_ptr<HostGraph> graph = std::move(capture_->graph);
    const int32_t loose = capture_->LooseEnd(*graph);
    capture_.reset();
    if (loose >= 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("the origin of the capture does not wait for the end of stream ", loose));
    }
    graphs_.push_back(std::move(graph));
    return GraphHandle{static_cast<int32_t>(graphs_.size()) - 1};
  }
  // Only the origin's list runs in stream order. The others run beside all streams: what is enqueued on the streams
  // that they were captured on is as unordered with them as it is on a GPU.
  void Replay(StreamHandle stream, GraphHandle handle) override {
    if (RefuseInCapture("Replay")) return;
    HostGraph& graph = *graphs_[static_cast<size_t>(handle.index)];
    if (graph.lists[0].first != stream.index) return Fail("Replay on another stream than the origin of the capture");
    while (helper_queues_.size() + 1 < graph.lists.size()) {
      const absl::StatusOr<size_t> queue = MakeQueue();
      if (!queue.ok()) return failure_.Update(queue.status());
      helper_queues_.push_back(*queue);
    }
    for (size_t i = 0; i < graph.lists.size(); ++i) {
      PushTo(i == 0 ? QueueOf(stream) : helper_queues_[i - 1],
             {.kind = CommandKind::kReplay, .amount = graph.replays, .replay = &graph.lists[i].second});
    }
    ++graph.replays;
  }

 private:
  // The moments of an event, apart by stream: only those of one stream are reached in the order in which they were
  // enqueued.
  struct Event {
    std::map<int32_t, HostEvent*> of_stream = {};
    HostEvent* latest = nullptr;  // that Wait is for; null: never recorded
  };
  struct Capture {
    std::unique_ptr<HostGraph> graph;
    std::map<int32_t, Event> events = {};           // recorded in the capture
    std::map<int32_t, size_t> list_of_stream = {};  // that take part

    bool Takes(StreamHandle s) const { return list_of_stream.contains(s.index); }
    void Join(StreamHandle s) {
      if (list_of_stream.emplace(s.index, graph->lists.size()).second) graph->lists.push_back({s.index, {}});
    }
    // A stream whose last command the origin does not come after, -1 if there is none.
    int32_t LooseEnd(const HostGraph& g) const {
      // Streams that the origin waits for, directly or by others: their last command is a Record that is waited for.
      std::vector<bool> joined(g.lists.size(), false);
      joined[0] = true;
      for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g.lists.size(); ++i) {
          for (size_t j = 0; j < g.lists.size() && !joined[i]; ++j) {
            if (joined[j] && i != j && WaitsFor(g.lists[j].second, g.lists[i].second)) joined[i] = changed = true;
          }
        }
      }
      for (size_t i = 0; i < joined.size(); ++i) {
        if (!joined[i]) return g.lists[i].first;
      }
      return -1;
    }
    // `from` waits for a Record of `of` behind which nothing runs.
    static bool WaitsFor(const CommandList& from, const CommandList& of) {
      for (size_t last = of.size(); last > 0; --last) {
        const Command& record = of[last - 1];
        if (record.kind == CommandKind::kWait) continue;
        if (record.kind != CommandKind::kRecord) return false;
        for (size_t i = 0; i < from.size(); ++i) {
          const Command& wait = from[i];
          if (wait.kind == CommandKind::kWait && wait.event == record.event && wait.amount >= record.amount)
            return true;
        }
      }
      return true;
    }
  };

  Event& EventOf(EventHandle event) {
    return capture_.has_value() ? capture_->events[event.index] : events_[static_cast<size_t>(event.index)];
  }

  absl::StatusOr<size_t> MakeQueue() {
    if (interleaver_.has_value()) {
      interleaver_->AddStream();
      return num_queues_++;
    }
    try {
      workers_.push_back(std::make_unique<Worker>());
    } catch (const std::system_error& error) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the host cannot start thread ", num_queues_ + 1, ": ", error.what()));
    }
    return num_queues_++;
  }
  size_t QueueOf(StreamHandle stream) const { return queue_of_stream_[static_cast<size_t>(stream.index)]; }

  template <class... Arguments>
  void Push(StreamHandle stream, const Command& command, const Arguments&... arguments) {
    if (capture_.has_value()) {
      const auto it = capture_->list_of_stream.find(stream.index);
      if (it != capture_->list_of_stream.end()) {
        return capture_->graph->lists[it->second].second.Push(command, arguments...);
      }
    }
    PushTo(QueueOf(stream), command, arguments...);
  }
  template <class... Arguments>
  void PushTo(size_t queue, const Command& command, const Arguments&... arguments) {
    if (interleaver_.has_value()) return interleaver_->pending(queue).Push(command, arguments...);
    workers_[queue]->Enqueue([&](CommandList& list) { list.Push(command, arguments...); });
  }

  void WaitForAll() {
    if (interleaver_.has_value()) return interleaver_->Run();
    // Before one of them is waited for, all have what they may have to wait for.
    for (const std::unique_ptr<Worker>& w : workers_) w->Flush();
    for (const std::unique_ptr<Worker>& w : workers_) w->Synchronize();
  }
  void Fail(absl::string_view what) { failure_.Update(absl::FailedPreconditionError(what)); }
  bool RefuseInCapture(absl::string_view what) {
    if (capture_.has_value()) Fail(absl::StrCat(what, " cannot be captured"));
    return capture_.has_value();
  }

  DeviceProperties properties_;
  std::map<void*, size_t> allocations_;
  std::vector<Event> events_;
  std::deque<HostEvent> moments_;  // outside of captures; addresses stay
  std::vector<std::unique_ptr<HostGraph>> graphs_;
  std::optional<Capture> capture_;
  absl::Status failure_;
  // Queues of commands: one of each stream, and those that the lists of a graph beside the first run in, which graphs
  // share. They are filled in the order of the calls, so nothing in a queue ever waits for what is behind it.
  std::vector<size_t> queue_of_stream_, helper_queues_;
  size_t num_queues_ = 0;
  std::optional<Interleaver> interleaver_;        // has the queues; else:
  std::vector<std::unique_ptr<Worker>> workers_;  // by queue
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(const HostOptions& options) { return std::make_unique<HostDevice>(options); }

}  // namespace bufplan::runtime
