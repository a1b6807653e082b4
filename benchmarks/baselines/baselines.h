// The baselines. Each is our own code after the description that it names; where the source leaves ties open, they go
// to the buffer listed earlier. They take interval problems only: what a source does to a graph before it places
// (in-place reuse, views) is not measured here.
#ifndef BUFPLAN_BENCHMARKS_BASELINES_BASELINES_H_
#define BUFPLAN_BENCHMARKS_BASELINES_BASELINES_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/baselines/baseline.h"
#include "ir/problem.h"

namespace bufplan {

// No reuse: buffers one behind another, a new chunk where the next does not fit. COST: O(n).
absl::StatusOr<BaselinePlan> NaiveSum(const Problem& problem, const BaselineLimits& limits);

// By begin; each at the lowest offset where it fits. Textbook first fit: Knuth, The Art of Computer Programming,
// volume 1, section 2.5. COST: see gap_fit.h.
absl::StatusOr<BaselinePlan> FirstFitByStart(const Problem& problem, const BaselineLimits& limits);

// ggml's graph allocator (ggml/src/ggml-alloc.c of github.com/ggml-org/ggml): buffers come and go in the order of time;
// a list of free blocks per chunk; the best fitting block but the last one, else the last block whose chunk grows the
// least, else a new chunk. At most 16 chunks, the last of any size; of several chunks with a fitting block the last
// counts. Sizes are padded to the alignment. Knows chunks. COST: O(n log n + n * free blocks).
absl::StatusOr<BaselinePlan> GgmlFreeList(const Problem& problem, const BaselineLimits& limits);

// Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", MLSys 2020 workshop,
// arXiv:2001.03288. Greedy by size: largest first, into the smallest gap; as in TensorFlow Lite's arena planner and
// simple_memory_arena. Greedy by breadth: op by op, those with the most bytes alive first, of each its largest buffers
// first. COST: see gap_fit.h.
absl::StatusOr<BaselinePlan> TfliteBySize(const Problem& problem, const BaselineLimits& limits);
absl::StatusOr<BaselinePlan> TfliteByBreadth(const Problem& problem, const BaselineLimits& limits);

// TensorFlow Lite Micro's greedy memory planner (tensorflow/lite/micro/memory_planner): largest first, into the first
// gap. COST: see gap_fit.h.
absl::StatusOr<BaselinePlan> TflmGreedy(const Problem& problem, const BaselineLimits& limits);

// Apache TVM's unified static memory planner (src/tir/usmp/algo of github.com/apache/tvm). Greedy: largest first, or
// the one with the most conflicts first, always on top of all it conflicts with; ties go to the other key, then to the
// name that comes last. COST: see gap_fit.h.
absl::StatusOr<BaselinePlan> UsmpBySize(const Problem& problem, const BaselineLimits& limits);
absl::StatusOr<BaselinePlan> UsmpByConflicts(const Problem& problem, const BaselineLimits& limits);
// Hill climb: first fit by size, then 500 rounds that swap two buffers in the order, one that lies below the highest
// buffer and a neighbour's neighbour of that; worse orders are kept with a falling probability; ends at the load.
// COST: 500 placements by lists.
absl::StatusOr<BaselinePlan> UsmpHillClimb(const Problem& problem, const BaselineLimits& limits);

// XLA's GlobalDecreasingSizeBestFitHeap (xla/service/heap_simulator of github.com/openxla/xla). Spatial: by size, then
// by duration; temporal: by duration, then by size; both decreasing. Into the smallest gap, where the room between the
// highest buffer that is overlapped and the end of the heap so far counts as a gap. COST: see gap_fit.h.
absl::StatusOr<BaselinePlan> XlaSpatial(const Problem& problem, const BaselineLimits& limits);
absl::StatusOr<BaselinePlan> XlaTemporal(const Problem& problem, const BaselineLimits& limits);

// ExecuTorch's greedy algorithm (exir/memory_planning.py of github.com/pytorch/executorch): in order of begin, each
// buffer takes the free shared object whose size is closest to its own, which grows if need be, or a new one. Objects
// lie one behind another. (That code also marks as used what it passes over on the way to the closest; not so here.)
// COST: O(n * objects).
absl::StatusOr<BaselinePlan> ExecutorchGreedy(const Problem& problem, const BaselineLimits& limits);

struct Baseline {
  absl::string_view name;
  absl::StatusOr<BaselinePlan> (*place)(const Problem&, const BaselineLimits&);
  bool knows_chunks = false;
};

// All of them, in the order of tables.
absl::Span<const Baseline> Baselines();

}  // namespace bufplan

#endif  // BUFPLAN_BENCHMARKS_BASELINES_BASELINES_H_
