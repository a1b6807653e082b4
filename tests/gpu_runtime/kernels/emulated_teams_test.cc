#include "tests/gpu_runtime/kernels/emulated_teams.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace bufplan::runtime {
namespace {

TEST(EmulatedTeams, EveryThreadComesToEveryItemOnce) {
  std::vector<std::vector<int>> seen(17, std::vector<int>(4, 0));
  RunEmulated({.team_size = 4, .teams = 3, .seed = 5}, 17, [&](EmulatedTeam& team, int64_t item) {
    ++seen[static_cast<size_t>(item)][static_cast<size_t>(team.rank())];
    team.Sync();
    EXPECT_EQ(team.Sum(static_cast<float>(team.rank())), 6.0f);
    EXPECT_EQ(team.Max(static_cast<float>(-team.rank())), 0.0f);
  });
  for (const std::vector<int>& threads : seen) EXPECT_EQ(threads, std::vector<int>(4, 1));
}

TEST(EmulatedTeams, WhatIsBeforeABarrierIsThereBehindIt) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> written(3 * 6, 0);
    RunEmulated({.team_size = 6, .teams = 2, .seed = seed}, 3, [&](EmulatedTeam& team, int64_t item) {
      written[static_cast<size_t>(item * 6 + team.rank())] = 1;
      team.Sync();
      for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(written[static_cast<size_t>(item * 6 + i)], 1);
    });
  }
}

// Who takes a number first differs from seed to seed, and a thread may write before another one begins.
TEST(EmulatedTeams, OrdersDiffer) {
  std::set<std::vector<int64_t>> orders;
  bool early = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int64_t> order;
    std::vector<int> shared(3, 0);
    RunEmulated({.team_size = 3, .teams = 2, .seed = seed}, 4, [&](EmulatedTeam& team, int64_t item) {
      order.push_back(item * 3 + team.rank());
      early = early || (item == 0 && team.rank() == 0 && shared[2] != 0);
      if (item == 0) shared[static_cast<size_t>(team.rank())] = 1;
    });
    EXPECT_EQ(order.size(), 12u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15u);
  EXPECT_TRUE(early);
}

}  // namespace
}  // namespace bufplan::runtime
