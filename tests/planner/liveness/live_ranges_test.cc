#include "planner/liveness/live_ranges.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/cases/plan_case.h"
#include "tests/planner/cases/stages.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Row = std::tuple<int64_t, int64_t, int64_t, int64_t>;  // low, high, begin, end

std::vector<Row> Rows(const Stages& s, ValueId v) {
  std::vector<Row> rows;
  for (const Piece& p : s.PiecesWith(v)) rows.emplace_back(p.low, p.high, p.begin, p.end);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(LiveRanges, FromTheProducerToTheLastReader) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64), unread = g.Op("u", {}, 64);
  g.R("r", {x});
  g.Barrier("b");
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 64, 1, 4}));
  EXPECT_THAT(Rows(s, unread), ElementsAre(Row{0, 64, 2, 3}));
  EXPECT_EQ(s.live().last_use[x.index()], 2);
  EXPECT_EQ(s.live().last_use[unread.index()], Schedule::kStart);
}

TEST(LiveRanges, InputsFromTheStartAndOutputsToTheEnd) {
  CaseGraph g;
  const ValueId input = g.Input("i", 64), preserved = g.Input("p", 64, {.preserve = true});
  const ValueId output = g.Op("f", {input}, 64);
  g.Barrier("b");
  g.Output(output);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(Rows(s, input), ElementsAre(Row{0, 64, 0, 2}));
  EXPECT_THAT(Rows(s, preserved), ElementsAre(Row{0, 64, 0, 4}));
  EXPECT_THAT(Rows(s, output), ElementsAre(Row{0, 64, 1, 4}));
}

TEST(LiveRanges, KeepAlivesLengthenALife) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 64);
  g.R("r", {x});
  g.Barrier("b");
  const OpId until = g.Barrier("until");
  g.KeepAliveUntil(x, until);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 64, 1, 5}));
}

TEST(LiveRanges, StorageOfTheCallerAndOfNoBytesHasNoPieces) {
  CaseGraph g;
  const ValueId c = g.Constant("c", 64), v = g.Variable("v", 64), empty = g.Input("empty", 0);
  g.R("r", {c, v, empty});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  for (ValueId x : {c, v, empty}) EXPECT_THAT(Rows(s, x), IsEmpty());
}

TEST(LiveRanges, OnlyTheBytesThatAreReadLiveOn) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 96);
  g.R("r", x, 0, 64);
  g.R("r2", x, 32, 16);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 32, 1, 3}, Row{32, 48, 1, 4}, Row{48, 64, 1, 3}, Row{64, 96, 1, 2}));
}

TEST(LiveRanges, AReadThroughAViewKeepsItsBytesOnly) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 96);
  const ValueId v = g.View("v", x, 32, 64);
  g.R("r", v, 32, 32);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 64, 1, 2}, Row{64, 96, 1, 4}));
  EXPECT_EQ(s.live().last_use[v.index()], 2);
}

//   [0, 64)    f --           w ------ r      dead between f and w
//   [64, 128)  f ----------------- -- r
TEST(LiveRanges, OverwrittenBytesAreDeadBefore) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  g.Barrier("b");
  g.Barrier("b2");
  const ValueId y = g.W("w", x, 0, 64);
  g.R("r", {y});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  ASSERT_TRUE(s.Together(x, y));
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 64, 1, 2}, Row{0, 64, 4, 6}, Row{64, 128, 1, 6}));
}

TEST(LiveRanges, BytesThatMaySurviveLiveThroughTheWrite) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  g.Barrier("b");
  ComputeSpec spec;
  Result& result = spec.writes.emplace_back();
  result.bytes = 128;
  result.base = x;
  result.region = Bytes(0, 64);
  result.cover = Cover::kPart;
  const ValueId y = g.Compute("w", std::move(spec));
  g.R("r", {y});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  ASSERT_TRUE(s.Together(x, y));
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 128, 1, 5}));
}

TEST(LiveRanges, ACarriedBaseLivesWholeUntilItIsCarried) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  g.Barrier("b");
  const ValueId y = g.W("w", x, 0, 64);
  g.R("r", x, 0, 32);  // y may not overwrite this
  g.R("r2", {y});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  ASSERT_FALSE(s.Together(x, y));
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 32, 1, 5}, Row{32, 128, 1, 4}));
  EXPECT_THAT(Rows(s, y), ElementsAre(Row{0, 128, 3, 6}));
}

TEST(LiveRanges, ABaseOfWhichNothingIsCarriedIsNotNeeded) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 128);
  g.Barrier("b");
  const ValueId y = g.W("w", x, 0, 128);
  g.R("r", x, 0, 32);  // y may not overwrite this
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  ASSERT_FALSE(s.Together(x, y));
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 32, 1, 5}, Row{32, 128, 1, 2}));
}

TEST(LiveRanges, TheTailOfALargerOperandDiesWithIt) {
  CaseGraph g;
  const ValueId x = g.Op("f", {}, 100);
  const ValueId y = g.Op("g", {x}, 40, {x});
  g.R("r", {y});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  ASSERT_TRUE(s.Together(x, y));
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 40, 1, 4}, Row{40, 100, 1, 3}));
}

// The first piece of a value's storage.
size_t PieceOf(const Stages& s, ValueId v) { return s.live().begin[static_cast<size_t>(s.StorageOf(v))]; }

bool Before(const Stages& s, ValueId a, ValueId b) {
  return s.live().order->Before(PieceOf(s, a), PieceOf(s, b), s.live().pieces[PieceOf(s, b)].begin);
}

//   main   f x ── rx x ── h(x,y) z        x and y are there at once, y and w too: only what all users of one happen
//   side   g y ── ry y ── k w             before is over
TEST(LiveRanges, LivesOnSeveralStreamsAreOrderedInPart) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId x = g.Op("f", {}, 64, {}, {.stream = main});
  const ValueId y = g.Op("g", {}, 64, {}, {.stream = side});
  g.R("rx", {x}, {.stream = main});
  g.R("ry", {y}, {.stream = side});
  const ValueId w = g.Op("k", {}, 64, {}, {.stream = side});
  const ValueId z = g.Op("h", {y}, 64, {}, {.stream = main});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  ASSERT_TRUE(s.live().order.has_value());
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 64, 1, 4}));  // as in list order
  EXPECT_THAT(Rows(s, y), ElementsAre(Row{0, 64, 2, 7}));
  EXPECT_TRUE(Before(s, x, z));
  for (const auto& [a, b] : {std::pair{x, y}, {y, z}, {y, w}, {x, w}, {z, w}}) {
    EXPECT_FALSE(Before(s, a, b) || Before(s, b, a)) << a.value << " " << b.value;
  }
}

TEST(LiveRanges, OneStreamHasNoOrderBesideTheTimes) {
  CaseGraph g;
  g.R("r", {g.Op("f", {}, 64)});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(s.live().order.has_value());
}

TEST(LiveRanges, InputsAndOutputsOfSeveralStreams) {
  CaseGraph g;
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId in = g.Input("in", 64);
  const ValueId x = g.Op("f", {in}, 64, {}, {.stream = main});
  const ValueId y = g.Op("g", {x}, 64, {}, {.stream = side});
  const ValueId z = g.Op("h", {y}, 64, {}, {.stream = main});
  g.Output(x);
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(Before(s, in, y));
  EXPECT_TRUE(Before(s, in, z));
  EXPECT_FALSE(Before(s, in, x));
  for (ValueId v : {in, y, z}) EXPECT_FALSE(Before(s, x, v));
}

// Somewhere in v, at symbolic places, two streams write at once: v's storage is alive since before both.
TEST(LiveRanges, WritesOfTwoStreamsAtUnknownPlacesOfOneStorage) {
  CaseGraph g;
  const Expr s0 = g.AddSymbol("s", 0, 8);
  const StreamId main = g.AddStream("main"), side = g.AddStream("side");
  const ValueId t = g.Op("t", {}, 64, {}, {.stream = main});
  g.R("rt", {t}, {.stream = main});
  const ValueId a = g.Op("a", {}, 8 * s0, {}, {.stream = main});
  const ValueId b = g.Op("b", {}, 64 - 8 * s0, {}, {.stream = side});
  const ValueId c = g.Concat("c", {a, b}, {}, {.stream = side});
  g.R("rc", {c}, {.stream = side});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  if (!s.Together(a, b)) return;
  EXPECT_FALSE(Before(s, t, c));  // b may be written before rt has read t
}

TEST(LiveRanges, AGroupsResultsLiveFromItsPlaceAndItsOperandsToIt) {
  CaseGraph g;
  const ValueId x = g.Op("x", {}, 64);
  const ValueId inner = g.Op("a", {x}, 64);
  const OpId first = g.last_op();
  g.Barrier("between");
  const ValueId outer = g.Op("b", {inner}, 64);
  Fusion fusion;
  fusion.name = "f";
  fusion.ops = {first, g.last_op()};
  fusion.required = true;
  g.AddFusion(fusion);
  g.R("r", {inner, outer});
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(Rows(s, x), ElementsAre(Row{0, 64, 1, 5}));
  EXPECT_THAT(Rows(s, inner), ElementsAre(Row{0, 64, 4, 6}));
  EXPECT_THAT(Rows(s, outer), ElementsAre(Row{0, 64, 4, 6}));
}

TEST(LiveRanges, PiecesOfOneStorageNeverMeet) {
  CaseGraph g;
  const ValueId x = g.Input("x", 64 * 16);
  ValueId v = x;
  for (int i = 0; i < 64; ++i) {
    v = g.W("", v, 64 * ((5 * i) % 16), 64);
    if (i % 3 == 0) g.R("", v, 64 * ((7 * i) % 16), 64);
  }
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  const std::vector<Piece> pieces = s.PiecesWith(x);
  EXPECT_GT(pieces.size(), 16u);
  for (size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_LT(pieces[i].begin, pieces[i].end);
    EXPECT_LT(pieces[i].low, pieces[i].high);
    for (size_t j = 0; j < i; ++j) {
      const bool times = pieces[i].begin < pieces[j].end && pieces[j].begin < pieces[i].end;
      const bool bytes = pieces[i].low < pieces[j].high && pieces[j].low < pieces[i].high;
      EXPECT_FALSE(times && bytes) << i << " " << j;
    }
  }
}

TEST(LiveRanges, LongChainsOfUpdatesWithGrowingReads) {
  constexpr int kUpdates = 20000;
  CaseGraph g;
  const ValueId x = g.Input("x", 64 * kUpdates);
  ValueId v = x;
  for (int i = 0; i < kUpdates; ++i) {
    v = g.W("", v, 64 * i, 64);
    g.R("", v, 0, 64 * (i + 1));
  }
  const Stages s(std::move(g));
  ASSERT_TRUE(s.ok());
  // Row i: at the start, and from its write to the end; without a pause between the two for row 0.
  EXPECT_EQ(s.PiecesWith(x).size(), 2u * kUpdates - 1);
}

}  // namespace
}  // namespace bufplan
