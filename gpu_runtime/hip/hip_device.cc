#include "gpu_runtime/hip/hip_device.h"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/gpu_common/driver_library.h"
#include "gpu_runtime/gpu_common/gpu_device.h"
#include "gpu_runtime/hip/hipblas.h"
#include "gpu_runtime/hip/kernels_image.h"

namespace bufplan::runtime {
namespace {

#define BUFPLAN_HIP_FUNCTIONS(DO)             \
  DO(initialise, hipInit)                     \
  DO(error_name, hipGetErrorName)             \
  DO(error_text, hipGetErrorString)           \
  DO(count_devices, hipGetDeviceCount)        \
  DO(set_device, hipSetDevice)                \
  DO(device_name, hipDeviceGetName)           \
  DO(device_memory, hipDeviceTotalMem)        \
  DO(device_attribute, hipDeviceGetAttribute) \
  DO(load_module, hipModuleLoadData)          \
  DO(unload_module, hipModuleUnload)          \
  DO(function_attribute, hipFuncGetAttribute) \
  DO(get_function, hipModuleGetFunction)      \
  DO(free, hipFree)                           \
  DO(memory_info, hipMemGetInfo)              \
  DO(make_stream, hipStreamCreateWithFlags)   \
  DO(destroy_stream, hipStreamDestroy)        \
  DO(synchronize, hipStreamSynchronize)       \
  DO(make_event, hipEventCreateWithFlags)     \
  DO(destroy_event, hipEventDestroy)          \
  DO(record, hipEventRecord)                  \
  DO(wait, hipStreamWaitEvent)                \
  DO(copy, hipMemcpyDtoDAsync)                \
  DO(copy_in, hipMemcpyHtoDAsync)             \
  DO(copy_out, hipMemcpyDtoHAsync)            \
  DO(fill, hipMemsetD8Async)                  \
  DO(launch, hipModuleLaunchKernel)           \
  DO(begin_capture, hipStreamBeginCapture)    \
  DO(end_capture, hipStreamEndCapture)        \
  DO(instantiate, hipGraphInstantiate)        \
  DO(destroy_graph, hipGraphDestroy)          \
  DO(launch_graph, hipGraphLaunch)            \
  DO(destroy_exec, hipGraphExecDestroy)

class HipApi {
 public:
  using Result = hipError_t;
  using Pointer = hipDeviceptr_t;
  using Stream = hipStream_t;
  using Event = hipEvent_t;
  using Graph = hipGraph_t;
  using GraphExec = hipGraphExec_t;
  using Module = hipModule_t;
  using Function = hipFunction_t;
  using Blas = HipBlas;
  static constexpr char kName[] = "HIP";
  static constexpr Result kSuccess = hipSuccess;
  static constexpr unsigned kNonBlocking = hipStreamNonBlocking;
  static constexpr unsigned kNoTiming = hipEventDisableTiming;
  static constexpr hipStreamCaptureMode kRelaxed = hipStreamCaptureModeRelaxed;
  static constexpr hipFunction_attribute kMaxThreads = HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;

  absl::Status Open(DeviceProperties& properties) {
    const std::string names[] = {absl::StrCat("libamdhip64.so.", HIP_VERSION_MAJOR), "libamdhip64.so"};
    const absl::StatusOr<void*> library = OpenLibrary(names);
    if (!library.ok()) return absl::UnavailableError(library.status().message());
    absl::Status status = BindFunction(*library, allocate);
#define BUFPLAN_BIND(member, function) status.Update(BindFunction(*library, member));
    BUFPLAN_HIP_FUNCTIONS(BUFPLAN_BIND)
#undef BUFPLAN_BIND
    if (!status.ok()) return status;
    int devices = 0;
    if (Result r = initialise.call(0); r != kSuccess) return ErrorOf(initialise.name, r);
    if (Result r = count_devices.call(&devices); r != kSuccess) return ErrorOf(count_devices.name, r);
    if (devices == 0) return absl::UnavailableError("the driver shows none");
    if (Result r = set_device.call(kDevice); r != kSuccess) return ErrorOf(set_device.name, r);
    is_open_ = true;
    Describe(properties);
    return absl::OkStatus();
  }
  bool is_open() const { return is_open_; }
  void Enter() const { (void)set_device.call(kDevice); }

  absl::Status ErrorOf(const char* function, Result result) const {
    return DriverError(CodeOf(result), function, error_name.call(result), error_text.call(result));
  }

  static Pointer ToPointer(const void* address) { return const_cast<void*>(address); }
  absl::Status Instantiate(GraphExec* exec, Graph graph) const {
    const Result result = instantiate.call(exec, graph, nullptr, nullptr, 0);
    return result == kSuccess ? absl::OkStatus() : ErrorOf(instantiate.name, result);
  }

  BUFPLAN_HIP_FUNCTIONS(BUFPLAN_DECLARE_FUNCTION)
  // The header overloads it, so its type has to be written out.
  DriverFunction<hipError_t(void**, size_t)> allocate{"hipMalloc", "hipMalloc"};

 private:
  static constexpr int kDevice = 0;

  void Describe(DeviceProperties& properties) const {
    char name[256] = {};
    size_t memory = 0;
    int units = 0;
    (void)device_name.call(name, sizeof(name), kDevice);
    (void)device_memory.call(&memory, kDevice);
    (void)device_attribute.call(&units, hipDeviceAttributeMultiprocessorCount, kDevice);
    properties = {
        .backend = Backend::kHip, .name = name, .memory_bytes = static_cast<int64_t>(memory), .compute_units = units};
  }
  static absl::StatusCode CodeOf(Result result) {
    if (result == hipErrorOutOfMemory) return absl::StatusCode::kResourceExhausted;
    if (result >= hipErrorStreamCaptureUnsupported && result <= hipErrorStreamCaptureWrongThread) {
      return absl::StatusCode::kFailedPrecondition;
    }
    return absl::StatusCode::kInternal;
  }

  bool is_open_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> MakeHipDevice() { return GpuDevice<HipApi>::Make(kHipKernels); }

}  // namespace bufplan::runtime
