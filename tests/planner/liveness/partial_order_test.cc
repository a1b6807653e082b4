// "Two storages may share bytes iff all accesses of one are ordered before all accesses of the other", held against
// every run of small programs: all of up to 4 ops, and a sample of those of 5, on up to 3 streams.
#include <cstdio>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "planner/liveness/live_ranges.h"
#include "tests/planner/cases/small_orders.h"
#include "tests/planner/cases/stages.h"

namespace bufplan {
namespace {

constexpr int32_t kMaxStreams = 3;
constexpr uint64_t kSeed = 11;

bool OverBefore(const LiveRanges& live, size_t p, size_t q) {
  if (live.order.has_value()) return live.order->Before(p, q, live.pieces[q].begin);
  return live.pieces[p].end <= live.pieces[q].begin;
}

struct Tally {
  int64_t programs = 0, runs = 0, pairs = 0, ordered = 0, grouped = 0;
};

// False after the first difference.
bool Agree(const SmallOrder& order, Tally& tally) {
  const AllRuns runs(order);
  const Stages stages(BuilderOf(order));
  EXPECT_TRUE(stages.ok()) << order.Text();
  if (!stages.ok()) return false;
  const LiveRanges& live = stages.live();
  std::vector<int64_t> piece(order.num_values(), -1);
  for (size_t v = 0; v < order.num_values(); ++v) {
    const int32_t storage = stages.StorageOf(ValueId(static_cast<int32_t>(v)));
    EXPECT_EQ(storage == Sharing::kNoStorage, runs.Swallowed(v)) << order.Text() << ": value " << v;
    if (storage == Sharing::kNoStorage) continue;
    EXPECT_EQ(live.of(static_cast<size_t>(storage)).size(), 1u) << order.Text() << ": value " << v;
    piece[v] = live.begin[static_cast<size_t>(storage)];
  }
  for (size_t a = 0; a < order.num_values(); ++a) {
    for (size_t b = 0; b < order.num_values(); ++b) {
      if (a == b || piece[a] < 0 || piece[b] < 0) continue;
      EXPECT_NE(piece[a], piece[b]) << order.Text();
      const bool before = OverBefore(live, static_cast<size_t>(piece[a]), static_cast<size_t>(piece[b]));
      EXPECT_EQ(before, runs.Before(a, b)) << order.Text() << ": value " << a << " before " << b;
      ++tally.pairs;
      tally.ordered += before;
    }
  }
  ++tally.programs;
  tally.runs += static_cast<int64_t>(runs.count());
  tally.grouped += order.group.has_value();
  return !testing::Test::HasFailure();
}

void Print(const char* what, const Tally& t) {
  std::printf("%s: %lld programs, %lld of them with a group, %lld runs, %lld pairs, %lld of them in order\n", what,
              static_cast<long long>(t.programs), static_cast<long long>(t.grouped), static_cast<long long>(t.runs),
              static_cast<long long>(t.pairs), static_cast<long long>(t.ordered));
  EXPECT_GT(t.ordered, 0);
  EXPECT_LT(t.ordered, t.pairs / 2);
}

// Every choice of streams, reads and order edges, each bare and with extras.
TEST(PartialOrder, AllProgramsOfUpToFourOps) {
  std::mt19937_64 random(kSeed);
  Tally tally;
  for (size_t n = 1; n <= 4; ++n) {
    const uint32_t masks = uint32_t{1} << (n * (n - 1) / 2);
    for (const std::vector<int32_t>& streams : StreamsOf(n, kMaxStreams)) {
      for (uint32_t reads = 0; reads < masks; ++reads) {
        for (uint32_t edges = 0; edges < masks; ++edges) {
          SmallOrder order = FromMasks(streams, reads, edges);
          ASSERT_TRUE(Agree(order, tally));
          AddExtras(random, order);
          ASSERT_TRUE(Agree(order, tally));
        }
      }
    }
  }
  Print("up to 4 ops", tally);
  EXPECT_GT(tally.grouped, 1000);
}

TEST(PartialOrder, ManyProgramsOfFiveOps) {
  std::mt19937_64 random(kSeed);
  Tally tally;
  for (const std::vector<int32_t>& streams : StreamsOf(5, kMaxStreams)) {
    for (int i = 0; i < 1000; ++i) {
      // Sparse ones as well, in which there are many runs.
      uint32_t reads = static_cast<uint32_t>(random()) & 1023u, edges = static_cast<uint32_t>(random()) & 1023u;
      if (i % 2 == 0) reads &= static_cast<uint32_t>(random());
      if (i % 4 != 0) edges &= static_cast<uint32_t>(random() & random());
      SmallOrder order = FromMasks(streams, reads, edges);
      AddExtras(random, order);
      ASSERT_TRUE(Agree(order, tally));
    }
  }
  Print("5 ops", tally);
}

}  // namespace
}  // namespace bufplan
