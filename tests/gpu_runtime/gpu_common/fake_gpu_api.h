// An Api for GpuDevice whose driver is the host: its calls have the signatures of CUDA's driver API, and it holds
// callers to the same rules. So GpuDevice is tested where there is no GPU.
#ifndef BUFPLAN_TESTS_GPU_RUNTIME_GPU_COMMON_FAKE_GPU_API_H_
#define BUFPLAN_TESTS_GPU_RUNTIME_GPU_COMMON_FAKE_GPU_API_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/gpu_common/driver_library.h"

namespace bufplan::runtime {

// What tests set, and read. One device at a time uses it.
struct FakeGpu {
  // The call of this name fails, with this result.
  std::string failing_call;
  int failing_result = 0;
  int num_devices = 1;
  int max_threads = 1024;  // of a block
  // Of the open device.
  std::unique_ptr<Device> host = nullptr;
  int live_objects = 0;  // made and not destroyed: streams, events, graphs, memory, ...
  int64_t largest_grid = 0;
  std::set<const void*> workspaces = {};
};
FakeGpu& TheFakeGpu();

struct FakeStream {
  StreamHandle handle;
  bool captured = false;
};
struct FakeEvent {
  EventHandle handle;
  bool captured = false;  // the last Record was
};
struct FakeGraph {
  GraphHandle handle;
};

class FakeBlas {
 public:
  static constexpr int64_t kWorkspaceBytes = 1024;
  absl::Status Prepare() { return absl::OkStatus(); }
  absl::Status Multiply(FakeStream* stream, std::byte* workspace, const MatmulArgs& args);
};

// Results are those of CUDA, by number.
inline constexpr int kFakeOutOfMemory = 2, kFakeIllegalAddress = 700, kFakeUnjoined = 904;

class FakeGpuApi {
 public:
  using Result = int;
  using Pointer = void*;
  using Stream = FakeStream*;
  using Event = FakeEvent*;
  using Graph = FakeGraph*;
  using GraphExec = FakeGraph*;
  using Module = const void*;
  using Function = size_t;
  using Blas = FakeBlas;
  static constexpr char kName[] = "fake";
  static constexpr Result kSuccess = 0;
  static constexpr unsigned kNonBlocking = 1;
  static constexpr unsigned kNoTiming = 2;
  static constexpr int kRelaxed = 2;
  static constexpr int kMaxThreads = 3;

  FakeGpuApi() = default;
  FakeGpuApi(const FakeGpuApi&) = delete;
  FakeGpuApi& operator=(const FakeGpuApi&) = delete;
  ~FakeGpuApi();

  absl::Status Open(DeviceProperties& properties);
  bool is_open() const { return is_open_; }
  void Enter() const {}
  absl::Status ErrorOf(const char* function, Result result) const;
  static Pointer ToPointer(const void* address) { return const_cast<void*>(address); }
  absl::Status Instantiate(GraphExec* exec, Graph graph) const;

  DriverFunction<int(const void**, const void*)> load_module;
  DriverFunction<int(const void*)> unload_module;
  DriverFunction<int(size_t*, const void*, const char*)> get_function;
  DriverFunction<int(int*, int, size_t)> function_attribute;
  DriverFunction<int(void**, size_t)> allocate;
  DriverFunction<int(void*)> free;
  DriverFunction<int(size_t*, size_t*)> memory_info;
  DriverFunction<int(Stream*, unsigned)> make_stream;
  DriverFunction<int(Stream)> destroy_stream;
  DriverFunction<int(Stream)> synchronize;
  DriverFunction<int(Event*, unsigned)> make_event;
  DriverFunction<int(Event)> destroy_event;
  DriverFunction<int(Event, Stream)> record;
  DriverFunction<int(Stream, Event, unsigned)> wait;
  DriverFunction<int(void*, void*, size_t, Stream)> copy;
  DriverFunction<int(void*, const void*, size_t, Stream)> copy_in;
  DriverFunction<int(void*, void*, size_t, Stream)> copy_out;
  DriverFunction<int(void*, unsigned char, size_t, Stream)> fill;
  DriverFunction<int(size_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,
                     void**)>
      launch;
  DriverFunction<int(Stream, int)> begin_capture;
  DriverFunction<int(Stream, Graph*)> end_capture;
  DriverFunction<int(Graph)> destroy_graph;
  DriverFunction<int(GraphExec, Stream)> launch_graph;
  DriverFunction<int(GraphExec)> destroy_exec;

 private:
  bool is_open_ = false;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_TESTS_GPU_RUNTIME_GPU_COMMON_FAKE_GPU_API_H_
