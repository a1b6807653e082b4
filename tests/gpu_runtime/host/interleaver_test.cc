// Every order that streams and events allow comes up, and no other one.
#include "gpu_runtime/host/interleaver.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/gpu_runtime/host/logging_kernel.h"

namespace bufplan::runtime {
namespace {

using Order = std::vector<int>;

// All orders of 0 ... n - 1 in which the first of each pair comes before the second.
std::set<Order> Allowed(int n, const std::vector<std::pair<int, int>>& pairs) {
  Order order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::set<Order> allowed;
  do {
    const auto at = [&](int x) { return std::find(order.begin(), order.end(), x); };
    if (std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return at(p.first) < at(p.second); })) {
      allowed.insert(order);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return allowed;
}

// What commands refer to.
struct Scene {
  Log log;
  HostEvent e, f;
  CommandList graph_s, graph_t;
};

// Calls fill(interleaver, scene) for that many seeds, runs what it enqueued, returns the orders that came up.
std::set<Order> Seen(int num_streams, uint64_t num_seeds, const std::function<void(Interleaver&, Scene&)>& fill) {
  std::set<Order> seen;
  for (uint64_t seed = 0; seed < num_seeds; ++seed) {
    Interleaver interleaver(seed);
    for (int s = 0; s < num_streams; ++s) interleaver.AddStream();
    Scene scene;
    fill(interleaver, scene);
    interleaver.Run();
    seen.insert(scene.log.entries);
  }
  return seen;
}

TEST(InterleaverTest, OneStreamHasOneOrder) {
  const std::set<Order> seen = Seen(1, 50, [](Interleaver& interleaver, Scene& scene) {
    Log& log = scene.log;
    for (int i = 0; i < 6; ++i) PushLog(interleaver.pending(0), log, i);
  });
  EXPECT_EQ(seen, (std::set<Order>{{0, 1, 2, 3, 4, 5}}));
}

TEST(InterleaverTest, StreamsMeetInAllWays) {
  const std::set<Order> seen = Seen(3, 4000, [](Interleaver& interleaver, Scene& scene) {
    Log& log = scene.log;
    for (int i = 0; i < 6; ++i) PushLog(interleaver.pending(static_cast<size_t>(i / 2)), log, i);
  });
  const std::set<Order> allowed = Allowed(6, {{0, 1}, {2, 3}, {4, 5}});
  EXPECT_EQ(allowed.size(), 90u);
  EXPECT_EQ(seen, allowed);
}

TEST(InterleaverTest, EventsOrderStreams) {
  const std::set<Order> seen = Seen(3, 4000, [](Interleaver& interleaver, Scene& scene) {
    Log& log = scene.log;
    CommandList &s = interleaver.pending(0), &t = interleaver.pending(1), &u = interleaver.pending(2);
    PushLog(s, log, 0);
    PushRecord(s, scene.e);
    PushLog(s, log, 1);
    PushLog(t, log, 2);
    PushWait(t, scene.e);
    PushLog(t, log, 3);
    PushRecord(t, scene.f);
    PushWait(u, scene.e);
    PushLog(u, log, 4);
    PushWait(u, scene.f);
    PushLog(u, log, 5);
    PushRecord(s, scene.e);  // Nobody waits for this one.
  });
  const std::set<Order> allowed = Allowed(6, {{0, 1}, {2, 3}, {0, 3}, {0, 4}, {4, 5}, {3, 5}});
  EXPECT_EQ(seen, allowed);
}

// Each replay of [0 | e -> 1] waits for its own moment of e.
TEST(InterleaverTest, ReplaysHaveMomentsOfTheirOwn) {
  const std::set<Order> seen = Seen(2, 4000, [](Interleaver& interleaver, Scene& scene) {
    PushLog(scene.graph_s, scene.log, 0);
    PushRecord(scene.graph_s, scene.e);
    PushWait(scene.graph_t, scene.e);
    PushLog(scene.graph_t, scene.log, 1);
    for (int64_t replay = 0; replay < 3; ++replay) {
      PushReplay(interleaver.pending(0), scene.graph_s, replay);
      PushReplay(interleaver.pending(1), scene.graph_t, replay);
    }
  });
  // The nth 1 comes after the nth 0: as many as there are ways to write three pairs of brackets.
  EXPECT_EQ(seen,
            (std::set<Order>{
                {0, 0, 0, 1, 1, 1}, {0, 0, 1, 0, 1, 1}, {0, 0, 1, 1, 0, 1}, {0, 1, 0, 0, 1, 1}, {0, 1, 0, 1, 0, 1}}));
}

TEST(InterleaverTest, SomeStreamsLagBehindByALongWay) {
  constexpr int kLong = 200;
  const std::set<Order> seen = Seen(2, 60, [](Interleaver& interleaver, Scene& scene) {
    Log& log = scene.log;
    for (int i = 0; i < kLong; ++i) {
      PushLog(interleaver.pending(0), log, 0);
      PushLog(interleaver.pending(1), log, 1);
    }
  });
  for (const int first : {0, 1}) {
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const Order& order) {
      return std::all_of(order.begin(), order.begin() + kLong, [&](int x) { return x == first; });
    })) << first;
  }
}

TEST(InterleaverTest, ASeedGivesTheSameOrdersAgain) {
  const auto orders = [](uint64_t seed) {
    Interleaver interleaver(seed);
    Log log;
    for (int s = 0; s < 4; ++s) interleaver.AddStream();
    for (int run = 0; run < 5; ++run) {
      for (int i = 0; i < 40; ++i) PushLog(interleaver.pending(static_cast<size_t>(i % 4)), log, i);
      interleaver.Run();
      log.entries.push_back(-1);
    }
    return log.entries;
  };
  std::set<Order> different;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(orders(seed), orders(seed));
    different.insert(orders(seed));
  }
  EXPECT_EQ(different.size(), 20u);
}

TEST(InterleaverTest, RunsWhatIsEnqueuedLater) {
  Interleaver interleaver(1);
  interleaver.AddStream();
  interleaver.AddStream();
  Log log;
  HostEvent e;
  interleaver.Run();
  PushRecord(interleaver.pending(0), e);
  interleaver.Run();
  PushWait(interleaver.pending(1), e);  // Reached in an earlier run.
  PushLog(interleaver.pending(1), log, 8);
  interleaver.Run();
  EXPECT_EQ(log.entries, Order{8});
  EXPECT_TRUE(interleaver.pending(1).empty());
}

}  // namespace
}  // namespace bufplan::runtime
