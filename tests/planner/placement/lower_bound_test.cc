#include "planner/placement/lower_bound.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "planner/placement/granules.h"
#include "planner/placement/pieces.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

// The fewest bytes that any placement takes, by trying all of them.
class BruteForce {
 public:
  explicit BruteForce(const PlacementProblem& problem) : problem_(problem) {
    const size_t n = problem.storages.size();
    placement_.offset_bytes.assign(n, 0);
    placement_.chunk.assign(n, 0);
    best_ = 0;
    for (const StorageSpec& storage : problem.storages) {
      best_ += AlignUp(storage.size_bytes, storage.alignment_bytes);
      best_ += storage.pinned_offset_bytes.value_or(0) + 16;
    }
    Place(0);
  }
  int64_t best() const { return best_; }

 private:
  int64_t Total(size_t n) const {
    std::vector<int64_t> tops(n + 1, 0);
    for (size_t s = 0; s < n; ++s) {
      int64_t& top = tops[static_cast<size_t>(placement_.chunk[s])];
      top = std::max(top, placement_.offset_bytes[s] + problem_.storages[s].size_bytes);
    }
    int64_t total = 0;
    for (int64_t top : tops) total += top;
    return total;
  }

  bool LastIsFree(size_t s) const {
    PlacementProblem pair;
    for (size_t t = 0; t < s; ++t) {
      if (placement_.chunk[t] != placement_.chunk[s]) continue;
      const int64_t a = placement_.offset_bytes[s], b = placement_.offset_bytes[t];
      for (const Piece& p : problem_.PiecesOf(s)) {
        for (const Piece& q : problem_.PiecesOf(t)) {
          if (p.begin < q.end && q.begin < p.end && a + p.low < b + q.high && b + q.low < a + p.high) return false;
        }
      }
    }
    return true;
  }

  void Place(size_t s) {
    if (Total(s) >= best_) return;
    if (s == problem_.storages.size()) {
      best_ = Total(s);
      return;
    }
    const StorageSpec& storage = problem_.storages[s];
    const int32_t chunks = problem_.max_chunk_bytes.has_value() ? static_cast<int32_t>(s) + 1 : 1;
    for (int32_t chunk = 0; chunk < chunks; ++chunk) {
      const int64_t limit = std::min(best_, problem_.max_chunk_bytes.value_or(INT64_MAX));
      for (int64_t offset = 0; offset + storage.size_bytes <= limit; offset += storage.alignment_bytes) {
        if (storage.pinned_offset_bytes.has_value() && (chunk != 0 || offset != *storage.pinned_offset_bytes)) continue;
        placement_.offset_bytes[s] = offset;
        placement_.chunk[s] = chunk;
        if (LastIsFree(s)) Place(s + 1);
      }
    }
  }

  const PlacementProblem& problem_;
  Placement placement_;
  int64_t best_;
};

TEST(LowerBoundTest, IsTheLoadWithoutAlignment) {
  const LowerBound bound = ComputeLowerBound(FromIntervals({{0, 4, 10}, {2, 6, 20}, {6, 9, 25}}));
  EXPECT_EQ(bound.bytes, 30);
  EXPECT_EQ(bound.load_bytes, 30);
  EXPECT_EQ(bound.peak_time, 2);
}

TEST(LowerBoundTest, CountsAlignedSizesLessOneTail) {
  // Whichever of the three lies on top may be cut off at its end; best is the one that wastes most.
  EXPECT_EQ(ComputeLowerBound(FromIntervals({{0, 1, 100}, {0, 1, 100}, {0, 1, 65}}, 64)).bytes, 128 + 128 + 65);
  EXPECT_EQ(ComputeLowerBound(FromIntervals({{0, 1, 128}, {0, 1, 64}}, 64)).bytes, 192);
}

TEST(LowerBoundTest, OfEqualPeaksTheOneWithTheShorterTailCounts) {
  // Both times hold two granules; at time 0 the top may end after 1 byte, at time 5 after 60 at best.
  EXPECT_EQ(ComputeLowerBound(FromIntervals({{0, 1, 64}, {0, 1, 1}, {5, 6, 64}, {5, 6, 60}}, 64)).bytes, 124);
}

TEST(LowerBoundTest, PinsLargestAndDisjointPairs) {
  PlacementProblem problem = FromIntervals({{0, 1, 10}, {5, 6, 20}});
  EXPECT_EQ(ComputeLowerBound(problem).bytes, 20);
  problem.disjoint.push_back({0, 1, 0, 10, 5, 20});
  EXPECT_EQ(ComputeLowerBound(problem).bytes, 25);
  problem.storages[0].pinned_offset_bytes = 100;
  EXPECT_EQ(ComputeLowerBound(problem).bytes, 110);
  EXPECT_EQ(ComputeLowerBound(problem).load_bytes, 20);
}

TEST(LowerBoundTest, NothingIsLive) {
  EXPECT_EQ(ComputeLowerBound(PlacementProblem()).bytes, 0);
  EXPECT_EQ(ComputeLowerBound(FromIntervals({{0, 0, 0}}, 64)).bytes, 0);
}

TEST(LowerBoundTest, ChunksMayTakeLessThanOneBlock) {
  PlacementProblem problem = FromIntervals({{0, 1, 100}, {0, 1, 100}}, 128);
  EXPECT_EQ(ComputeLowerBound(problem).bytes, 228);
  problem.max_chunk_bytes = 128;
  EXPECT_EQ(ComputeLowerBound(problem).bytes, 200);
}

TEST(LowerBoundTest, OverlappingPiecesOfAStorageCountOnce) {
  PlacementProblem problem;
  problem.storages.push_back({64, 1, {}, 0, 2});
  problem.pieces = {{0, 4, 0, 64}, {3, 9, 0, 64}};
  EXPECT_EQ(ComputeLowerBound(problem).bytes, 64);
}

TEST(LowerBoundTest, NeverAboveTheOptimum) {
  std::mt19937_64 random(4);
  int tight = 0, rounds = 0;
  for (int kind = 0; kind < 16; ++kind) {
    const RandomShape shape = {.max_storages = 4,
                               .max_time = 4,
                               .max_size = 7,
                               .pieces = (kind & 1) != 0,
                               .alignments = (kind & 2) != 0,
                               .pins = (kind & 4) != 0,
                               .chunks = (kind & 8) != 0};
    for (int round = 0; round < 60; ++round, ++rounds) {
      PlacementProblem problem = RandomProblem(random, shape);
      for (StorageSpec& storage : problem.storages)
        storage.alignment_bytes = std::min<int64_t>(storage.alignment_bytes, round % 2 == 0 ? 4 : 16);
      const int64_t bound = ComputeLowerBound(problem).bytes, optimum = BruteForce(problem).best();
      ASSERT_LE(bound, optimum) << "kind " << kind << ", round " << round;
      tight += bound == optimum;
    }
  }
  EXPECT_GT(tight, rounds * 3 / 4);
}

// What lies at larger alignments leaves tails open that nothing small fills.
TEST(LowerBoundTest, CountsInEachAlignment) {
  const auto stacked = [](std::initializer_list<std::pair<int64_t, int64_t>> sizes) {
    PlacementProblem problem;
    for (const auto& [size, alignment] : sizes) {
      const uint32_t i = static_cast<uint32_t>(problem.pieces.size());
      problem.storages.push_back({size, alignment, {}, i, 1});
      problem.pieces.push_back({0, 1, 0, size});
    }
    return ComputeLowerBound(problem).bytes;
  };
  EXPECT_EQ(stacked({{65, 64}, {65, 64}, {65, 64}}), 128 + 128 + 65);
  EXPECT_EQ(stacked({{65, 64}, {65, 64}, {65, 64}, {2, 1}}), 128 + 128 + 65);
  EXPECT_EQ(stacked({{100, 64}, {30, 1}}), 130);
  EXPECT_EQ(stacked({{65, 64}, {70, 1}, {65, 64}, {70, 1}, {65, 64}}), 449);
  EXPECT_EQ(stacked({{40, 64}, {40, 64}, {2, 16}}), 64 + 40);
}

// One piece a storage, whole: the definition, for every alignment and every time.
int64_t BoundByDefinition(const PlacementProblem& problem) {
  int64_t best = 0;
  for (const Piece& now : problem.pieces) {
    for (const StorageSpec& of_granule : problem.storages) {
      if (of_granule.num_pieces == 0) continue;
      const int64_t granule = of_granule.alignment_bytes;
      int64_t bytes = 0, tail = 0;
      for (const StorageSpec& storage : problem.storages) {
        if (storage.num_pieces == 0) continue;
        const Piece& piece = problem.pieces[storage.first_piece];
        if (piece.begin > now.begin || piece.end <= now.begin) continue;
        const Granules granules = CountGranules(piece, storage.alignment_bytes, granule);
        bytes += granules.bytes;
        tail = std::max(tail, granules.tail);
      }
      best = std::max(best, bytes - tail);
    }
  }
  return best;
}

// So the alignments that are left out would not have said more.
TEST(LowerBoundTest, IsTheLargestOfAllAlignmentsAndTimes) {
  std::mt19937_64 random(6);
  int above_smallest = 0;
  for (int round = 0; round < 2000; ++round) {
    PlacementProblem problem = RandomProblem(random, {.max_storages = 12, .max_size = 60, .alignments = true});
    for (size_t s = 0; s < problem.storages.size() && round % 2 == 0; ++s) {
      StorageSpec& storage = problem.storages[s];
      storage.size_bytes = AlignUp(storage.size_bytes, 1 + round % 4 * 2);
      if (storage.num_pieces > 0) problem.pieces[storage.first_piece].high = storage.size_bytes;
    }
    const int64_t bound = ComputeLowerBound(problem).load_bytes;
    ASSERT_EQ(bound, BoundByDefinition(problem)) << round;
    for (StorageSpec& storage : problem.storages) storage.alignment_bytes = CommonAlignment(problem);
    above_smallest += bound > ComputeLowerBound(problem).load_bytes ? 1 : 0;
  }
  EXPECT_GT(above_smallest, 200);
}

// All orders, each storage at the first place above the one before: no stack is lower than the best of these.
TEST(LowerBoundTest, StacksOfMixedAlignments) {
  std::mt19937_64 random(7);
  int tight = 0;
  constexpr int kRounds = 600;
  for (int round = 0; round < kRounds; ++round) {
    PlacementProblem problem;
    const uint32_t n = 2 + static_cast<uint32_t>(random() % 5);
    for (uint32_t i = 0; i < n; ++i) {
      const int64_t size = 1 + static_cast<int64_t>(random() % (round % 2 == 0 ? 20 : 300));
      problem.storages.push_back({size, int64_t{1} << random() % (round % 2 == 0 ? 4 : 8), {}, i, 1});
      problem.pieces.push_back({0, 1, 0, size});
    }
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    int64_t least = INT64_MAX;
    do {
      int64_t top = 0;
      for (size_t s : order) {
        top = AlignUp(top, problem.storages[s].alignment_bytes) + problem.storages[s].size_bytes;
      }
      least = std::min(least, top);
    } while (std::next_permutation(order.begin(), order.end()));
    const int64_t bound = ComputeLowerBound(problem).bytes;
    ASSERT_LE(bound, least) << round;
    tight += bound == least ? 1 : 0;
  }
  EXPECT_GT(tight, kRounds * 2 / 3);
}

TEST(LowerBoundTest, LoadsOfTheData) {
  for (const DataFile& file : DataFiles()) {
    const std::vector<Interval> intervals = ReadCsv(file.path);
    ASSERT_FALSE(intervals.empty()) << file.path;
    EXPECT_EQ(ComputeLowerBound(FromIntervals(intervals)).load_bytes, file.load_bytes) << file.path;
  }
}

}  // namespace
}  // namespace bufplan
