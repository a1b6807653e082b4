#include "planner/order/chain_times.h"

#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/order/random_relation.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

TEST(ChainTimes, TheDrawnExample) {
  const absl::StatusOr<HappensBefore> order = HappensBefore::Create({0, 0, 1, 1, 0}, 2, {{1, 3}});
  ASSERT_TRUE(order.ok()) << order.status();
  const ChainTimes times(*order, {0, 0, 1, 1, 0}, 2);
  EXPECT_TRUE(times.exact());
  EXPECT_EQ(times.num_chains(), 2);
  EXPECT_THAT(times.OverFor(1), ElementsAre(2, 3));
  EXPECT_THAT(times.OverFor(2), ElementsAre(5, 3));
}

TEST(ChainTimes, StreamsWithoutOpsAreNoChains) {
  const absl::StatusOr<HappensBefore> order = HappensBefore::Create({3, 1, 3}, 5, {});
  ASSERT_TRUE(order.ok()) << order.status();
  const ChainTimes times(*order, {3, 1, 3}, 5);
  EXPECT_EQ(times.num_chains(), 2);
  EXPECT_EQ(times.ChainOf(0), times.ChainOf(2));
  EXPECT_NE(times.ChainOf(0), times.ChainOf(1));
}

TEST(ChainTimes, NoOps) {
  const ChainTimes times(HappensBefore(), {}, 2);
  EXPECT_TRUE(times.exact());
}

// By op, its place in the run.
std::vector<int32_t> PlacesOf(const HappensBefore& order) {
  std::vector<int32_t> place(static_cast<size_t>(order.num_ops()));
  int32_t next = 0;
  for (int32_t op : order.TopologicalOrder()) place[static_cast<size_t>(op)] = next++;
  return place;
}

TEST(ChainTimes, SayWhatTheClosureSays) {
  std::mt19937_64 random(21);
  int64_t merged = 0, lost = 0, kept = 0;
  for (int round = 0; round < 6000; ++round) {
    const bool backward = round % 2 == 0;
    const RandomRelation r = MakeRandomRelation(random, 14, 5, backward);
    const absl::StatusOr<HappensBefore> order = HappensBefore::Create(r.stream, r.num_streams, r.edges);
    ASSERT_TRUE(order.ok()) << order.status();
    const std::vector<int32_t> place = PlacesOf(*order);
    const std::vector<std::vector<char>> reaches = Closure(r.stream, r.edges);
    const size_t n = r.stream.size();
    for (const size_t max_entries : {ChainTimes::kMaxEntries, 2 * n, n, size_t{1}}) {
      const ChainTimes times(*order, r.stream, r.num_streams, backward ? place : std::vector<int32_t>(), max_entries);
      ASSERT_LE(static_cast<size_t>(times.num_chains()), std::max<size_t>(max_entries / n, 1));
      merged += !times.exact();
      for (size_t a = 0; a < n; ++a) {
        const absl::Span<const int32_t> over = times.OverFor(static_cast<int32_t>(a));
        ASSERT_EQ(over.size(), static_cast<size_t>(times.num_chains()));
        for (size_t b = 0; b < n; ++b) {
          const bool before = place[b] >= over[static_cast<size_t>(times.ChainOf(static_cast<int32_t>(b)))];
          if (times.exact()) {
            ASSERT_EQ(before, reaches[a][b] != 0) << "round " << round << ": " << a << " " << b;
          } else if (before) {
            ASSERT_TRUE(reaches[a][b]) << "round " << round << ": " << a << " " << b;
          }
          kept += !times.exact() && before;
          lost += !times.exact() && !before && reaches[a][b] != 0;
        }
      }
    }
  }
  // Merging happened, and told some of the order all the same.
  EXPECT_GT(merged, 1000);
  EXPECT_GT(kept, lost);
}

}  // namespace
}  // namespace bufplan
