#include "planner/placement/pieces.h"

#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "planner/placement/occupied_bytes.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

PlacementProblem OneStorage(std::vector<Piece> pieces) {
  PlacementProblem problem;
  StorageSpec& storage = problem.storages.emplace_back();
  for (const Piece& piece : pieces) storage.size_bytes = std::max(storage.size_bytes, piece.high);
  storage.num_pieces = static_cast<uint32_t>(pieces.size());
  problem.pieces = std::move(pieces);
  return problem;
}

// All (time, byte) that the storage occupies.
std::set<std::pair<int64_t, int64_t>> Cells(const PlacementProblem& problem, size_t storage) {
  std::set<std::pair<int64_t, int64_t>> cells;
  for (const Piece& piece : problem.PiecesOf(storage)) {
    for (int64_t t = piece.begin; t < piece.end; ++t) {
      for (int64_t b = piece.low; b < piece.high; ++b) cells.insert({t, b});
    }
  }
  return cells;
}

TEST(AlignTest, RoundsToMultiples) {
  EXPECT_EQ(AlignUp(0, 64), 0);
  EXPECT_EQ(AlignUp(1, 64), 64);
  EXPECT_EQ(AlignUp(64, 64), 64);
  EXPECT_EQ(AlignDown(127, 64), 64);
  EXPECT_EQ(AlignUp(7, 1), 7);
}

TEST(CommonAlignmentTest, IgnoresStoragesThatAreNeverLive) {
  PlacementProblem problem = FromIntervals({{0, 1, 8}, {0, 1, 8}, {0, 0, 0}}, 64);
  problem.storages[1].alignment_bytes = 16;
  problem.storages[2].alignment_bytes = 1;
  EXPECT_EQ(CommonAlignment(problem), 16);
  EXPECT_EQ(CommonAlignment(PlacementProblem()), 1);
}

TEST(MergePiecesTest, AChainOnTheSameBytesBecomesOnePiece) {
  const PlacementProblem merged = MergePieces(OneStorage({{6, 9, 0, 64}, {0, 4, 0, 64}, {3, 7, 0, 64}}));
  ASSERT_EQ(merged.pieces.size(), 1u);
  EXPECT_EQ(merged.storages[0].num_pieces, 1u);
  EXPECT_EQ(merged.pieces[0].begin, 0);
  EXPECT_EQ(merged.pieces[0].end, 9);
}

TEST(MergePiecesTest, AStaircaseLosesItsOverlaps) {
  const PlacementProblem merged = MergePieces(OneStorage({{0, 4, 0, 100}, {3, 9, 0, 40}}));
  ASSERT_EQ(merged.pieces.size(), 2u);
  EXPECT_EQ(merged.pieces[1].begin, 4);
}

TEST(MergePiecesTest, OccupiesTheSame) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    const PlacementProblem problem = RandomProblem(random, {.max_storages = 6, .max_size = 10, .pieces = true});
    const PlacementProblem merged = MergePieces(problem);
    ASSERT_LE(merged.pieces.size(), problem.pieces.size());
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      ASSERT_EQ(Cells(problem, s), Cells(merged, s)) << "round " << round << ", storage " << s;
    }
  }
}

TEST(OccupiedChangesTest, CountsBytesOnceThatTwoPiecesHold) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const PlacementProblem problem = RandomProblem(random, {.max_storages = 4, .max_size = 12, .pieces = true});
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      std::vector<OccupiedChange> changes;
      AppendOccupiedChanges(problem.PiecesOf(s), changes);
      std::vector<int64_t> expected(64, 0);
      for (const auto& [time, byte] : Cells(problem, s)) ++expected[static_cast<size_t>(time)];
      int64_t bytes = 0;
      size_t next = 0;
      for (int64_t time = 0; time < 64; ++time) {
        if (next < changes.size() && changes[next].time == time) {
          EXPECT_NE(changes[next].bytes, 0);
          bytes += changes[next++].bytes;
        }
        ASSERT_EQ(bytes, expected[static_cast<size_t>(time)]) << "round " << round << ", time " << time;
      }
      EXPECT_EQ(next, changes.size());
    }
  }
}

}  // namespace
}  // namespace bufplan
