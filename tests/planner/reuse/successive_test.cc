#include "planner/reuse/successive.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/conflict_lists.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Placement At(std::vector<int64_t> offsets, int64_t bytes) {
  Placement placement;
  placement.chunk.assign(offsets.size(), 0);
  placement.offset_bytes = std::move(offsets);
  placement.chunk_bytes = {bytes};
  placement.total_bytes = bytes;
  return placement;
}

// a, then b above a part of it, then c on another part of b.
TEST(FindSuccessive, OneRightAfterTheOther) {
  const PlacementProblem problem = FromIntervals({{0, 1, 4}, {1, 2, 6}, {2, 3, 2}});
  EXPECT_THAT(FindSuccessive(problem, At({0, 2, 6}, 8)), ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_THAT(FindSuccessive(problem, At({0, 2, 3}, 8)), ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_THAT(FindSuccessive(problem, At({0, 2, 0}, 8)), ElementsAre(Pair(0, 1), Pair(0, 2)));
  EXPECT_THAT(FindSuccessive(problem, At({0, 2, 1}, 8)), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 2)));
  EXPECT_THAT(FindSuccessive(problem, At({0, 4, 10}, 12)), IsEmpty());
}

TEST(FindSuccessive, ChunksAreApart) {
  const PlacementProblem problem = FromIntervals({{0, 1, 4}, {1, 2, 4}, {2, 3, 4}});
  Placement placement = At({0, 0, 0}, 4);
  placement.chunk = {0, 1, 0};
  placement.chunk_bytes = {4, 4};
  EXPECT_THAT(FindSuccessive(problem, placement), ElementsAre(Pair(0, 2)));
}

TEST(FindSuccessive, NothingToPlace) {
  EXPECT_THAT(FindSuccessive({}, At({}, 0)), IsEmpty());
  EXPECT_THAT(FindSuccessive(FromIntervals({{0, 3, 0}, {1, 2, 0}}), At({0, 0}, 0)), IsEmpty());
}

// Byte by byte: who lies there, in order of time.
TEST(FindSuccessive, AreTheNeighboursOfEveryByte) {
  std::mt19937_64 random(51);
  int64_t found = 0;
  for (int round = 0; round < 1000; ++round) {
    const RandomShape shape = {.pieces = round % 2 == 0, .alignments = round % 3 == 0, .chunks = round % 5 == 0};
    const PlacementProblem problem = RandomProblem(random, shape);
    const auto placement = Place(problem, {PlacementEffort::kFast});
    ASSERT_TRUE(placement.ok()) << placement.status();
    const std::vector<int32_t> owner = OwnersOfPieces(problem);
    std::vector<std::pair<int32_t, int32_t>> expected;
    for (size_t chunk = 0; chunk < placement->chunk_bytes.size(); ++chunk) {
      for (int64_t byte = 0; byte < placement->chunk_bytes[chunk]; ++byte) {
        std::vector<std::pair<int64_t, int32_t>> there;  // (begin, piece)
        for (size_t p = 0; p < problem.pieces.size(); ++p) {
          const size_t s = static_cast<size_t>(owner[p]);
          const int64_t at = byte - placement->offset_bytes[s];
          const Piece& piece = problem.pieces[p];
          if (placement->chunk[s] != static_cast<int32_t>(chunk) || at < piece.low || at >= piece.high) continue;
          there.emplace_back(piece.begin, static_cast<int32_t>(p));
        }
        std::sort(there.begin(), there.end());
        for (size_t i = 1; i < there.size(); ++i) {
          const int32_t p = there[i - 1].second, q = there[i].second;
          if (owner[static_cast<size_t>(p)] != owner[static_cast<size_t>(q)]) expected.emplace_back(p, q);
        }
      }
    }
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const std::vector<std::pair<int32_t, int32_t>> pairs = FindSuccessive(problem, *placement);
    ASSERT_TRUE(std::is_sorted(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
      return problem.pieces[static_cast<size_t>(a.second)].begin < problem.pieces[static_cast<size_t>(b.second)].begin;
    }));
    std::vector<std::pair<int32_t, int32_t>> sorted = pairs;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, expected) << "round " << round;
    found += static_cast<int64_t>(pairs.size());
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace bufplan
