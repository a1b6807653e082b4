// Offsets for storages: the placement problem, its solution, and the one entry.
//
// A storage is a rigid body of `size_bytes` bytes, laid at one offset. What it occupies there, and when, is a list of
// pieces: rectangles of time x bytes. Most storages have one piece, their whole; a storage of which a part dies early,
// or that has gaps, has several. Two storages may share a byte iff no piece of one meets a piece of the other there.
//
//   bytes ^                 a storage with two pieces: its upper bytes die at t1, and what lies at the same offsets
//    size |######           from t1 on may be another storage's
//         |######
//         |############
//       0 +-----+-----+--> time
//         t0    t1    t2
//
// This folder knows no graph: time is any integer axis on which "both live" means "intervals meet", or, where lives are
// ordered in part only, a list of times with a ChainOrder beside it.
#ifndef BUFPLAN_PLANNER_PLACEMENT_PLACEMENT_H_
#define BUFPLAN_PLANNER_PLACEMENT_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "planner/placement/chain_order.h"
#include "planner/placement/deadline.h"

namespace bufplan {

struct Piece {
  int64_t begin = 0, end = 0;  // time, half-open, not empty
  int64_t low = 0, high = 0;   // bytes within the storage, half-open, not empty
};

struct StorageSpec {
  int64_t size_bytes = 0;
  int64_t alignment_bytes = 1;                 // power of two
  std::optional<int64_t> pinned_offset_bytes;  // in chunk 0
  uint32_t first_piece = 0, num_pieces = 0;    // 0 pieces (zero bytes): conflicts with nothing, still gets an offset
};

// Storage a's bytes [a_low, a_high) and storage b's [b_low, b_high) never overlap, whenever they live.
struct DisjointStorages {
  int32_t a = 0, b = 0;
  int64_t a_low = 0, a_high = 0, b_low = 0, b_high = 0;
};

struct PlacementProblem {
  std::vector<StorageSpec> storages;
  std::vector<Piece> pieces;  // of storage 0, then of storage 1, ...
  std::vector<DisjointStorages> disjoint;
  std::optional<ChainOrder> order;         // of the pieces; absent: those meet whose intervals do
  std::optional<int64_t> capacity_bytes;   // all chunks together
  std::optional<int64_t> max_chunk_bytes;  // no storage straddles chunks; no storage is larger (the caller checks)

  absl::Span<const Piece> PiecesOf(size_t storage) const {
    return {pieces.data() + storages[storage].first_piece, storages[storage].num_pieces};
  }
  // Whether two pieces are alive at once.
  bool Meet(size_t p, size_t q) const {
    if (!order.has_value()) return pieces[p].begin < pieces[q].end && pieces[q].begin < pieces[p].end;
    return !order->Before(p, q, pieces[q].begin) && !order->Before(q, p, pieces[p].begin);
  }
};

// What a lower bound comes from: the bytes alive at one time, the heaviest pieces that pairwise meet, or a search that
// found no placement below.
enum class BoundMethod : uint8_t { kLoad, kAntichain, kSearch };

struct Placement {
  std::vector<int64_t> offset_bytes;  // by storage, within its chunk
  std::vector<int32_t> chunk;         // by storage
  std::vector<int64_t> chunk_bytes;   // never empty
  int64_t total_bytes = 0;            // sum of chunk_bytes
  int64_t lower_bound_bytes = 0;
  BoundMethod bound = BoundMethod::kLoad;
  bool optimal = false;  // total_bytes == lower_bound_bytes
};

enum class PlacementEffort : uint8_t { kFast, kDefault, kMax };

struct PlacementOptions {
  PlacementEffort effort = PlacementEffort::kDefault;
  // Upper limit on the elementary steps beyond the sweep, the first order of large_scale.h and the four first-fit
  // orders by size, area, duration and start, which always run to their end at kDefault and kMax where they run (up to
  // 10^9 steps, some seconds; only storages without any order in time and in tens of thousands get there).
  // large_scale.h may go beyond it by a few passes of first fit. 0: the effort's own limit.
  int64_t work_limit = 0;
  // Where work_limit is 0: steps of the exact search (exact_search.h or conflict_search.h), some ten nanoseconds each;
  // 0: the effort's own.
  int64_t exact_work_limit = 0;
  // Ends the search where the work limits do not. At kMax, with both work limits 0, there is no other limit: the search
  // goes on until then, or until the placement is proven to be the best. What is always there after it: the sweep, or
  // the first order of large_scale.h, or the first of the named orders; and, of up to 10,000 storages, what all of
  // these reach in 10^7 steps together, some tens of milliseconds.
  Deadline deadline = {};
  int32_t threads = 1;  // of the exact search, at most; no influence on the result

  // Whether nothing but the deadline, or a proof, ends the search.
  bool until_deadline() const {
    return effort == PlacementEffort::kMax && work_limit == 0 && exact_work_limit == 0 && !deadline.never();
  }
};

// Places all storages. kFast: one sweep over time, or one first fit by start where pins, disjoint pairs or chunks
// forbid the sweep; if that misses the capacity, as kDefault. kDefault and kMax: a portfolio, stopped as soon as the
// lower bound is met; the result is never above the best of first fit by size, area, duration and start, for up to
// 100,000 storages. Problems of up to 8,000 storages that exact_search.h knows are searched as well, which may raise
// the bound; others in one chunk, of up to 64 storages (500 at kMax), by conflict_search.h. Beyond 100,000, storages of
// one whole piece each without order, pins and disjoint pairs are placed by near-linear methods alone (large_scale.h,
// and the sweep if that ends 0.5 % above the bound or more), unless thousands of them are alive at a time on average or
// a chunk cannot hold them. From 10,000 such storages on kDefault leaves the search to large_scale.h. With a largest
// chunk smaller ones are tried as well, where two or more chunks end above the bound. ERRORS: ResourceExhausted if the
// *lower bound* exceeds the capacity (proven); DeadlineExceeded if no placement within the capacity was found, both
// with a Shortfall (shortfall.h); InvalidArgument if two pinned storages overlap, an alignment or pin makes no sense, a
// storage is larger than a chunk, or sums of aligned sizes and pins exceed 64 bits. Messages speak of storages by index
// and give bytes; the caller puts names to them. TIES: equal choices go to the lower storage index. Deterministic.
// COST: O(n log n) at kFast; see first_fit.h for the others. THREADS: no shared state; see PlacementOptions::threads.
absl::StatusOr<Placement> Place(const PlacementProblem& problem, const PlacementOptions& options);

}  // namespace bufplan

#endif  // BUFPLAN_PLANNER_PLACEMENT_PLACEMENT_H_
