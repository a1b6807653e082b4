// The device of CUDA and of HIP, whose APIs differ in names and types alone. See gpu_runtime/device/device.h.
//
// An Api has these types and members (cuda/cuda_device.cc, hip/hip_device.cc):
//
//   Result, Pointer, Stream, Event, Graph, GraphExec, Module, Function      the API's own
//   Blas                    Matmul by its library: kWorkspaceBytes, Prepare(), Multiply(stream, workspace, arguments)
//   Open(properties)        loads the driver, opens the first device. ERRORS: Unavailable
//   Enter()                 makes the device that of the calling thread
//   ErrorOf(name, result)   ResourceExhausted: lack of memory; FailedPrecondition: misuse of a capture; Internal
//   kName, kSuccess, kNonBlocking, kNoTiming, kRelaxed, kMaxThreads      constants of the API
//   ToPointer(address), Instantiate(exec, graph)
//   allocate, free, memory_info, load_module, ...    DriverFunctions
// COST: a call is one of the driver, some microseconds; copies from and to the host may take until they are done.
#ifndef BUFPLAN_GPU_RUNTIME_GPU_COMMON_GPU_DEVICE_H_
#define BUFPLAN_GPU_RUNTIME_GPU_COMMON_GPU_DEVICE_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/gpu_common/driver_library.h"
#include "gpu_runtime/gpu_common/launch.h"

namespace bufplan::runtime {

template <class Api>
class GpuDevice final : public Device {
 public:
  // `image`: device_kernels.h, compiled for the API. ERRORS: Unavailable: no driver or device that runs the kernels.
  static absl::StatusOr<std::unique_ptr<Device>> Make(const void* image) {
    auto device = std::make_unique<GpuDevice>();
    absl::Status status = device->api_.Open(device->properties_);
    if (status.ok()) status = device->LoadKernels(image);
    if (status.ok()) return device;
    return absl::UnavailableError(absl::StrCat("there is no ", Api::kName, " device: ", status.message()));
  }
  ~GpuDevice() override {
    if (!api_.is_open()) return;
    if (Capturing()) (void)EndCapture();
    WaitForAll();
    for (const GraphState& g : graphs_) (void)Call(api_.destroy_exec, g.exec);
    for (const EventState& e : events_) {
      (void)Call(api_.destroy_event, e.outside);
      if (e.inside != nullptr) (void)Call(api_.destroy_event, e.inside);
    }
    for (const StreamState& s : streams_) (void)Call(api_.destroy_stream, s.stream);
    for (std::byte* memory : allocations_) (void)Call(api_.free, Api::ToPointer(memory));
    if (module_ != nullptr) (void)Call(api_.unload_module, module_);
  }

  const DeviceProperties& properties() const override { return properties_; }

  absl::StatusOr<std::byte*> Allocate(int64_t bytes) override {
    typename Api::Pointer memory = {};
    size_t free = 0, total = 0;
    const absl::Status status = Call(api_.allocate, &memory, static_cast<size_t>(std::max<int64_t>(1, bytes)));
    if (!status.ok()) {
      (void)Call(api_.memory_info, &free, &total);
      return absl::Status(status.code(), absl::StrCat(properties_.name, " cannot allocate ", bytes, " bytes, ", free,
                                                      " are free: ", status.message()));
    }
    return *allocations_.insert(reinterpret_cast<std::byte*>(memory)).first;
  }
  void Free(std::byte* memory) override {
    WaitForAll();
    if (allocations_.erase(memory) > 0) Enqueue(api_.free, Api::ToPointer(memory));
  }

  absl::StatusOr<StreamHandle> MakeStream() override {
    StreamState s;
    if (absl::Status status = Call(api_.make_stream, &s.stream, Api::kNonBlocking); !status.ok()) return status;
    streams_.push_back(s);
    return StreamHandle{static_cast<int32_t>(streams_.size()) - 1};
  }
  absl::StatusOr<EventHandle> MakeEvent() override {
    EventState e;
    if (absl::Status status = Call(api_.make_event, &e.outside, Api::kNoTiming); !status.ok()) return status;
    events_.push_back(e);
    return EventHandle{static_cast<int32_t>(events_.size()) - 1};
  }

  void Copy(StreamHandle stream, std::byte* to, const std::byte* from, int64_t bytes) override {
    if (bytes <= 0) return;
    Enqueue(api_.copy, Api::ToPointer(to), Api::ToPointer(from), static_cast<size_t>(bytes), Of(stream).stream);
  }
  void CopyIn(StreamHandle stream, std::byte* to, const void* host_from, int64_t bytes) override {
    if (bytes <= 0 || RefuseInCapture("CopyIn")) return;
    Enqueue(api_.copy_in, Api::ToPointer(to), const_cast<void*>(host_from), static_cast<size_t>(bytes),
            Of(stream).stream);
  }
  void CopyOut(StreamHandle stream, void* host_to, const std::byte* from, int64_t bytes) override {
    if (bytes <= 0 || RefuseInCapture("CopyOut")) return;
    Enqueue(api_.copy_out, host_to, Api::ToPointer(from), static_cast<size_t>(bytes), Of(stream).stream);
  }
  void Fill(StreamHandle stream, std::byte* to, uint8_t byte, int64_t bytes) override {
    if (bytes > 0) Enqueue(api_.fill, Api::ToPointer(to), byte, static_cast<size_t>(bytes), Of(stream).stream);
  }

  void LaunchBytes(StreamHandle stream, KernelId kernel, int64_t items, const void* arguments, size_t) override {
    if (items <= 0) return;
    if (static_cast<size_t>(kernel) >= functions_.size()) {
      return failure_.Update(absl::FailedPreconditionError("Launch of a kernel that is not in the list of kernels"));
    }
    void* parameters[] = {const_cast<void*>(arguments), &items};
    Enqueue(api_.launch, functions_[static_cast<size_t>(kernel)], static_cast<unsigned>(std::min(items, kMaxTeams)), 1u,
            1u, static_cast<unsigned>(kTeamSize), 1u, 1u, 0u, Of(stream).stream, parameters, nullptr);
  }
  void Matmul(StreamHandle stream, const MatmulArgs& arguments) override {
    if (absl::Status status = PrepareBlas(); !status.ok()) return failure_.Update(status);
    StreamState& s = Of(stream);
    // A workspace for each stream: products do not meet, and each is made in the same way whatever else runs.
    if (s.workspace == nullptr) {
      absl::StatusOr<std::byte*> workspace = Allocate(Api::Blas::kWorkspaceBytes);
      if (!workspace.ok()) return failure_.Update(workspace.status());
      s.workspace = *workspace;
    }
    failure_.Update(blas_.Multiply(s.stream, s.workspace, arguments));
  }

  void HostCall(StreamHandle, std::function<void()>) override {
    failure_.Update(absl::UnimplementedError(
        absl::StrCat("host calls are for the host; with ", Api::kName, " enqueue on the native stream")));
  }
  void* NativeStream(StreamHandle stream) override { return reinterpret_cast<void*>(Of(stream).stream); }

  // Inside a capture another event of the API stands for the same handle: outside, what was recorded before holds on.
  void Record(EventHandle event, StreamHandle stream) override {
    EventState& e = Of(event);
    if (!Capturing()) return Enqueue(api_.record, e.outside, Of(stream).stream);
    if (!TakesPart(stream)) return Fail("Record on a stream that takes no part in the capture");
    if (e.inside == nullptr) Enqueue(api_.make_event, &e.inside, Api::kNoTiming);
    e.capture = num_captures_;
    Enqueue(api_.record, e.inside, Of(stream).stream);
  }
  void Wait(StreamHandle stream, EventHandle event) override {
    const EventState& e = Of(event);
    if (!Capturing()) return Enqueue(api_.wait, Of(stream).stream, e.outside, 0u);
    if (e.capture != num_captures_) return Fail("Wait for an event that was not recorded in the capture");
    Of(stream).capture = num_captures_;
    Enqueue(api_.wait, Of(stream).stream, e.inside, 0u);
  }

  absl::Status Synchronize() override {
    WaitForAll();
    return std::exchange(failure_, absl::OkStatus());
  }

  absl::Status BeginCapture(StreamHandle origin) override {
    if (Capturing()) return absl::FailedPreconditionError("a capture has begun already");
    // Its library sets itself up at the first use, which cannot be captured. If it is not there, Matmul will say so.
    (void)PrepareBlas();
    if (absl::Status status = Call(api_.begin_capture, Of(origin).stream, Api::kRelaxed); !status.ok()) return status;
    origin_ = origin.index;
    Of(origin).capture = ++num_captures_;
    return absl::OkStatus();
  }
  absl::StatusOr<GraphHandle> EndCapture() override {
    if (!Capturing()) return absl::FailedPreconditionError("no capture has begun");
    GraphState g = {.exec = {}, .origin = std::exchange(origin_, -1)};
    typename Api::Graph graph = {};
    absl::Status status = Call(api_.end_capture, streams_[static_cast<size_t>(g.origin)].stream, &graph);
    if (status.ok()) status = api_.Instantiate(&g.exec, graph);
    if (graph != nullptr) (void)Call(api_.destroy_graph, graph);
    if (!status.ok()) return status;
    graphs_.push_back(g);
    return GraphHandle{static_cast<int32_t>(graphs_.size()) - 1};
  }
  void Replay(StreamHandle stream, GraphHandle graph) override {
    if (RefuseInCapture("Replay")) return;
    const GraphState& g = graphs_[static_cast<size_t>(graph.index)];
    if (g.origin != stream.index) return Fail("Replay on another stream than the origin of the capture");
    Enqueue(api_.launch_graph, g.exec, Of(stream).stream);
  }

 private:
  struct StreamState {
    typename Api::Stream stream = nullptr;
    std::byte* workspace = nullptr;  // of Blas, from its first use
    int64_t capture = 0;             // the last that it takes part in
  };
  struct EventState {
    typename Api::Event outside = nullptr, inside = nullptr;
    int64_t capture = 0;  // the last that recorded it
  };
  struct GraphState {
    typename Api::GraphExec exec = nullptr;
    int32_t origin = 0;
  };

  StreamState& Of(StreamHandle stream) { return streams_[static_cast<size_t>(stream.index)]; }
  EventState& Of(EventHandle event) { return events_[static_cast<size_t>(event.index)]; }
  bool Capturing() const { return origin_ >= 0; }
  bool TakesPart(StreamHandle stream) { return Capturing() && Of(stream).capture == num_captures_; }

  template <class F, class... Arguments>
  absl::Status Call(const DriverFunction<F>& function, Arguments... arguments) {
    api_.Enter();
    const typename Api::Result result = function.call(arguments...);
    return result == Api::kSuccess ? absl::OkStatus() : api_.ErrorOf(function.name, result);
  }
  template <class F, class... Arguments>
  void Enqueue(const DriverFunction<F>& function, Arguments... arguments) {
    failure_.Update(Call(function, arguments...));
  }
  void Fail(absl::string_view what) { failure_.Update(absl::FailedPreconditionError(what)); }
  bool RefuseInCapture(absl::string_view what) {
    if (Capturing()) Fail(absl::StrCat(what, " cannot be captured"));
    return Capturing();
  }

  // Streams that are captured run nothing.
  void WaitForAll() {
    for (size_t s = 0; s < streams_.size(); ++s) {
      if (!TakesPart({static_cast<int32_t>(s)})) Enqueue(api_.synchronize, streams_[s].stream);
    }
  }

  absl::Status LoadKernels(const void* image) {
    if (absl::Status status = Call(api_.load_module, &module_, image); !status.ok()) return status;
    for (const char* name : kKernelEntries) {
      int threads = 0;
      absl::Status status = Call(api_.get_function, &functions_.emplace_back(), module_, name);
      // Whoever asks how a kernel may be launched has it loaded now: at its first launch that might wait for others.
      status.Update(Call(api_.function_attribute, &threads, Api::kMaxThreads, functions_.back()));
      if (!status.ok()) return status;
      if (threads < kTeamSize) return absl::UnavailableError(absl::StrCat(name, " runs ", threads, " threads at most"));
    }
    return absl::OkStatus();
  }
  absl::Status PrepareBlas() {
    api_.Enter();
    return blas_.Prepare();
  }

  Api api_;
  DeviceProperties properties_;
  typename Api::Module module_ = nullptr;
  std::vector<typename Api::Function> functions_;  // by KernelId
  std::vector<StreamState> streams_;
  std::vector<EventState> events_;
  std::vector<GraphState> graphs_;
  std::set<std::byte*> allocations_;
  typename Api::Blas blas_;
  absl::Status failure_;
  int32_t origin_ = -1;  // of the capture; -1: there is none
  int64_t num_captures_ = 0;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_GPU_COMMON_GPU_DEVICE_H_
