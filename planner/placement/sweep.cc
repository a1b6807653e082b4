#include "planner/placement/sweep.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "absl/container/btree_map.h"
#include "planner/placement/free_list.h"
#include "planner/placement/pieces.h"
#include "planner/placement/time_order.h"

namespace bufplan {
namespace {

// From its time on, bytes [low, high) of the storage are needed no more. Multiples of the granule.
struct Release {
  int32_t storage = 0;
  int64_t low = 0, high = 0;
};

class Sweep {
 public:
  explicit Sweep(const PlacementProblem& problem) : problem_(problem), granule_(CommonAlignment(problem)) {
    const size_t n = problem.storages.size();
    begins_.reserve(n);
    storages_.reserve(n);
    release_times_.reserve(problem.pieces.size());
    releases_.reserve(problem.pieces.size());
    for (size_t s = 0; s < n; ++s) {
      const StorageSpec& storage = problem.storages[s];
      if (storage.num_pieces == 0) continue;
      storages_.push_back(static_cast<int32_t>(s));
      if (storage.num_pieces == 1) {
        const Piece& piece = problem.pieces[storage.first_piece];
        begins_.push_back(piece.begin);
        AddRelease(piece.end, s, 0, AlignUp(storage.size_bytes, granule_));
      } else {
        AddPieces(s);
      }
    }
  }

  int64_t Run(std::vector<int64_t>& offset_bytes) {
    std::vector<int32_t> begin_order, release_order;
    OrderByTime(begins_, begin_order);
    OrderByTime(release_times_, release_order);
    offset_bytes.assign(problem_.storages.size(), 0);
    FreeList free;
    size_t released = 0;
    for (int32_t i : begin_order) {
      const int64_t now = begins_[static_cast<size_t>(i)];
      while (release_times_[static_cast<size_t>(release_order[released])] <= now) {
        const Release& release = releases_[static_cast<size_t>(release_order[released++])];
        const int64_t base = offset_bytes[static_cast<size_t>(release.storage)];
        free.Give(base + release.low, base + release.high);
      }
      const size_t s = static_cast<size_t>(storages_[static_cast<size_t>(i)]);
      const StorageSpec& storage = problem_.storages[s];
      offset_bytes[s] = free.Take(AlignUp(storage.size_bytes, granule_), storage.alignment_bytes);
    }
    int64_t end = 0;
    for (size_t s = 0; s < offset_bytes.size(); ++s) {
      end = std::max(end, offset_bytes[s] + problem_.storages[s].size_bytes);
    }
    return end;
  }

 private:
  void AddRelease(int64_t time, size_t s, int64_t low, int64_t high) {
    release_times_.push_back(time);
    releases_.push_back({static_cast<int32_t>(s), low, high});
  }

  void AddPieces(size_t s) {
    const absl::Span<const Piece> pieces = problem_.PiecesOf(s);
    int64_t begin = pieces[0].begin;
    bool from_zero = true;
    for (const Piece& piece : pieces) {
      begin = std::min(begin, piece.begin);
      from_zero &= piece.low == 0;
    }
    begins_.push_back(begin);
    by_end_.resize(pieces.size());
    std::iota(by_end_.begin(), by_end_.end(), 0);
    const auto later = [&](int32_t a, int32_t b) {
      const int64_t end_a = pieces[static_cast<size_t>(a)].end, end_b = pieces[static_cast<size_t>(b)].end;
      return end_a != end_b ? end_a > end_b : a < b;
    };
    std::sort(by_end_.begin(), by_end_.end(), later);
    if (from_zero) {
      AddStaircase(s, pieces);
    } else {
      AddReleases(s, pieces);
    }
  }

  // All pieces begin at byte 0: what a later one does not cover is a tail.
  void AddStaircase(size_t s, absl::Span<const Piece> pieces) {
    int64_t covered = 0;
    for (int32_t i : by_end_) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      const int64_t high = AlignUp(piece.high, granule_);
      if (high > covered) AddRelease(piece.end, s, covered, high);
      covered = std::max(covered, high);
    }
    const int64_t size = AlignUp(problem_.storages[s].size_bytes, granule_);
    if (size > covered) AddRelease(pieces[static_cast<size_t>(by_end_[0])].end, s, covered, size);
  }

  // From the last piece backwards: each releases the bytes that no later one did.
  void AddReleases(size_t s, absl::Span<const Piece> pieces) {
    absl::btree_map<int64_t, int64_t> held = {{0, AlignUp(problem_.storages[s].size_bytes, granule_)}};
    for (int32_t i : by_end_) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      const int64_t low = AlignDown(piece.low, granule_), high = AlignUp(piece.high, granule_);
      auto range = held.upper_bound(low);
      if (range != held.begin() && std::prev(range)->second > low) --range;
      while (range != held.end() && range->first < high) {
        const auto [range_low, range_high] = *range;
        held.erase(range);
        AddRelease(piece.end, s, std::max(range_low, low), std::min(range_high, high));
        if (range_low < low) held.insert({range_low, low});
        if (range_high > high) held.insert({high, range_high});
        range = held.lower_bound(low);
      }
    }
    for (const auto& [low, high] : held) AddRelease(pieces[static_cast<size_t>(by_end_[0])].end, s, low, high);
  }

  const PlacementProblem& problem_;
  const int64_t granule_;
  std::vector<int32_t> storages_;  // those with pieces; begins_ is parallel
  std::vector<int64_t> begins_;
  std::vector<Release> releases_;  // release_times_ is parallel
  std::vector<int64_t> release_times_;
  std::vector<int32_t> by_end_;
};

}  // namespace

bool CanSweep(const PlacementProblem& problem) {
  return problem.disjoint.empty() &&
         std::none_of(problem.storages.begin(), problem.storages.end(),
                      [](const StorageSpec& storage) { return storage.pinned_offset_bytes.has_value(); });
}

int64_t SweepBestFit(const PlacementProblem& problem, std::vector<int64_t>& offset_bytes) {
  return Sweep(problem).Run(offset_bytes);
}

}  // namespace bufplan
