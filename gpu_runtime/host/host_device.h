// The host as a device: one worker thread per stream, which run at once.
//
// Or none: with `interleaving_seed`, what is enqueued runs at the next Synchronize, command by command in an order that
// chance takes from those that streams and events allow. The same seed gives the same order; so a race that threads
// show once in a while is found again and again. Chance has styles: any stream at each step; one stream for as long as
// it can; streams by fixed priorities, so that some lag behind by a long way.
//
// What is enqueued may be kept back until some has gathered, or until the next Synchronize or Free.
//
// COST: an enqueued command costs some tens of nanoseconds; a replayed one a few.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_HOST_DEVICE_H_
#define BUFPLAN_GPU_RUNTIME_HOST_HOST_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "gpu_runtime/device/device.h"

namespace bufplan::runtime {

struct HostOptions {
  std::optional<uint64_t> interleaving_seed = std::nullopt;  // absent: threads
};

std::unique_ptr<Device> MakeHostDevice(const HostOptions& options = {});

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_HOST_DEVICE_H_
