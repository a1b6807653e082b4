#include "tests/gpu_runtime/registry/emulated_device.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "gpu_runtime/host/host_device.h"
#include "gpu_runtime/kernels/all_kernels.h"

namespace bufplan::runtime {
namespace {

using EmulatedKernel = void (*)(const EmulationOptions& teams, int64_t items, const void* arguments);

template <class Kernel>
void Emulate(const EmulationOptions& teams, int64_t items, const void* arguments) {
  RunKernel<Kernel>(teams, items, *static_cast<const typename Kernel::Args*>(arguments));
}

constexpr EmulatedKernel kKernels[] = {
#define BUFPLAN_EMULATED_KERNEL(name) Emulate<name>,
    BUFPLAN_FOR_EACH_KERNEL(BUFPLAN_EMULATED_KERNEL)
#undef BUFPLAN_EMULATED_KERNEL
};

class EmulatedDevice : public Device {
 public:
  explicit EmulatedDevice(const EmulationOptions& teams) : teams_(teams), host_(MakeHostDevice()) {
    if (!host_->MakeStream().ok()) std::abort();
  }

  const DeviceProperties& properties() const override { return host_->properties(); }
  absl::StatusOr<std::byte*> Allocate(int64_t bytes) override { return host_->Allocate(bytes); }
  void Free(std::byte* memory) override { host_->Free(memory); }
  absl::StatusOr<StreamHandle> MakeStream() override { return absl::UnimplementedError("one stream"); }
  absl::StatusOr<EventHandle> MakeEvent() override { return absl::UnimplementedError("no events"); }
  void Copy(StreamHandle, std::byte* to, const std::byte* from, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void CopyIn(StreamHandle, std::byte* to, const void* from, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void CopyOut(StreamHandle, void* to, const std::byte* from, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void Fill(StreamHandle, std::byte* to, uint8_t byte, int64_t bytes) override {
    std::memset(to, byte, static_cast<size_t>(bytes));
  }
  void LaunchBytes(StreamHandle, KernelId kernel, int64_t items, const void* arguments, size_t) override {
    kKernels[static_cast<size_t>(kernel)](teams_, items, arguments);
  }
  void HostCall(StreamHandle, std::function<void()> function) override { function(); }
  void* NativeStream(StreamHandle stream) override { return host_->NativeStream(stream); }
  void Matmul(StreamHandle stream, const MatmulArgs& arguments) override {
    host_->Matmul(stream, arguments);
    if (!host_->Synchronize().ok()) std::abort();
  }
  void Record(EventHandle, StreamHandle) override {}
  void Wait(StreamHandle, EventHandle) override {}
  absl::Status Synchronize() override { return absl::OkStatus(); }
  absl::Status BeginCapture(StreamHandle) override { return absl::UnimplementedError("no capture"); }
  absl::StatusOr<GraphHandle> EndCapture() override { return absl::UnimplementedError("no capture"); }
  void Replay(StreamHandle, GraphHandle) override {}

 private:
  const EmulationOptions teams_;
  const std::unique_ptr<Device> host_;
};

}  // namespace

std::unique_ptr<Device> MakeEmulatedDevice(const EmulationOptions& teams) {
  return std::make_unique<EmulatedDevice>(teams);
}

}  // namespace bufplan::runtime
