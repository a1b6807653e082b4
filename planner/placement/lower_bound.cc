#include "planner/placement/lower_bound.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>
#include <vector>

#include "planner/placement/granules.h"
#include "planner/placement/occupied_bytes.h"
#include "planner/placement/pieces.h"
#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

struct Load {
  int64_t bytes = 0;
  int64_t peak_time = 0;
};

// What comes alive and what dies: `bytes` of it, at `times`. Parallel lists.
struct Changes {
  std::vector<int64_t> times, bytes;
  void Add(int64_t time, int64_t b) {
    times.push_back(time);
    bytes.push_back(b);
  }
};

class LoadSweep {
 public:
  LoadSweep(const PlacementProblem& problem, int64_t granule) : granule_(granule) {
    const size_t n = problem.pieces.size();
    for (Changes* changes : {&births_, &deaths_}) {
      changes->times.reserve(n);
      changes->bytes.reserve(n);
    }
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      const StorageSpec& storage = problem.storages[s];
      if (storage.num_pieces == 1) {
        AddPiece(storage, problem.pieces[storage.first_piece]);
      } else if (storage.num_pieces > 1) {
        AddPieces(storage, problem.PiecesOf(s));
      }
    }
  }

  Load Run() {
    std::vector<int32_t> births, deaths;
    OrderByTime(births_.times, births);
    OrderByTime(deaths_.times, deaths);
    if (has_tails_) OrderByTime(tail_begins_, tail_order_);
    Load best;
    int64_t live = 0, highest = 0;
    size_t died = 0;
    for (size_t i = 0; i < births.size();) {
      const int64_t now = births_.times[static_cast<size_t>(births[i])];
      for (; died < deaths.size() && deaths_.times[static_cast<size_t>(deaths[died])] <= now; ++died) {
        live -= deaths_.bytes[static_cast<size_t>(deaths[died])];
      }
      for (; i < births.size() && births_.times[static_cast<size_t>(births[i])] == now; ++i) {
        live += births_.bytes[static_cast<size_t>(births[i])];
      }
      // All loads are multiples of the granule and tails are shorter, so only the highest loads count.
      if (live < highest || live == 0) continue;
      const int64_t bytes = live - LargestTail(now);
      if (live > highest || bytes > best.bytes) best = {bytes, live > highest ? now : best.peak_time};
      highest = live;
    }
    return best;
  }

 private:
  void AddPiece(const StorageSpec& storage, const Piece& piece) {
    const Granules granules = CountGranules(piece, storage.alignment_bytes, granule_);
    births_.Add(piece.begin, granules.bytes);
    deaths_.Add(piece.end, granules.bytes);
    AddTail(piece, granules);
  }

  void AddPieces(const StorageSpec& storage, absl::Span<const Piece> pieces) {
    if (storage.alignment_bytes < granule_) {
      // Which granules two pieces share depends on where the storage comes to lie.
      if (AnyMeet(pieces)) return;
      for (const Piece& piece : pieces) AddPiece(storage, piece);
      return;
    }
    scratch_.clear();
    for (const Piece& piece : pieces) {
      const Granules granules = CountGranules(piece, storage.alignment_bytes, granule_);
      if (granules.bytes == 0) continue;
      const int64_t low = AlignUp(piece.low, granule_);
      scratch_.push_back({piece.begin, piece.end, low, low + granules.bytes});
      AddTail(piece, granules);
    }
    changes_.clear();
    AppendOccupiedChanges(scratch_, changes_);
    for (const OccupiedChange& change : changes_) {
      if (change.bytes > 0) {
        births_.Add(change.time, change.bytes);
      } else {
        deaths_.Add(change.time, -change.bytes);
      }
    }
  }

  void AddTail(const Piece& piece, const Granules& granules) {
    if (granules.tail == 0) return;
    has_tails_ = true;
    tail_begins_.push_back(piece.begin);
    tails_.push_back({granules.tail, piece.end});
  }

  bool AnyMeet(absl::Span<const Piece> pieces) {
    scratch_.assign(pieces.begin(), pieces.end());
    std::sort(scratch_.begin(), scratch_.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    const auto meet = [](const Piece& a, const Piece& b) { return a.end > b.begin; };
    return std::adjacent_find(scratch_.begin(), scratch_.end(), meet) != scratch_.end();
  }

  // The largest tail of a piece live at `now`, which never goes back.
  int64_t LargestTail(int64_t now) {
    if (!has_tails_) return 0;
    for (; next_tail_ < tail_order_.size(); ++next_tail_) {
      const size_t tail = static_cast<size_t>(tail_order_[next_tail_]);
      if (tail_begins_[tail] > now) break;
      live_tails_.push(tails_[tail]);
    }
    while (!live_tails_.empty() && live_tails_.top().second <= now) live_tails_.pop();
    return live_tails_.empty() ? 0 : live_tails_.top().first;
  }

  int64_t granule_;
  Changes births_, deaths_;
  bool has_tails_ = false;
  std::vector<int64_t> tail_begins_;
  std::vector<std::pair<int64_t, int64_t>> tails_;  // bytes, end of life
  std::vector<int32_t> tail_order_;
  size_t next_tail_ = 0;
  std::priority_queue<std::pair<int64_t, int64_t>> live_tails_;
  std::vector<Piece> scratch_;
  std::vector<OccupiedChange> changes_;
};

}  // namespace

LowerBound ComputeLowerBound(const PlacementProblem& problem) {
  Load load;
  for (int64_t granule : GranulesWorthCounting(problem)) {
    const Load in_granules = LoadSweep(problem, granule).Run();
    if (in_granules.bytes > load.bytes) load = in_granules;
  }
  LowerBound bound{load.bytes, load.bytes, load.peak_time};
  for (const StorageSpec& storage : problem.storages) {
    bound.bytes = std::max(bound.bytes, storage.pinned_offset_bytes.value_or(0) + storage.size_bytes);
  }
  for (const DisjointStorages& pair : problem.disjoint) {
    bound.bytes = std::max(bound.bytes, (pair.a_high - pair.a_low) + (pair.b_high - pair.b_low));
  }
  return bound;
}

}  // namespace bufplan
