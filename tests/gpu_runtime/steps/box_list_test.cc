// Lists of boxes against lists of bytes.
#include "gpu_runtime/steps/box_list.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/steps/naive_shape.h"
#include "tests/oracle/random.h"

namespace bufplan::runtime {
namespace {

// One more than a box has.
constexpr int kDeep = kMaxBoxDims + 2;

BytePairs Sorted(BytePairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// The bytes of a shape in the set, with their indices.
BytePairs Clipped(const Shape& shape, const ByteSet& set) {
  const std::vector<int64_t> bytes = BytesOfShape(shape);
  BytePairs pairs;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (HasByte(set, bytes[i])) pairs.push_back({bytes[i], static_cast<int64_t>(i)});
  }
  return pairs;
}

void ExpectSound(const Boxes& boxes) {
  for (const Box& box : boxes) {
    EXPECT_GT(box.run_bytes, 0);
    // One is left for CutIntoItems().
    EXPECT_LT(box.num_dims, kMaxBoxDims);
    for (int d = 0; d < box.num_dims; ++d) EXPECT_GT(box.count[d], 0);
  }
}

// In each box the indices are those from its `b` on.
void ExpectWholeRanges(const Boxes& boxes) {
  for (const Box& box : boxes) {
    const BytePairs pairs = PairsOf({box});
    for (size_t i = 0; i < pairs.size(); ++i) ASSERT_EQ(pairs[i].second, box.b + static_cast<int64_t>(i));
  }
}

Shape ShapeOfRound(Rng& rng, bool overlap) {
  Shape shape = RandomShape(rng, rng.Percent(10) ? kDeep : 4, overlap);
  if (rng.Percent(5)) shape = {shape.at, 0, {}};
  return shape;
}

TEST(BoxListTest, ClipPairsBytesWithIndices) {
  Rng rng(4);
  for (int round = 0; round < 3000; ++round) {
    const Shape shape = ShapeOfRound(rng, true);
    const ByteSet set = RandomSet(rng, shape.end() + 3);
    const absl::StatusOr<Boxes> boxes = Clip(shape, set);
    ASSERT_TRUE(boxes.ok());
    ExpectSound(*boxes);
    ExpectWholeRanges(*boxes);
    // In order of indices, so that of a byte that several runs have the last one counts.
    ASSERT_EQ(PairsOf(*boxes), Clipped(shape, set)) << round;
  }
}

TEST(BoxListTest, ClipOfAllIsOneBox) {
  const Shape shape = {8, 4, {{3, 32}, {2, 8}}};
  const absl::StatusOr<Boxes> boxes = Clip(shape, ByteSet::Of({8, shape.end()}));
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1u);
  EXPECT_EQ((*boxes)[0].num_dims, 2);
  // What the set cuts falls apart, the rest does not.
  EXPECT_EQ(Clip(shape, ByteSet::Of({0, 73}))->size(), 3u);
}

TEST(BoxListTest, PickTakesIndices) {
  Rng rng(5);
  for (int round = 0; round < 3000; ++round) {
    const Shape shape = ShapeOfRound(rng, false);
    const std::vector<int64_t> bytes = BytesOfShape(shape);
    const ByteSet indices = RandomSet(rng, shape.bytes());
    const absl::StatusOr<Boxes> boxes = Pick(shape, indices);
    ASSERT_TRUE(boxes.ok());
    ExpectSound(*boxes);
    BytePairs expected;
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (HasByte(indices, static_cast<int64_t>(i))) expected.push_back({bytes[i], static_cast<int64_t>(i)});
    }
    ASSERT_EQ(PairsOf(*boxes), expected) << round;
  }
}

// Regions of a value that lies strided itself.
TEST(BoxListTest, ThroughPlacesBytesOfAValue) {
  Rng rng(6);
  for (int round = 0; round < 3000; ++round) {
    const Shape place = ShapeOfRound(rng, false);
    const std::vector<int64_t> where = BytesOfShape(place);
    Shape region = RandomShape(rng, 3, false);
    if (region.end() > place.bytes()) region = {0, place.bytes(), {}};
    const ByteSet set = RandomSet(rng, place.bytes());
    const absl::StatusOr<Boxes> inside = Clip(region, set);
    ASSERT_TRUE(inside.ok());
    const absl::StatusOr<Boxes> boxes = Through(*inside, place);
    ASSERT_TRUE(boxes.ok());
    ExpectSound(*boxes);
    BytePairs expected;
    for (const auto& [byte, index] : Clipped(region, set))
      expected.push_back({where[static_cast<size_t>(byte)], index});
    ASSERT_EQ(Sorted(PairsOf(*boxes)), Sorted(expected)) << round;
  }
}

TEST(BoxListTest, ThroughFindsTheForm) {
  // Columns of a matrix whose rows lie apart: 64 runs, one box.
  const absl::StatusOr<Boxes> boxes = Through(*Clip({4, 4, {{64, 16}}}, ByteSet::Of({0, 1024})), {0, 16, {{64, 32}}});
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1u);
  EXPECT_EQ((*boxes)[0].a, 4);
  EXPECT_EQ((*boxes)[0].a_stride[0], 32);
  EXPECT_EQ((*boxes)[0].count[0], 64);
}

TEST(BoxListTest, MoveIndicesMovesIndices) {
  Boxes boxes = *Clip({4, 4, {{3, 16}}}, ByteSet::Of({0, 100}));
  const BytePairs before = PairsOf(boxes);
  MoveIndices(boxes, 7);
  BytePairs moved = PairsOf(boxes);
  for (auto& [a, b] : moved) b -= 7;
  EXPECT_EQ(moved, before);
}

// Some indices of a shape, as clipping and picking and moving through places makes them.
Boxes SomeIndices(Rng& rng) {
  Shape shape = RandomShape(rng, 3, false);
  const int64_t bytes = shape.bytes();
  Boxes boxes = rng.Percent(50) ? *Clip(shape, RandomSet(rng, shape.end())) : *Pick(shape, RandomSet(rng, bytes));
  if (rng.Percent(50)) boxes = *Through(boxes, {0, 3, {{1 + shape.end() / 3, rng.Between(3, 5)}}});
  if (rng.Percent(20)) MoveIndices(boxes, rng.Between(0, 9));
  return boxes;
}

TEST(BoxListTest, PairJoinsByIndex) {
  Rng rng(7);
  for (int round = 0; round < 10000; ++round) {
    const Boxes from = SomeIndices(rng);
    Boxes to = SomeIndices(rng);
    // Often one run on a side.
    if (rng.Percent(40)) {
      const int64_t begin = rng.Between(0, 6);
      to = LinesOf(ByteSet::Of({begin, begin + rng.Between(1, 40)}));
      for (Box& box : to) box.a += rng.Between(0, 50);
    }
    std::map<int64_t, int64_t> by_index;
    for (const auto& [a, index] : PairsOf(to)) by_index[index] = a;
    BytePairs expected;
    for (const auto& [a, index] : PairsOf(from)) {
      if (by_index.contains(index)) expected.push_back({a, by_index[index]});
    }
    const absl::StatusOr<Boxes> pairs = Pair(from, to), reversed = Pair(to, from);
    ASSERT_TRUE(pairs.ok());
    ASSERT_TRUE(reversed.ok());
    ExpectSound(*pairs);
    ASSERT_EQ(Sorted(PairsOf(*pairs)), Sorted(expected)) << round;
    BytePairs back = PairsOf(*reversed);
    for (auto& [a, b] : back) std::swap(a, b);
    ASSERT_EQ(Sorted(back), Sorted(expected)) << round;
  }
}

// Indices with equal gaps are one box; a run that has its first few does not have them all.
TEST(BoxListTest, PairOfIndicesWithGaps) {
  const Boxes gaps = *Through(*Clip({0, 24, {}}, ByteSet::OfAll({{0, 4}, {8, 12}, {16, 20}})), {0, 4, {{6, 10}}});
  ASSERT_EQ(gaps.size(), 1u);
  const Boxes run = LinesOf(ByteSet::Of({0, 13}));
  EXPECT_EQ(PairsOf(*Pair(gaps, run)).size(), 8u);
  EXPECT_EQ(PairsOf(*Pair(run, gaps)).size(), 8u);
}

TEST(BoxListTest, BytesOfBoxes) {
  Rng rng(8);
  for (int round = 0; round < 2000; ++round) {
    const Boxes boxes = SomeIndices(rng);
    std::vector<ByteRange> a_bytes, b_bytes;
    size_t runs = 0;
    for (const Box& box : boxes) {
      size_t own = 1;
      for (int d = 0; d < box.num_dims; ++d) own *= static_cast<size_t>(box.count[d]);
      runs += own;
    }
    for (const auto& [a, b] : PairsOf(boxes)) {
      a_bytes.push_back({a, a + 1});
      b_bytes.push_back({b, b + 1});
    }
    const ByteSet a = ByteSet::OfAll(a_bytes), b = ByteSet::OfAll(b_bytes);
    bool exact = false;
    ASSERT_EQ(BytesOfA(boxes, runs, &exact), a);
    ASSERT_TRUE(exact);
    ASSERT_EQ(BytesOfB(boxes, runs, &exact), b);
    ASSERT_TRUE(exact);
    if (runs == 0) continue;
    ASSERT_EQ(BytesOfA(boxes, runs - 1, &exact), ByteSet::Of(a.span()));
    ASSERT_FALSE(exact);
    ASSERT_EQ(BytesOfB(boxes, runs - 1, &exact), ByteSet::Of(b.span()));
    ASSERT_FALSE(exact);
  }
}

TEST(BoxListTest, LinesAndWhatIsInPlace) {
  const ByteSet set = ByteSet::OfAll({{3, 5}, {9, 30}});
  Boxes lines = LinesOf(set);
  bool exact = false;
  EXPECT_EQ(BytesOfA(lines, 100, &exact), set);
  EXPECT_TRUE(AllInPlace(lines));
  EXPECT_TRUE(AllInPlace({}));
  Rng rng(9);
  for (int round = 0; round < 2000; ++round) {
    const Boxes boxes = SomeIndices(rng), others = rng.Percent(50) ? boxes : SomeIndices(rng);
    const Boxes pairs = *Pair(boxes, others);
    const BytePairs all = PairsOf(pairs);
    ASSERT_EQ(AllInPlace(pairs), std::all_of(all.begin(), all.end(), [](const auto& p) { return p.first == p.second; }))
        << round;
  }
}

// Items, taken one by one as a kernel takes them, have every byte once.
BytePairs PairsOfItems(const Boxes& boxes, int64_t items, int32_t team_size) {
  struct Member {
    int32_t rank_, size_;
    int32_t rank() const { return rank_; }
    int32_t size() const { return size_; }
  };
  BytePairs pairs;
  const BoxList list = {boxes.data(), static_cast<int32_t>(boxes.size())};
  for (int64_t item = 0; item < items; ++item) {
    for (int32_t m = 0; m < team_size; ++m) {
      Member member = {m, team_size};
      ForEachRun(list, member, item, [&](int64_t a, int64_t b, int64_t bytes, int32_t rank, int32_t size) {
        for (int64_t i = rank; i < bytes; i += size) pairs.push_back({a + i, b + i});
      });
    }
  }
  return pairs;
}

TEST(BoxListTest, ItemsHaveEveryByteOnce) {
  Rng rng(10);
  for (int round = 0; round < 1000; ++round) {
    Boxes boxes = SomeIndices(rng);
    const BytePairs before = Sorted(PairsOf(boxes));
    const int64_t items = CutIntoItems(boxes);
    ASSERT_EQ(Sorted(PairsOf(boxes)), before);
    ASSERT_EQ(Sorted(PairsOfItems(boxes, items, 1)), before);
    ASSERT_EQ(Sorted(PairsOfItems(boxes, items, 3)), before);
  }
}

TEST(BoxListTest, LongRunsAreCut) {
  // Of runs longer than an item, whole items and a rest each; of the short ones many to an item.
  for (const Shape& shape : {Shape{0, kItemBytes, {}}, Shape{0, 3 * kItemBytes + 5, {}}, Shape{3, kItemBytes - 1, {}},
                             Shape{1, 2 * kItemBytes + 1, {{2, 3 * kItemBytes}}}, Shape{0, 300, {{700, 301}}},
                             Shape{0, kItemBytes + 1, {{2, 1 << 22}, {2, 1 << 21}, {2, 1 << 20}, {1, 1 << 18}}}}) {
    Boxes boxes = *Clip(shape, ByteSet::Of({0, shape.end()}));
    const BytePairs before = Sorted(PairsOf(boxes));
    const int64_t items = CutIntoItems(boxes);
    EXPECT_EQ(Sorted(PairsOfItems(boxes, items, 1)), before);
    EXPECT_EQ(Sorted(PairsOfItems(boxes, items, 4)), before);
    EXPECT_GE(items, shape.bytes() / kItemBytes);
    for (const Box& box : boxes) {
      EXPECT_LE(box.run_bytes, kItemBytes);
      EXPECT_LE(box.num_dims, kMaxBoxDims);
      EXPECT_LE(box.run_bytes * box.runs_per_item, kItemBytes);
    }
  }
}

TEST(BoxListTest, TooManyPiecesAreRefused) {
  const int64_t runs = static_cast<int64_t>(kMaxPieces) + 1;
  const Boxes bytes = *Clip({0, 1, {{runs, 2}}}, ByteSet::Of({0, 2 * runs}));
  ASSERT_EQ(bytes.size(), 1u);
  const absl::Status status = Through(bytes, {0, 2, {{runs, 3}}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "strided bytes fall into more than 2097152 pieces");
  const Boxes two = *Clip({0, 2, {{2, 8}}}, ByteSet::OfAll({{0, 1}, {8, 9}}));
  EXPECT_EQ(Pair(bytes, two).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace bufplan::runtime
