#include "gpu_runtime/cuda/cuda_device.h"

#include <cuda.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gpu_runtime/cuda/cublas.h"
#include "gpu_runtime/cuda/kernels_image.h"
#include "gpu_runtime/gpu_common/driver_library.h"
#include "gpu_runtime/gpu_common/gpu_device.h"

namespace bufplan::runtime {
namespace {

#define BUFPLAN_CUDA_FUNCTIONS(DO)               \
  DO(initialise, cuInit)                         \
  DO(error_name, cuGetErrorName)                 \
  DO(error_text, cuGetErrorString)               \
  DO(count_devices, cuDeviceGetCount)            \
  DO(get_device, cuDeviceGet)                    \
  DO(device_name, cuDeviceGetName)               \
  DO(device_memory, cuDeviceTotalMem)            \
  DO(device_attribute, cuDeviceGetAttribute)     \
  DO(retain_context, cuDevicePrimaryCtxRetain)   \
  DO(release_context, cuDevicePrimaryCtxRelease) \
  DO(set_context, cuCtxSetCurrent)               \
  DO(load_module, cuModuleLoadData)              \
  DO(unload_module, cuModuleUnload)              \
  DO(function_attribute, cuFuncGetAttribute)     \
  DO(get_function, cuModuleGetFunction)          \
  DO(allocate, cuMemAlloc)                       \
  DO(free, cuMemFree)                            \
  DO(memory_info, cuMemGetInfo)                  \
  DO(make_stream, cuStreamCreate)                \
  DO(destroy_stream, cuStreamDestroy)            \
  DO(synchronize, cuStreamSynchronize)           \
  DO(make_event, cuEventCreate)                  \
  DO(destroy_event, cuEventDestroy)              \
  DO(record, cuEventRecord)                      \
  DO(wait, cuStreamWaitEvent)                    \
  DO(copy, cuMemcpyDtoDAsync)                    \
  DO(copy_in, cuMemcpyHtoDAsync)                 \
  DO(copy_out, cuMemcpyDtoHAsync)                \
  DO(fill, cuMemsetD8Async)                      \
  DO(launch, cuLaunchKernel)                     \
  DO(begin_capture, cuStreamBeginCapture)        \
  DO(end_capture, cuStreamEndCapture)            \
  DO(instantiate, cuGraphInstantiate)            \
  DO(destroy_graph, cuGraphDestroy)              \
  DO(launch_graph, cuGraphLaunch)                \
  DO(destroy_exec, cuGraphExecDestroy)

// The driver's API rather than the runtime's: it needs nothing of the toolkit at run time.
class CudaApi {
 public:
  using Result = CUresult;
  using Pointer = CUdeviceptr;
  using Stream = CUstream;
  using Event = CUevent;
  using Graph = CUgraph;
  using GraphExec = CUgraphExec;
  using Module = CUmodule;
  using Function = CUfunction;
  using Blas = CuBlas;
  static constexpr char kName[] = "CUDA";
  static constexpr Result kSuccess = CUDA_SUCCESS;
  static constexpr unsigned kNonBlocking = CU_STREAM_NON_BLOCKING;
  static constexpr unsigned kNoTiming = CU_EVENT_DISABLE_TIMING;
  static constexpr CUstreamCaptureMode kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  static constexpr CUfunction_attribute kMaxThreads = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;

  CudaApi() = default;
  CudaApi(const CudaApi&) = delete;
  CudaApi& operator=(const CudaApi&) = delete;
  ~CudaApi() {
    if (is_open()) (void)release_context.call(device_);
  }

  absl::Status Open(DeviceProperties& properties) {
    const std::string names[] = {"libcuda.so.1"};
    const absl::StatusOr<void*> library = OpenLibrary(names);
    if (!library.ok()) return absl::UnavailableError(library.status().message());
    absl::Status status;
#define BUFPLAN_BIND(member, function) status.Update(BindFunction(*library, member));
    BUFPLAN_CUDA_FUNCTIONS(BUFPLAN_BIND)
#undef BUFPLAN_BIND
    if (!status.ok()) return status;
    int devices = 0;
    if (Result r = initialise.call(0); r != kSuccess) return ErrorOf(initialise.name, r);
    if (Result r = count_devices.call(&devices); r != kSuccess) return ErrorOf(count_devices.name, r);
    if (devices == 0) return absl::UnavailableError("the driver shows none");
    if (Result r = get_device.call(&device_, 0); r != kSuccess) return ErrorOf(get_device.name, r);
    if (Result r = retain_context.call(&context_, device_); r != kSuccess) return ErrorOf(retain_context.name, r);
    Describe(properties);
    return absl::OkStatus();
  }
  bool is_open() const { return context_ != nullptr; }
  void Enter() const { (void)set_context.call(context_); }

  absl::Status ErrorOf(const char* function, Result result) const {
    const char *name = nullptr, *text = nullptr;
    (void)error_name.call(result, &name);
    (void)error_text.call(result, &text);
    return DriverError(CodeOf(result), function, name != nullptr ? name : absl::StrCat("error ", result),
                       text != nullptr ? text : "the driver does not know it");
  }

  static Pointer ToPointer(const void* address) { return reinterpret_cast<Pointer>(address); }
  absl::Status Instantiate(GraphExec* exec, Graph graph) const {
    const Result result = instantiate.call(exec, graph, 0);
    return result == kSuccess ? absl::OkStatus() : ErrorOf(instantiate.name, result);
  }

  BUFPLAN_CUDA_FUNCTIONS(BUFPLAN_DECLARE_FUNCTION)

 private:
  void Describe(DeviceProperties& properties) const {
    char name[256] = {};
    size_t memory = 0;
    int units = 0;
    (void)device_name.call(name, sizeof(name), device_);
    (void)device_memory.call(&memory, device_);
    (void)device_attribute.call(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_);
    properties = {
        .backend = Backend::kCuda, .name = name, .memory_bytes = static_cast<int64_t>(memory), .compute_units = units};
  }
  static absl::StatusCode CodeOf(Result result) {
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return absl::StatusCode::kResourceExhausted;
    if (result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) {
      return absl::StatusCode::kFailedPrecondition;
    }
    return absl::StatusCode::kInternal;
  }

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;  // the one that CUDA's libraries use too
};

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> MakeCudaDevice() { return GpuDevice<CudaApi>::Make(kCudaKernels); }

}  // namespace bufplan::runtime
