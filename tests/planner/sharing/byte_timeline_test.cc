#include "planner/sharing/byte_timeline.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph_builder.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

// A schedule of `ops` ops, op i on stream i % streams, without any edge between streams.
class Ops {
 public:
  Ops(int ops, int streams) {
    GraphBuilder b;
    std::vector<StreamId> ids;
    for (int i = 0; i < streams; ++i) ids.push_back(b.AddStream(""));
    for (int i = 0; i < ops; ++i) b.Barrier("", {.stream = ids[static_cast<size_t>(i % streams)]});
    absl::StatusOr<Graph> graph = std::move(b).Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    graph_ = std::make_unique<Graph>(*std::move(graph));
    schedule_ = std::make_unique<Schedule>(*Schedule::Create(*graph_, {}));
  }
  const Schedule& schedule() const { return *schedule_; }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Schedule> schedule_;
};

using Row = std::tuple<int64_t, int64_t, int32_t>;  // begin, end, writer

std::vector<Row> Rows(ByteTimeline& timeline, ByteRange bytes) {
  std::vector<Row> rows;
  timeline.ForEach(
      bytes, [&](ByteRange range, const Segment& s) { rows.emplace_back(range.begin, range.end, s.writer.value); });
  return rows;
}

TEST(Frontier, KeepsTheLatestOfEachStream) {
  const Ops ops(12, 3);
  Frontier f(0);
  for (int32_t t : {3, 1, 7, 4, 2}) f.Add(t, ops.schedule());
  std::vector<int32_t> times;
  f.ForEach([&](int32_t t) { times.push_back(t); });
  EXPECT_THAT(times, testing::UnorderedElementsAre(3, 7, 2));
}

TEST(Frontier, OfTheSameTimesAreEqual) {
  const Ops ops(12, 3);
  Frontier a, b;
  for (int32_t t : {6, 7, 8}) a.Add(t, ops.schedule());
  for (int32_t t : {8, 4, 6, 7}) b.Add(t, ops.schedule());
  EXPECT_TRUE(a == b);
  b.Add(9, ops.schedule());
  EXPECT_FALSE(a == b);
}

TEST(Frontier, NamesAMemberThatIsNotBefore) {
  const Ops ops(12, 3);
  Frontier f(0);
  f.Add(4, ops.schedule());
  EXPECT_EQ(f.NotBefore(7, ops.schedule()), 0);  // another stream: unordered
  Frontier own(1);
  own.Add(4, ops.schedule());
  EXPECT_EQ(own.NotBefore(7, ops.schedule()), std::nullopt);
  EXPECT_EQ(own.NotBefore(4, ops.schedule()), 4);  // itself only if there is no other
  own.Add(2, ops.schedule());
  EXPECT_EQ(own.NotBefore(4, ops.schedule()), 2);
  own.Add(ops.schedule().End(), ops.schedule());
  EXPECT_EQ(own.NotBefore(10, ops.schedule()), ops.schedule().End());
}

TEST(Frontier, TheStartHappensBeforeEverything) {
  const Ops ops(4, 2);
  EXPECT_EQ(Frontier().NotBefore(0, ops.schedule()), std::nullopt);
}

TEST(ByteTimeline, SplitsAtUsesAndWrites) {
  const Ops ops(20, 1);
  ByteTimeline timeline(256, ValueId(1), 0);
  EXPECT_THAT(Rows(timeline, {0, 256}), ElementsAre(Row{0, 256, 1}));
  timeline.Use({64, 128}, 5, ops.schedule());
  EXPECT_THAT(Rows(timeline, {0, 256}), ElementsAre(Row{0, 64, 1}, Row{64, 128, 1}, Row{128, 256, 1}));
  EXPECT_THAT(Rows(timeline, {63, 65}), ElementsAre(Row{0, 64, 1}, Row{64, 128, 1}));
  EXPECT_THAT(Rows(timeline, {128, 129}), ElementsAre(Row{128, 256, 1}));
  timeline.Write({32, 200}, ValueId(2), 6, ops.schedule());
  EXPECT_THAT(Rows(timeline, {0, 256}), ElementsAre(Row{0, 32, 1}, Row{32, 200, 2}, Row{200, 256, 1}));
  timeline.ForEach({32, 200}, [&](ByteRange, const Segment& s) {
    EXPECT_EQ(s.uses.NotBefore(6, ops.schedule()), 6);  // the use at 5 went with the old content
    EXPECT_EQ(s.uses.NotBefore(7, ops.schedule()), std::nullopt);
  });
}

TEST(ByteTimeline, JoinsWhatIsNeededAlike) {
  const Ops ops(200, 1);
  ByteTimeline timeline(64 * 100, ValueId(0), 0);
  for (int32_t i = 1; i < 100; ++i) {
    timeline.Write({64 * i, 64 * i + 64}, ValueId(i), i, ops.schedule());
    timeline.Use({0, 64 * i + 64}, i + 1, ops.schedule());
    ASSERT_LE(Rows(timeline, {0, 64 * 100}).size(), 3u);
  }
}

// Parts that are all needed until another time; much of them is used again and again.
TEST(ByteTimeline, UsesOfManySegmentsDoNotVisitThem) {
  for (const int streams : {1, 4}) {
    const Ops ops(400, streams);
    ByteTimeline timeline(64 * 100, ValueId(0), 0);
    for (int32_t i = 0; i < 100; ++i) {
      timeline.Write({64 * i, 64 * i + 64}, ValueId(i), i, ops.schedule());
      timeline.Use({64 * i, 64 * i + 64}, 399 - i, ops.schedule());
    }
    for (int32_t i = 0; i < 100; ++i) {
      timeline.Use({i, 64 * 100 - 8}, 100 + i, ops.schedule());
      int steps = 0;
      timeline.ForEachWide({i, 64 * 100}, [&](ByteRange, const Frontier&) { ++steps; });
      ASSERT_LE(steps, 2 + streams);
    }
    EXPECT_EQ(Rows(timeline, {0, 64 * 100}).size(), 100u);
    timeline.ForEach({0, 64},
                     [&](ByteRange, const Segment& s) { EXPECT_FALSE(s.uses.NotBefore(400, ops.schedule())); });
    timeline.ForEachWide({128, 129}, [&](ByteRange, const Frontier& uses) {
      EXPECT_TRUE(uses.NotBefore(199, ops.schedule()).has_value());
    });
    timeline.Write({128, 640}, ValueId(7), 200, ops.schedule());
    timeline.ForEachWide({128, 640}, [&](ByteRange, const Frontier& uses) { EXPECT_TRUE(uses == Frontier()); });
  }
}

TEST(ByteTimeline, UsesOfTheWholeAreKeptOnce) {
  const Ops ops(20, 1);
  ByteTimeline timeline(256, ValueId(1), 0);
  timeline.Use({0, 256}, 9, ops.schedule());
  EXPECT_EQ(Rows(timeline, {0, 256}).size(), 1u);
  EXPECT_EQ(timeline.whole().NotBefore(9, ops.schedule()), 9);
  EXPECT_EQ(timeline.whole().NotBefore(10, ops.schedule()), std::nullopt);
}

TEST(ByteTimeline, GrowsWhereItIsWrittenBeyondItsEnd) {
  const Ops ops(4, 1);
  ByteTimeline timeline(64, ValueId(1), 0);
  timeline.Write({32, 128}, ValueId(2), 1, ops.schedule());
  EXPECT_EQ(timeline.end(), 128);
  EXPECT_THAT(Rows(timeline, {0, 128}), ElementsAre(Row{0, 32, 1}, Row{32, 128, 2}));
  timeline.Write({0, 256}, ValueId(3), 2, ops.schedule());
  EXPECT_THAT(Rows(timeline, {0, 256}), ElementsAre(Row{0, 256, 3}));
}

TEST(ByteTimeline, GrowsBelowItsBegin) {
  const Ops ops(4, 1);
  ByteTimeline timeline(64, ValueId(1), 0);
  timeline.Use({0, 64}, 3, ops.schedule());
  timeline.Write({-32, 16}, ValueId(2), 1, ops.schedule());
  EXPECT_EQ(timeline.begin(), -32);
  EXPECT_THAT(Rows(timeline, {-32, 64}), ElementsAre(Row{-32, 16, 2}, Row{16, 64, 1}));
  // Who used all of it did not use what came below.
  timeline.ForEach({-32, 0},
                   [&](ByteRange, const Segment& s) { EXPECT_EQ(s.uses.NotBefore(2, ops.schedule()), std::nullopt); });
  timeline.Write({-64, 64}, ValueId(3), 2, ops.schedule());
  EXPECT_THAT(Rows(timeline, {-64, 64}), ElementsAre(Row{-64, 64, 3}));
}

TEST(ByteTimeline, ContentThatIsOnlyPartlyOverwrittenKeepsItsUses) {
  const Ops ops(20, 1);
  ByteTimeline timeline(64, ValueId(1), 0);
  timeline.Use({0, 32}, 15, ops.schedule());
  timeline.WriteSome({0, 64}, ValueId(2), 3, ops.schedule());
  EXPECT_THAT(Rows(timeline, {0, 64}), ElementsAre(Row{0, 32, 2}, Row{32, 64, 2}));
  timeline.ForEach({0, 32}, [&](ByteRange, const Segment& s) { EXPECT_EQ(s.uses.NotBefore(10, ops.schedule()), 15); });
  timeline.ForEach({32, 64},
                   [&](ByteRange, const Segment& s) { EXPECT_EQ(s.uses.NotBefore(10, ops.schedule()), std::nullopt); });
}

TEST(ByteTimeline, EmptyRangesChangeNothing) {
  const Ops ops(4, 1);
  ByteTimeline timeline(64, ValueId(1), 0);
  timeline.Use({32, 32}, 3, ops.schedule());
  timeline.Write({16, 16}, ValueId(2), 3, ops.schedule());
  timeline.WriteSome({16, 16}, ValueId(2), 3, ops.schedule());
  EXPECT_THAT(Rows(timeline, {0, 64}), ElementsAre(Row{0, 64, 1}));
  EXPECT_TRUE(Rows(timeline, {0, 0}).empty());
}

// Against one entry per byte.
TEST(ByteTimeline, AgreesWithAPlainArray) {
  constexpr int64_t kBytes = 80;
  constexpr int kOps = 160;
  const Ops ops(kOps, 1);
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    ByteTimeline timeline(kBytes, ValueId(0), 0);
    std::vector<std::pair<int32_t, int32_t>> bytes(kBytes, {0, 0});  // writer, latest use
    for (int32_t t = 1; t < kOps; ++t) {
      int64_t a = static_cast<int64_t>(random() % (kBytes + 1)), b = static_cast<int64_t>(random() % (kBytes + 1));
      if (a > b) std::swap(a, b);
      const bool write = random() % 2 == 0;
      if (write) {
        timeline.Write({a, b}, ValueId(t), t, ops.schedule());
      } else {
        timeline.Use({a, b}, t, ops.schedule());
      }
      for (int64_t i = a; i < b; ++i) {
        auto& [writer, use] = bytes[static_cast<size_t>(i)];
        if (write) writer = t;
        use = t;
      }
    }
    int32_t whole = -1;  // uses of the whole are never forgotten
    timeline.whole().ForEach([&](int32_t t) { whole = std::max(whole, t); });
    int64_t end = 0;
    timeline.ForEach({0, kBytes}, [&](ByteRange range, const Segment& s) {
      EXPECT_EQ(range.begin, end) << "seed " << seed;
      end = range.end;
      int32_t latest = whole, last_writer = 0;
      s.uses.ForEach([&](int32_t t) { latest = std::max(latest, t); });
      for (int64_t i = range.begin; i < range.end; ++i) {
        const auto& [writer, use] = bytes[static_cast<size_t>(i)];
        int32_t wide = -1;
        timeline.ForEachWide({i, i + 1}, [&](ByteRange, const Frontier& uses) {
          uses.ForEach([&](int32_t t) { wide = std::max(wide, t); });
        });
        EXPECT_EQ(std::max(latest, wide), std::max(use, whole)) << "seed " << seed << " byte " << i;
        last_writer = std::max(last_writer, writer);
      }
      EXPECT_GE(s.writer.value, last_writer) << "seed " << seed << " from byte " << range.begin;
    });
    EXPECT_EQ(end, kBytes);
  }
}

}  // namespace
}  // namespace bufplan
