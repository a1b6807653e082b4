#include "tests/gpu_runtime/gpu_common/fake_gpu_api.h"

#include <algorithm>
#include <vector>

#include "gpu_runtime/gpu_common/launch.h"
#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {
namespace {

constexpr int kInvalidValue = 1, kNotFound = 500, kCapturedEvent = 907, kCaptureUnsupported = 900;

constexpr size_t kArgumentBytes[] = {
#define BUFPLAN_ARGUMENT_BYTES(name) sizeof(name::Args),
    BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_ARGUMENT_BYTES)
#undef BUFPLAN_ARGUMENT_BYTES
};

// Streams that the capture has reached; empty: there is none.
std::vector<FakeStream*>& Captured() {
  static std::vector<FakeStream*> captured;
  return captured;
}
Device& Host() { return *TheFakeGpu().host; }
bool MustFail(const char* name, int& result) {
  result = TheFakeGpu().failing_result;
  return TheFakeGpu().failing_call == name;
}

// A call that fails when a test says so, and else does what `body` does.
#define BUFPLAN_FAKE(member, parameters, body)                    \
  int Fake_##member parameters {                                  \
    if (int result = 0; MustFail(#member, result)) return result; \
    body return 0;                                                \
  }

template <class T>
int Make(T** made, const T& value) {
  ++TheFakeGpu().live_objects;
  *made = new T(value);
  return 0;
}
template <class T>
int Destroy(T* made) {
  --TheFakeGpu().live_objects;
  delete made;
  return 0;
}

// clang-format off
BUFPLAN_FAKE(load_module, (const void** module, const void* image), { *module = image; ++TheFakeGpu().live_objects; })
BUFPLAN_FAKE(unload_module, (const void*), { --TheFakeGpu().live_objects; })
BUFPLAN_FAKE(get_function, (size_t* function, const void*, const char* name), {
  const auto* found = std::find(std::begin(kKernelEntries), std::end(kKernelEntries), absl::string_view(name));
  if (found == std::end(kKernelEntries)) return kNotFound;
  *function = static_cast<size_t>(found - std::begin(kKernelEntries));
})
BUFPLAN_FAKE(function_attribute, (int* value, int attribute, size_t), {
  if (attribute != FakeGpuApi::kMaxThreads) return kInvalidValue;
  *value = TheFakeGpu().max_threads;
})
BUFPLAN_FAKE(allocate, (void** memory, size_t bytes), {
  const absl::StatusOr<std::byte*> allocated = Host().Allocate(static_cast<int64_t>(bytes));
  if (bytes == 0) return kInvalidValue;
  if (!allocated.ok()) return kFakeOutOfMemory;
  *memory = *allocated;
  ++TheFakeGpu().live_objects;
})
BUFPLAN_FAKE(free, (void* memory), { Host().Free(static_cast<std::byte*>(memory)); --TheFakeGpu().live_objects; })
BUFPLAN_FAKE(memory_info, (size_t* free, size_t* total), { *free = 12345; *total = 23456; })
BUFPLAN_FAKE(make_stream, (FakeStream** stream, unsigned flags), {
  if (flags != FakeGpuApi::kNonBlocking) return kInvalidValue;
  return Make(stream, {Host().MakeStream().value()});
})
BUFPLAN_FAKE(destroy_stream, (FakeStream* stream), { return Destroy(stream); })
BUFPLAN_FAKE(synchronize, (FakeStream* stream), {
  if (stream->captured) return kCaptureUnsupported;
  if (!Host().Synchronize().ok()) return kFakeIllegalAddress;
})
BUFPLAN_FAKE(make_event, (FakeEvent** event, unsigned flags), {
  if (flags != FakeGpuApi::kNoTiming) return kInvalidValue;
  return Make(event, {Host().MakeEvent().value()});
})
BUFPLAN_FAKE(destroy_event, (FakeEvent* event), { return Destroy(event); })
BUFPLAN_FAKE(record, (FakeEvent* event, FakeStream* stream), {
  event->captured = stream->captured;
  Host().Record(event->handle, stream->handle);
})
BUFPLAN_FAKE(wait, (FakeStream* stream, FakeEvent* event, unsigned flags), {
  if (flags != 0) return kInvalidValue;
  if (event->captured && Captured().empty()) return kCapturedEvent;
  if (!event->captured && !Captured().empty()) return kCaptureUnsupported;
  if (event->captured && !stream->captured) {
    stream->captured = true;
    Captured().push_back(stream);
  }
  Host().Wait(stream->handle, event->handle);
})
BUFPLAN_FAKE(copy, (void* to, void* from, size_t bytes, FakeStream* stream), {
  Host().Copy(stream->handle, static_cast<std::byte*>(to), static_cast<const std::byte*>(from),
              static_cast<int64_t>(bytes));
})
BUFPLAN_FAKE(copy_in, (void* to, const void* from, size_t bytes, FakeStream* stream), {
  if (stream->captured) return kCaptureUnsupported;
  Host().CopyIn(stream->handle, static_cast<std::byte*>(to), from, static_cast<int64_t>(bytes));
})
BUFPLAN_FAKE(copy_out, (void* to, void* from, size_t bytes, FakeStream* stream), {
  if (stream->captured) return kCaptureUnsupported;
  Host().CopyOut(stream->handle, to, static_cast<const std::byte*>(from), static_cast<int64_t>(bytes));
})
BUFPLAN_FAKE(fill, (void* to, unsigned char byte, size_t bytes, FakeStream* stream), {
  Host().Fill(stream->handle, static_cast<std::byte*>(to), byte, static_cast<int64_t>(bytes));
})
BUFPLAN_FAKE(launch, (size_t function, unsigned grid, unsigned grid_y, unsigned grid_z, unsigned block,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, FakeStream* stream,
                      void** parameters, void** extra), {
  const int64_t items = *static_cast<const int64_t*>(parameters[1]);
  if (grid == 0 || grid > items || block != kTeamSize || shared_bytes != 0 || extra != nullptr) return kInvalidValue;
  if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1) return kInvalidValue;
  TheFakeGpu().largest_grid = std::max<int64_t>(TheFakeGpu().largest_grid, grid);
  Host().LaunchBytes(stream->handle, static_cast<KernelId>(function), items, parameters[0], kArgumentBytes[function]);
})
BUFPLAN_FAKE(begin_capture, (FakeStream* stream, int mode), {
  if (mode != FakeGpuApi::kRelaxed || !Host().BeginCapture(stream->handle).ok()) return kInvalidValue;
  stream->captured = true;
  Captured() = {stream};
})
BUFPLAN_FAKE(end_capture, (FakeStream* stream, FakeGraph** graph), {
  if (Captured().empty() || Captured()[0] != stream) return kCaptureUnsupported;
  for (FakeStream* s : Captured()) s->captured = false;
  Captured().clear();
  const absl::StatusOr<GraphHandle> ended = Host().EndCapture();
  if (!ended.ok()) return kFakeUnjoined;
  return Make(graph, {*ended});
})
BUFPLAN_FAKE(destroy_graph, (FakeGraph* graph), { return Destroy(graph); })
BUFPLAN_FAKE(launch_graph, (FakeGraph* exec, FakeStream* stream), {
  if (stream->captured) return kCaptureUnsupported;
  Host().Replay(stream->handle, exec->handle);
})
BUFPLAN_FAKE(destroy_exec, (FakeGraph* exec), { return Destroy(exec); })
// clang-format on
#undef BUFPLAN_FAKE

}  // namespace

FakeGpu& TheFakeGpu() {
  static FakeGpu* const gpu = new FakeGpu;
  return *gpu;
}

absl::Status FakeBlas::Multiply(FakeStream* stream, std::byte* workspace, const MatmulArgs& args) {
  if (workspace == nullptr) return absl::InternalError("no workspace");
  TheFakeGpu().workspaces.insert(workspace);
  Host().Matmul(stream->handle, args);
  return absl::OkStatus();
}

FakeGpuApi::~FakeGpuApi() {
  if (is_open_) TheFakeGpu().host.reset();
}

absl::Status FakeGpuApi::Open(DeviceProperties& properties) {
  FakeGpu& gpu = TheFakeGpu();
  if (gpu.num_devices == 0) return absl::UnavailableError("it is gone");
  gpu.host = MakeHostDevice();
  properties = gpu.host->properties();
#define BUFPLAN_BIND(member) member = {#member, #member, Fake_##member};
  BUFPLAN_BIND(load_module)
  BUFPLAN_BIND(unload_module)
  BUFPLAN_BIND(get_function)
  BUFPLAN_BIND(function_attribute)
  BUFPLAN_BIND(allocate)
  BUFPLAN_BIND(free)
  BUFPLAN_BIND(memory_info)
  BUFPLAN_BIND(make_stream)
  BUFPLAN_BIND(destroy_stream)
  BUFPLAN_BIND(synchronize)
  BUFPLAN_BIND(make_event)
  BUFPLAN_BIND(destroy_event)
  BUFPLAN_BIND(record)
  BUFPLAN_BIND(wait)
  BUFPLAN_BIND(copy)
  BUFPLAN_BIND(copy_in)
  BUFPLAN_BIND(copy_out)
  BUFPLAN_BIND(fill)
  BUFPLAN_BIND(launch)
  BUFPLAN_BIND(begin_capture)
  BUFPLAN_BIND(end_capture)
  BUFPLAN_BIND(destroy_graph)
  BUFPLAN_BIND(launch_graph)
  BUFPLAN_BIND(destroy_exec)
#undef BUFPLAN_BIND
  is_open_ = true;
  return absl::OkStatus();
}

absl::Status FakeGpuApi::ErrorOf(const char* function, Result result) const {
  const absl::StatusCode code = result == kFakeOutOfMemory       ? absl::StatusCode::kResourceExhausted
                                : result >= 900 && result <= 908 ? absl::StatusCode::kFailedPrecondition
                                                                 : absl::StatusCode::kInternal;
  return DriverError(code, function, absl::StrCat("FAKE_ERROR_", result), "what the driver says");
}

absl::Status FakeGpuApi::Instantiate(GraphExec* exec, Graph graph) const {
  if (int result = 0; MustFail("instantiate", result)) return ErrorOf("instantiate", result);
  Make(exec, *graph);
  return absl::OkStatus();
}

}  // namespace bufplan::runtime
