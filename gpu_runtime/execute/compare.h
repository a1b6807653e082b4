// Executes a plan and the reference, and compares every read of every op, and all that can be observed at the end.
//
// The reference runs once. The plan runs once as it is, and then `stress` times with garbage wherever nothing lies,
// verified guards and random delays. What a run read is compared by hashes, read by read, so the first difference is
// found where it arises, not where it shows; that read is then looked at byte by byte in another run.
//
//   op "r7" reads value "past" byte 0 (device+4096): expected 3f, of value "K" byte 0; found 91, of value "K1" byte 0,
//   written by op "upd"
//
// Everything must be equal to the bit, unless a tolerance is given. ERRORS: those of the executor, and of the device.
// COST: time and memory of a run of both; memory for every value of the graph. THREADS: one at a time, with its device.
#ifndef BUFPLAN_GPU_RUNTIME_EXECUTE_COMPARE_H_
#define BUFPLAN_GPU_RUNTIME_EXECUTE_COMPARE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gpu_runtime/device/device.h"
#include "gpu_runtime/execute/contents.h"
#include "gpu_runtime/execute/device_pool.h"
#include "gpu_runtime/registry/kernel_table.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan::runtime {

struct CompareOptions {
  std::vector<int64_t> symbol_values = {};
  int stress = 0;
  uint64_t seed = 1;  // of contents, and of delays
  std::optional<int64_t> sample_bytes = std::nullopt;
  // Real kernels in place of mixing ops. What they read is not hashed; differences show at the end, or as garbage.
  const KernelTable* kernels = nullptr;
  InitialBytes initial = nullptr;  // see execute/contents.h
  // Of elements of f32 at the end: |planned - reference| <= tolerance * (1 + the largest finite |reference| of the
  // value), or equal to the bit; what is not finite or subnormal must be equal. For fused kernels that add up in
  // another order; 0: all is equal to the bit. Above 0 reads are not compared.
  double tolerance = 0;
  // Whether the elements of a value are f32; null: of all. Others are equal to the bit.
  std::function<bool(ValueId)> is_f32 = nullptr;
  bool capture = false;
  // Runs of each beyond the first whose times are taken, unless the first takes some seconds.
  int timed_runs = 0;
};

// kRead: an op, or a keep-alive, found other bytes than prescribed. kEnd: what must be intact at the end is not.
// kScratch: an op's scratch was written to by somebody else. kReadOnly: a constant or a borrowed external was written
// to. kStray: bytes were written to that belong to nobody.
enum class DifferenceKind : uint8_t { kRead, kEnd, kScratch, kReadOnly, kStray };

struct Difference {
  DifferenceKind kind = DifferenceKind::kRead;
  std::optional<OpId> op = std::nullopt;        // kRead, kScratch
  std::optional<ValueId> value = std::nullopt;  // but for kStray and kScratch
  std::optional<int64_t> byte = std::nullopt;   // of the value; absent: it was not seen again
  int run = 0;                                  // 0: the plain one; from 1: under stress
  std::string text = {};                        // all of that, in the author's names
};

struct Comparison {
  std::optional<Difference> difference;         // absent: equal
  int runs = 0;                                 // of the plan
  int64_t reads_compared = 0;                   // in all runs
  int64_t values_compared = 0;                  // at the end of runs, in all
  int64_t planned_bytes = 0;                    // of arenas
  int64_t reference_bytes = 0;                  // of values in memory of their own
  absl::Duration planned_time, reference_time;  // medians; with timed_runs 0 of the one run there was
};

// Equal as far as it was looked at; or the first difference. A pool serves many comparisons with its streams.
absl::StatusOr<Comparison> CompareWithReference(Device& device, const Graph& graph, const Plan& plan,
                                                const CompareOptions& options = {});
absl::StatusOr<Comparison> CompareWithReference(DevicePool& pool, const Graph& graph, const Plan& plan,
                                                const CompareOptions& options = {});

}  // namespace bufplan::runtime

#endif  // BUFPLAN_GPU_RUNTIME_EXECUTE_COMPARE_H_
