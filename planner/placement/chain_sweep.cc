#include "planner/placement/chain_sweep.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "planner/placement/pieces.h"
#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

// Ranges that may be looked at, per storage on average.
constexpr int64_t kMaxRangesPerStorage = 2000;

class Sweep {
 public:
  explicit Sweep(const PlacementProblem& problem)
      : problem_(problem), order_(*problem.order), granule_(CommonAlignment(problem)) {}

  std::optional<int64_t> Run(std::vector<int64_t>& offset_bytes) {
    const size_t n = problem_.storages.size();
    std::vector<int32_t> storages;
    std::vector<int64_t> begins;
    for (size_t s = 0; s < n; ++s) {
      const absl::Span<const Piece> pieces = problem_.PiecesOf(s);
      if (pieces.empty()) continue;
      storages.push_back(static_cast<int32_t>(s));
      int64_t begin = pieces[0].begin;
      for (const Piece& piece : pieces) begin = std::min(begin, piece.begin);
      begins.push_back(begin);
    }
    std::vector<int32_t> by_begin;
    OrderByTime(begins, by_begin);

    offset_bytes.assign(n, 0);
    int64_t end = 0;
    int64_t ranges = kMaxRangesPerStorage * static_cast<int64_t>(storages.size());
    for (int32_t i : by_begin) {
      const size_t s = static_cast<size_t>(storages[static_cast<size_t>(i)]);
      ranges -= static_cast<int64_t>(ranges_.size());
      if (ranges < 0) return std::nullopt;
      offset_bytes[s] = Take(s, begins[static_cast<size_t>(i)]);
      end = std::max(end, offset_bytes[s] + problem_.storages[s].size_bytes);
    }
    return end;
  }

 private:
  static constexpr int32_t kNobody = -1;

  // From the end of the range before, or 0, to `end`.
  struct Range {
    int64_t end = 0;
    int32_t owner = kNobody;  // a piece, or pieces.size() + i: the whole of a storage, wholes_[i]
    int32_t over = 0;         // the time from which on it is over for all chains
  };

  // Whether all that the storage lays down begins after the piece is over.
  bool IsFree(const Range& range, const StorageSpec& storage) const {
    if (range.owner == kNobody) return true;
    for (size_t p = storage.first_piece; p < storage.first_piece + storage.num_pieces; ++p) {
      if (problem_.pieces[p].begin < OverOf(range.owner, order_.chain[p])) return false;
    }
    return true;
  }

  int32_t OverOf(int32_t owner, int32_t chain) const {
    const size_t i = static_cast<size_t>(owner), n = problem_.pieces.size();
    if (i < n) return order_.Over(i, chain);
    return wholes_[(i - n) * static_cast<size_t>(order_.num_chains) + static_cast<size_t>(chain)];
  }

  // The lowest byte for the storage, which begins at `now`. Its bytes are taken.
  int64_t Take(size_t s, int64_t now) {
    const StorageSpec& storage = problem_.storages[s];
    const int64_t size = AlignUp(storage.size_bytes, granule_);
    int64_t best = -1, best_room = INT64_MAX;
    int64_t begin = 0, run = -1;  // of this range; of the free run that it belongs to, -1: of none
    const auto end_run = [&](int64_t end) {
      const int64_t at = run < 0 ? -1 : AlignUp(run, storage.alignment_bytes);
      if (at >= 0 && end - at >= size && end - run < best_room) {
        best = at;
        best_room = end - run;
      }
      run = -1;
    };
    size_t kept = 0;
    for (const Range& r : ranges_) {
      Range range = r;
      if (range.owner != kNobody && range.over <= now) range.owner = kNobody;
      if (!IsFree(range, storage)) {
        end_run(begin);
      } else if (run < 0) {
        run = begin;
      }
      begin = range.end;
      // What is over for everybody becomes one range.
      if (kept > 0 && range.owner == kNobody && ranges_[kept - 1].owner == kNobody) {
        ranges_[kept - 1].end = range.end;
      } else {
        ranges_[kept++] = range;
      }
    }
    ranges_.resize(kept);
    const int64_t top = AlignUp(run < 0 ? begin : run, storage.alignment_bytes);
    end_run(begin);
    if (best < 0) best = top;
    Lay(storage, best);
    return best;
  }

  // Pieces on the same bytes follow each other, so that the last one stands for all; else the storage is one whole.
  void Lay(const StorageSpec& storage, int64_t at) {
    pieces_.clear();
    for (size_t p = storage.first_piece; p < storage.first_piece + storage.num_pieces; ++p) {
      pieces_.push_back(static_cast<int32_t>(p));
    }
    std::stable_sort(pieces_.begin(), pieces_.end(), [&](int32_t a, int32_t b) {
      return problem_.pieces[static_cast<size_t>(a)].begin < problem_.pieces[static_cast<size_t>(b)].begin;
    });
    const auto of_storage = [&](int32_t owner) {
      return owner >= static_cast<int32_t>(storage.first_piece) &&
             owner < static_cast<int32_t>(storage.first_piece + storage.num_pieces);
    };
    bool ordered = true;
    for (int32_t p : pieces_) {
      const int64_t begin = problem_.pieces[static_cast<size_t>(p)].begin;
      LayPiece(p, p, at, [&](int32_t before) {
        ordered = ordered && (!of_storage(before) || begin >= OverOf(before, order_.chain[static_cast<size_t>(p)]));
      });
    }
    if (ordered) return;
    const int32_t whole = static_cast<int32_t>(problem_.pieces.size() + wholes_.size() / Chains());
    for (int32_t c = 0; c < order_.num_chains; ++c) {
      int32_t over = 0;
      for (int32_t p : pieces_) over = std::max(over, order_.Over(static_cast<size_t>(p), c));
      wholes_.push_back(over);
    }
    for (int32_t p : pieces_) LayPiece(p, whole, at, [](int32_t) {});
  }

  size_t Chains() const { return static_cast<size_t>(order_.num_chains); }

  // The bytes of the piece get the owner. Calls f(owner) for those that they had.
  template <class F>
  void LayPiece(int32_t p, int32_t owner, int64_t at, F f) {
    const Piece& piece = problem_.pieces[static_cast<size_t>(p)];
    int32_t over = 0;
    for (int32_t c = 0; c < order_.num_chains; ++c) over = std::max(over, OverOf(owner, c));
    Own(AlignDown(at + piece.low, granule_), AlignUp(at + piece.high, granule_), owner, over, f);
  }

  template <class F>
  void Own(int64_t low, int64_t high, int32_t owner, int32_t over, F f) {
    const int64_t top = ranges_.empty() ? 0 : ranges_.back().end;
    if (low > top) ranges_.push_back({low});
    if (high > top) ranges_.push_back({high});
    const auto ends_after = [](int64_t byte, const Range& r) { return byte < r.end; };
    const auto first = std::upper_bound(ranges_.begin(), ranges_.end(), low, ends_after);
    const auto last = std::upper_bound(ranges_.begin(), ranges_.end(), high - 1, ends_after);
    const int64_t first_begin = first == ranges_.begin() ? 0 : std::prev(first)->end;
    std::for_each(first, std::next(last), [&](const Range& r) { f(r.owner); });
    scratch_.clear();
    if (first_begin < low) scratch_.push_back({low, first->owner, first->over});
    scratch_.push_back({high, owner, over});
    if (last->end > high) scratch_.push_back(*last);
    const auto at = ranges_.erase(first, std::next(last));
    ranges_.insert(at, scratch_.begin(), scratch_.end());
  }

  const PlacementProblem& problem_;
  const ChainOrder& order_;
  const int64_t granule_;
  std::vector<Range> ranges_;  // one after the other, from byte 0
  std::vector<Range> scratch_;
  std::vector<int32_t> wholes_;  // num_chains entries each, as in ChainOrder::over
  std::vector<int32_t> pieces_;  // of the storage at hand, by begin
};

}  // namespace

std::optional<int64_t> ChainSweep(const PlacementProblem& problem, std::vector<int64_t>& offset_bytes) {
  return Sweep(problem).Run(offset_bytes);
}

}  // namespace bufplan
