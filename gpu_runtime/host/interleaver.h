// Streams of the host without threads: runs what was enqueued command by command, in an order that chance takes from
// those that streams and events allow. See host_device.h.
#ifndef BUFPLAN_GPU_RUNTIME_HOST_INTERLEAVER_H_
#define BUFPLAN_GPU_RUNTIME_HOST_INTERLEAVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu_runtime/host/command_list.h"

namespace bufplan::runtime {

class Interleaver {
 public:
  explicit Interleaver(uint64_t seed) : state_(seed) {}

  void AddStream() { streams_.emplace_back(); }
  CommandList& pending(size_t stream) { return streams_[stream].list; }
  // Runs everything. Requires that each Wait is for a Record that was enqueued.
  void Run();

 private:
  enum class Style : uint8_t { kAny, kOneAsLongAsItCan, kPriorities };
  struct Stream {
    CommandList list;
    size_t next = 0;         // command
    size_t next_replay = 0;  // of the list that the kReplay at `next` replays
    uint64_t priority = 0;
  };

  uint64_t Chance();
  bool CanStep(const Stream& s) const;
  void Step(Stream& s);
  static bool Done(const Stream& s) { return s.next == s.list.size(); }

  uint64_t state_;
  std::vector<Stream> streams_;
  std::vector<size_t> ready_;
};

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_HOST_INTERLEAVER_H_
