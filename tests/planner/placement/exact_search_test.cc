#include "planner/placement/exact_search.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/placement/first_fit.h"
#include "planner/placement/lower_bound.h"
#include "planner/placement/orders.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr SearchLimits kPlenty = {.work = 1'000'000'000};

std::vector<int64_t> PlaceBySize(const PlacementProblem& problem) {
  FirstFit first_fit(problem);
  std::vector<int64_t> offset_bytes;
  first_fit.Run(MakeOrder(ComputeTraits(problem), OrderKind::kSize), INT64_MAX, INT64_MAX, offset_bytes);
  return offset_bytes;
}

// By first fit in all orders: one of them is that of the offsets of a best placement.
int64_t LeastBytes(const PlacementProblem& problem) {
  FirstFit first_fit(problem);
  std::vector<int32_t> order(problem.storages.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> offset_bytes;
  int64_t least = INT64_MAX;
  do {
    least = std::min(least, first_fit.Run(order, least, INT64_MAX, offset_bytes).value_or(least));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

// A rectangle of `time` x `bytes`, cut in two again and again: the pieces fill it without a gap.
std::vector<Interval> CutRectangle(std::mt19937_64& random, int64_t time, int64_t bytes, size_t num_pieces) {
  struct Rectangle {
    int64_t begin, end, low, high;
  };
  std::vector<Rectangle> rectangles = {{0, time, 0, bytes}};
  while (rectangles.size() < num_pieces) {
    Rectangle& whole = rectangles[random() % rectangles.size()];
    Rectangle rest = whole;
    const bool in_time = random() % 2 == 0;
    const int64_t length = in_time ? whole.end - whole.begin : whole.high - whole.low;
    if (length < 2) continue;
    const int64_t at = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(length - 1));
    if (in_time) {
      whole.end = rest.begin = whole.begin + at;
    } else {
      whole.high = rest.low = whole.low + at;
    }
    rectangles.push_back(rest);
  }
  std::vector<Interval> intervals;
  for (const Rectangle& r : rectangles) intervals.push_back({r.begin, r.end, r.high - r.low});
  std::shuffle(intervals.begin(), intervals.end(), random);
  return intervals;
}

TEST(ExactSearchTest, SaysWhichProblemsItSearches) {
  const PlacementProblem plain = FromIntervals({{0, 2, 8}, {1, 3, 8}, {1, 1, 0}}, 4);
  EXPECT_TRUE(CanSearchExactly(plain));
  PlacementProblem pinned = plain;
  pinned.storages[0].pinned_offset_bytes = 8;
  EXPECT_TRUE(CanSearchExactly(pinned));

  PlacementProblem disjoint = plain;
  disjoint.disjoint.push_back({0, 1, 0, 4, 0, 4});
  EXPECT_FALSE(CanSearchExactly(disjoint));
  PlacementProblem chunks = plain;
  chunks.max_chunk_bytes = 100;
  EXPECT_FALSE(CanSearchExactly(chunks));
  PlacementProblem part = plain;
  part.pieces[1].high = 4;
  EXPECT_FALSE(CanSearchExactly(part));
  PlacementProblem pieces = plain;
  pieces.storages[1].num_pieces = 2;
  pieces.pieces.push_back({4, 5, 0, 8});
  EXPECT_FALSE(CanSearchExactly(pieces));
}

TEST(ExactSearchTest, NothingToPlace) {
  const ExactPlacement found = FindPlacement({}, 0, kPlenty);
  EXPECT_THAT(found.offset_bytes, IsEmpty());
  EXPECT_EQ(found.lower_bound_bytes, 0);
  const PlacementProblem empty = FromIntervals({{0, 1, 0}, {0, 1, 0}}, 4);
  EXPECT_THAT(FindPlacement(empty, 0, kPlenty).offset_bytes, ElementsAre(0, 0));
  EXPECT_THAT(MinimizePlacement(empty, {0, 0}, kPlenty).offset_bytes, ElementsAre(0, 0));
}

TEST(ExactSearchTest, AgreesWithAllOrders) {
  std::mt19937_64 random(7);
  int above_bound = 0, improved = 0;
  for (int i = 0; i < 1500; ++i) {
    RandomShape shape;
    shape.max_storages = 7;
    shape.max_time = 4 + static_cast<int64_t>(random() % 8);
    shape.max_size = i % 3 == 0 ? 5 : 40;
    shape.alignments = i % 2 == 0;
    shape.pins = i % 5 < 2;
    const PlacementProblem problem = RandomProblem(random, shape);
    ASSERT_TRUE(CanSearchExactly(problem));
    const int64_t least = LeastBytes(problem);
    const std::vector<int64_t> by_size = PlaceBySize(problem);
    const ExactPlacement best = MinimizePlacement(problem, by_size, kPlenty);
    EXPECT_EQ(best.bytes, least) << i;
    EXPECT_EQ(best.lower_bound_bytes, least) << i;
    EXPECT_EQ(FindFault(problem, best), "") << i;
    improved += best.offset_bytes != by_size ? 1 : 0;

    const ExactPlacement found = FindPlacement(problem, least, kPlenty);
    ASSERT_EQ(found.offset_bytes.size(), problem.storages.size()) << i;
    EXPECT_EQ(found.bytes, least);
    EXPECT_EQ(FindFault(problem, found), "") << i;
    if (least == 0) continue;
    const ExactPlacement none = FindPlacement(problem, least - 1, kPlenty);
    EXPECT_THAT(none.offset_bytes, IsEmpty()) << i;
    EXPECT_EQ(none.lower_bound_bytes, least) << i;
    above_bound += least > ComputeLowerBound(problem).bytes ? 1 : 0;
  }
  EXPECT_GT(above_bound, 50);
  EXPECT_GT(improved, 100);
}

TEST(ExactSearchTest, FindsWhatWasCutFromARectangle) {
  std::mt19937_64 random(11);
  for (size_t num_pieces : {10, 30, 60, 100, 150, 200}) {
    for (int i = 0; i < 4; ++i) {
      const int64_t bytes = 200 + static_cast<int64_t>(random() % 2000);
      const PlacementProblem problem = FromIntervals(CutRectangle(random, 100, bytes, num_pieces));
      const ExactPlacement found = FindPlacement(problem, bytes, kPlenty);
      ASSERT_EQ(found.offset_bytes.size(), num_pieces) << num_pieces << " " << i;
      EXPECT_EQ(FindFault(problem, found), "");
      EXPECT_EQ(found.bytes, bytes);
      EXPECT_EQ(found.lower_bound_bytes, bytes);
      const ExactPlacement best = MinimizePlacement(problem, PlaceBySize(problem), kPlenty);
      EXPECT_EQ(best.bytes, bytes);
      EXPECT_EQ(FindFault(problem, best), "");
    }
  }
}

TEST(ExactSearchTest, KeepsPinsAndAlignments) {
  // Without the pin, 24 bytes would do.
  PlacementProblem problem = FromIntervals({{0, 2, 8}, {1, 3, 8}, {0, 3, 8}}, 8);
  problem.storages[1].pinned_offset_bytes = 24;
  const ExactPlacement pinned = MinimizePlacement(problem, {0, 24, 8}, kPlenty);
  EXPECT_EQ(pinned.bytes, 32);
  EXPECT_EQ(pinned.lower_bound_bytes, 32);
  EXPECT_EQ(pinned.offset_bytes[1], 24);

  // 100 and 30 bytes at 64: 158 if the short one is on top, 164 if not.
  const PlacementProblem aligned = FromIntervals({{0, 2, 30}, {1, 3, 100}}, 64);
  const ExactPlacement best = MinimizePlacement(aligned, {0, 64}, kPlenty);
  EXPECT_THAT(best.offset_bytes, ElementsAre(128, 0));
  EXPECT_EQ(best.bytes, 158);
  EXPECT_EQ(best.lower_bound_bytes, 158);
}

TEST(ExactSearchTest, ProvesThatTheLoadCannotBeMet) {
  const Interval intervals[] = {{0, 2, 9}, {0, 1, 6}, {2, 7, 5}, {1, 6, 5}, {4, 5, 5}, {5, 10, 4},
                                {5, 9, 3}, {1, 4, 3}, {3, 7, 2}, {0, 5, 2}, {2, 3, 2}};
  const PlacementProblem problem = FromIntervals(intervals);
  ASSERT_EQ(ComputeLowerBound(problem).bytes, 19);
  ASSERT_FALSE(HasRoom(problem, 19));
  ASSERT_TRUE(HasRoom(problem, 20));

  const ExactPlacement none = FindPlacement(problem, 19, kPlenty);
  EXPECT_THAT(none.offset_bytes, IsEmpty());
  EXPECT_EQ(none.lower_bound_bytes, 20);
  const ExactPlacement best = MinimizePlacement(problem, PlaceBySize(problem), kPlenty);
  EXPECT_EQ(best.bytes, 20);
  EXPECT_EQ(best.lower_bound_bytes, 20);
  EXPECT_EQ(FindFault(problem, best), "");
}

// Three of 100 bytes at 64 leave tails of 28, into which two of 40 do not fit: 420 are needed where the bound is 385.
// With all the others around them that is not found out.
TEST(ExactSearchTest, SearchesThePeakByItself) {
  std::mt19937_64 random(13);
  std::vector<Interval> intervals = {{0, 2, 100}, {0, 2, 100}, {0, 2, 100}, {0, 2, 40}, {0, 2, 40}, {1, 12, 1}};
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t begin = 2 + i / 2;
    intervals.push_back(
        {begin, begin + 1 + static_cast<int64_t>(random() % 12), 1 + static_cast<int64_t>(random() % 16)});
  }
  PlacementProblem problem = FromIntervals(intervals);
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    problem.storages[s].alignment_bytes = s < 3 ? 64 : s < 6 ? 1 : int64_t{1} << random() % 4;
  }
  ASSERT_EQ(ComputeLowerBound(problem).bytes, 385);
  const ExactPlacement none = FindPlacement(problem, 419, {.work = 100'000});
  EXPECT_THAT(none.offset_bytes, IsEmpty());
  EXPECT_EQ(none.lower_bound_bytes, 420);
  const ExactPlacement found = FindPlacement(problem, 420, kPlenty);
  ASSERT_EQ(found.offset_bytes.size(), problem.storages.size());
  EXPECT_EQ(found.bytes, 420);
  EXPECT_EQ(found.lower_bound_bytes, 385);
  const ExactPlacement best = MinimizePlacement(problem, PlaceBySize(problem), kPlenty);
  EXPECT_EQ(best.bytes, 420);
  EXPECT_EQ(best.lower_bound_bytes, 420);
}

TEST(ExactSearchTest, AHigherWorkLimitOnlyAdds) {
  std::mt19937_64 random(3);
  std::vector<Interval> intervals;
  for (int i = 0; i < 120; ++i) {
    const int64_t begin = static_cast<int64_t>(random() % 60);
    intervals.push_back(
        {begin, begin + 1 + static_cast<int64_t>(random() % 30), 1 + static_cast<int64_t>(random() % 500)});
  }
  const PlacementProblem problem = FromIntervals(intervals);
  const std::vector<int64_t> by_size = PlaceBySize(problem);
  int64_t bytes = INT64_MAX, first_bytes = 0, bound = 0;
  for (int64_t limit : {0, 1'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000}) {
    const ExactPlacement once = MinimizePlacement(problem, by_size, {.work = limit});
    const ExactPlacement again = MinimizePlacement(problem, by_size, {.work = limit});
    EXPECT_EQ(once.offset_bytes, again.offset_bytes);
    EXPECT_EQ(once.work, again.work);
    EXPECT_EQ(once.lower_bound_bytes, again.lower_bound_bytes);
    EXPECT_EQ(FindFault(problem, once), "");
    EXPECT_LE(once.work, limit + 10'000);
    EXPECT_LE(once.bytes, bytes);
    EXPECT_GE(once.lower_bound_bytes, bound);
    bytes = once.bytes;
    bound = once.lower_bound_bytes;
    if (limit > 0) continue;
    first_bytes = bytes;
    EXPECT_EQ(once.offset_bytes, by_size);
  }
  EXPECT_LT(bytes, first_bytes);
  EXPECT_THAT(FindPlacement(problem, bound, {.work = 1'000}).offset_bytes, IsEmpty());
}

TEST(ExactSearchTest, IsTheSameOnAnyNumberOfThreads) {
  std::mt19937_64 random(5);
  int proven = 0, searched = 0;
  for (int i = 0; i < 12; ++i) {
    std::vector<Interval> intervals;
    for (int k = 0; k < 30 + 15 * i; ++k) {
      const int64_t begin = static_cast<int64_t>(random() % 60);
      intervals.push_back(
          {begin, begin + 1 + static_cast<int64_t>(random() % 30), 1 + static_cast<int64_t>(random() % 500)});
    }
    PlacementProblem problem = FromIntervals(intervals);
    if (i % 2 == 0) {
      for (StorageSpec& s : problem.storages) s.alignment_bytes = int64_t{1} << (2 * (random() % 4));
    }
    const std::vector<int64_t> by_size = PlaceBySize(problem);
    const ExactPlacement once = MinimizePlacement(problem, by_size, {.work = 6'000'000});
    const int64_t capacity = once.lower_bound_bytes + i;
    const ExactPlacement found = FindPlacement(problem, capacity, {.work = 3'000'000});
    proven += once.bytes == once.lower_bound_bytes ? 1 : 0;
    searched += once.work > 1'000'000 ? 1 : 0;
    for (int32_t threads : {2, 8}) {
      const ExactPlacement again = MinimizePlacement(problem, by_size, {.work = 6'000'000, .threads = threads});
      EXPECT_EQ(once.offset_bytes, again.offset_bytes) << i;
      EXPECT_EQ(once.lower_bound_bytes, again.lower_bound_bytes) << i;
      EXPECT_EQ(once.work, again.work) << i;
      const ExactPlacement found_again = FindPlacement(problem, capacity, {.work = 3'000'000, .threads = threads});
      EXPECT_EQ(found.offset_bytes, found_again.offset_bytes) << i;
      EXPECT_EQ(found.work, found_again.work) << i;
    }
  }
  EXPECT_GT(proven, 2);
  EXPECT_GT(searched, 2);
}

TEST(ExactSearchTest, EndsAtTheDeadline) {
  const PlacementProblem problem = FromIntervals({{0, 2, 8}, {1, 3, 8}, {2, 4, 8}});
  const Deadline passed(std::chrono::steady_clock::now());
  SearchLimits limits = kPlenty;
  limits.deadline = passed;
  EXPECT_THAT(FindPlacement(problem, 16, limits).offset_bytes, IsEmpty());
  EXPECT_THAT(MinimizePlacement(problem, {0, 8, 16}, limits).offset_bytes, ElementsAre(0, 8, 16));
  EXPECT_EQ(MinimizePlacement(problem, {0, 8, 16}, kPlenty).bytes, 16);
}

TEST(ExactSearchTest, SearchesGroupsOneByOne) {
  // The same few storages at many times: each group is easy, their product is not.
  std::vector<Interval> intervals;
  for (int64_t t = 0; t < 1000; t += 10) {
    for (const Interval& i : {Interval{0, 2, 2}, {0, 1, 1}, {0, 3, 1}, {1, 4, 1}, {2, 5, 2}, {3, 6, 1}, {4, 6, 1}}) {
      intervals.push_back({t + i.begin, t + i.end, i.size_bytes});
    }
  }
  const PlacementProblem problem = FromIntervals(intervals);
  const int64_t least = LeastBytes(FromIntervals(absl::MakeConstSpan(intervals).first(7)));
  const ExactPlacement best = MinimizePlacement(problem, PlaceBySize(problem), kPlenty);
  EXPECT_EQ(best.bytes, least);
  EXPECT_EQ(best.lower_bound_bytes, least);
  EXPECT_EQ(FindFault(problem, best), "");
}

TEST(ExactSearchTest, ClosesTheProblemsOfMiniMalloc) {
  constexpr int64_t kCapacity = 1'048'576;
  int found = 0;
  for (const DataFile& file : DataFiles()) {
    if (std::string(file.path).find("minimalloc") == std::string::npos) continue;
    const PlacementProblem problem = FromIntervals(ReadCsv(file.path));
    const ExactPlacement exact = FindPlacement(problem, kCapacity, kPlenty);
    ASSERT_EQ(exact.offset_bytes.size(), problem.storages.size()) << file.path;
    EXPECT_LE(exact.bytes, kCapacity) << file.path;
    EXPECT_EQ(FindFault(problem, exact), "") << file.path;
    // The load of nine of them is soon met.
    ++found;
    if (file.load_bytes < 1'000'000) continue;
    const ExactPlacement best = MinimizePlacement(problem, PlaceBySize(problem), kPlenty);
    EXPECT_EQ(best.bytes, file.load_bytes) << file.path;
    EXPECT_EQ(best.lower_bound_bytes, file.load_bytes) << file.path;
  }
  EXPECT_EQ(found, 11);
}

}  // namespace
}  // namespace bufplan
