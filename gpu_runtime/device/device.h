// A device: memory, streams, events, and kernels that run on them in stream order.
//
// The host (gpu_runtime/host), CUDA (gpu_runtime/cuda) and HIP (gpu_runtime/hip) implement it; OpenDevice() in
// gpu_runtime/device/open_device.h makes one by name. What is enqueued on a stream runs in that order; streams run
// concurrently; only events order them:
//
//   stream 0   kernel a ── Record(e) ── kernel c
//                             ╲
//   stream 1   kernel b ─── Wait(e) ─── kernel d          a before d; b and c in no order
//
// Everything that is enqueued returns at once. A failure sticks to the device and is what the next Synchronize()
// returns; until then what comes after it may or may not run.
//
// Capture: between BeginCapture and EndCapture nothing runs; what is enqueued becomes a graph, which Replay runs as
// often as wanted, with the same addresses. Streams other than the origin take part from their first Wait for an event
// that was recorded in the capture; the origin waits for all of them before EndCapture.
//
// THREADS: one thread at a time calls a device. LIFETIME: what is enqueued copies its arguments, but not the memory
// that CopyIn and CopyOut name: that stays valid until a Synchronize. Streams, events and graphs live as long as the
// device.
#ifndef BUFPLAN_GPU_RUNTIME_DEVICE_DEVICE_H_
#define BUFPLAN_GPU_RUNTIME_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gpu_runtime/device/matmul.h"
#include "gpu_runtime/kernels/kernel_id.h"

namespace bufplan::runtime {

enum class Backend : uint8_t { kHost, kCuda, kHip };

struct DeviceProperties {
  Backend backend = Backend::kHost;
  std::string name;          // "NVIDIA H200", "host, 8 cores"
  int64_t memory_bytes = 0;  // of the device in all
  int32_t compute_units = 0;
};

// Dense indices from 0, in the order of creation.
struct StreamHandle {
  int32_t index = 0;
  friend bool operator==(StreamHandle, StreamHandle) = default;
};
struct EventHandle {
  int32_t index = 0;
};
struct GraphHandle {
  int32_t index = 0;
};

// Every allocation begins at a multiple of this.
inline constexpr int64_t kAllocationAlignment = 256;
// The largest argument block of a kernel.
inline constexpr size_t kMaxArgumentBytes = 512;

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceProperties& properties() const = 0;

  // Memory with any content. bytes >= 0; not null even for 0. ERRORS: ResourceExhausted: bytes asked for and what the
  // device says.
  virtual absl::StatusOr<std::byte*> Allocate(int64_t bytes) = 0;
  // Requires memory of Allocate; waits for all streams first.
  virtual void Free(std::byte* memory) = 0;

  virtual absl::StatusOr<StreamHandle> MakeStream() = 0;
  virtual absl::StatusOr<EventHandle> MakeEvent() = 0;

  // `Copy`: both on the device; they do not overlap.
  virtual void Copy(StreamHandle stream, std::byte* to, const std::byte* from, int64_t bytes) = 0;
  virtual void CopyIn(StreamHandle stream, std::byte* to, const void* host_from, int64_t bytes) = 0;
  virtual void CopyOut(StreamHandle stream, void* host_to, const std::byte* from, int64_t bytes) = 0;
  virtual void Fill(StreamHandle stream, std::byte* to, uint8_t byte, int64_t bytes) = 0;

  // Runs the kernel for items 0 <= i < items; how many at a time is the device's. `arguments`: the kernel's Args.
  virtual void LaunchBytes(StreamHandle stream, KernelId kernel, int64_t items, const void* arguments,
                           size_t argument_bytes) = 0;
  template <class Kernel>
  void Launch(StreamHandle stream, int64_t items, const typename Kernel::Args& arguments) {
    static_assert(std::is_trivially_copyable_v<typename Kernel::Args>);
    static_assert(sizeof(typename Kernel::Args) <= kMaxArgumentBytes);
    LaunchBytes(stream, Kernel::kId, items, &arguments, sizeof(arguments));
  }
  // A product by the device's library. ERRORS (at Synchronize): Unimplemented where this build has none.
  virtual void Matmul(StreamHandle stream, const MatmulArgs& arguments) = 0;

  // Runs a function on the host in stream order; it may not call the device. For kernels of one's own on the host.
  // ERRORS (at Synchronize): Unimplemented on GPUs.
  virtual void HostCall(StreamHandle stream, std::function<void()> function) = 0;
  // The stream as the API has it (CUstream, hipStream_t), for kernels and libraries of one's own; null on the host.
  virtual void* NativeStream(StreamHandle stream) = 0;

  // What is enqueued on the event's stream so far. Recorded again, the event stands for the newer moment.
  virtual void Record(EventHandle event, StreamHandle stream) = 0;
  // What comes after on `stream` waits for the latest Record; without one, for nothing.
  virtual void Wait(StreamHandle stream, EventHandle event) = 0;

  // Waits for all streams. ERRORS: the first failure since the last call.
  virtual absl::Status Synchronize() = 0;

  // ERRORS: FailedPrecondition: a capture has begun, / has not; or a stream that takes part was not waited for by
  // the origin. CopyIn and CopyOut may not be captured.
  virtual absl::Status BeginCapture(StreamHandle origin) = 0;
  virtual absl::StatusOr<GraphHandle> EndCapture() = 0;
  // In stream order of `stream`, which is the origin of the capture.
  virtual void Replay(StreamHandle stream, GraphHandle graph) = 0;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_DEVICE_DEVICE_H_
