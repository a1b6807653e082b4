#include "planner/sharing/rivals.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;

struct Condition {
  int32_t wish = 0;
  std::vector<std::vector<std::vector<int32_t>>> alternatives;  // of obstacles of wishes
};

struct Problem {
  std::vector<std::pair<int64_t, bool>> wishes;  // gain, held
  std::vector<Condition> conditions;

  // a and b are in each other's way.
  void Clash(int32_t a, int32_t b) { conditions.push_back({a, {{{b}}}}); }

  std::vector<char> Choose() const {
    Rivals rivals;
    for (const auto& [gain, held] : wishes) rivals.AddWish(gain, held);
    for (const Condition& c : conditions) {
      rivals.AddCondition(c.wish);
      for (const auto& alternative : c.alternatives) {
        rivals.AddAlternative();
        for (const std::vector<int32_t>& obstacle : alternative) rivals.AddObstacle(obstacle);
      }
    }
    return std::move(rivals).Choose();
  }

  int64_t Saved(const std::vector<char>& granted) const {
    int64_t sum = 0;
    for (size_t i = 0; i < wishes.size(); ++i) sum += granted[i] != 0 ? wishes[i].first : 0;
    return sum;
  }

  bool Feasible(const std::vector<char>& granted) const {
    const auto is_granted = [&](int32_t w) { return granted[static_cast<size_t>(w)] != 0; };
    return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& c) {
      return !is_granted(c.wish) || std::any_of(c.alternatives.begin(), c.alternatives.end(), [&](const auto& a) {
        return std::none_of(a.begin(), a.end(), [&](const std::vector<int32_t>& obstacle) {
          return std::all_of(obstacle.begin(), obstacle.end(), is_granted);
        });
      });
    });
  }

  int64_t BruteForce() const {
    int64_t best = 0;
    std::vector<char> granted(wishes.size());
    for (uint32_t set = 0; set < uint32_t{1} << wishes.size(); ++set) {
      for (size_t i = 0; i < wishes.size(); ++i) granted[i] = (set >> i & 1) != 0;
      if (Feasible(granted)) best = std::max(best, Saved(granted));
    }
    return best;
  }
};

Problem RandomProblem(Rng& random, int num_wishes) {
  Problem p;
  const auto wish = [&] { return static_cast<int32_t>(random.Between(0, num_wishes - 1)); };
  for (int i = 0; i < num_wishes; ++i) p.wishes.emplace_back(random.Between(1, 10), random.Below(2) == 0);
  for (int64_t n = random.Between(0, 2 * num_wishes); n > 0; --n) {
    Condition& c = p.conditions.emplace_back();
    c.wish = wish();
    c.alternatives.resize(1 + random.Below(2));
    for (auto& alternative : c.alternatives) {
      alternative.resize(1 + random.Below(3));
      for (std::vector<int32_t>& obstacle : alternative) {
        obstacle.push_back(wish());
        const int32_t other = wish();
        if (random.Below(3) == 0 && other != obstacle[0]) obstacle.push_back(other);
      }
    }
  }
  return p;
}

TEST(Rivals, TwoSmallOnesWinAgainstALargeOne) {
  Problem p;
  p.wishes = {{5, true}, {4, false}, {4, false}};
  p.Clash(1, 0);
  p.Clash(2, 0);
  EXPECT_THAT(p.Choose(), ElementsAre(0, 1, 1));
  p.Clash(1, 2);
  EXPECT_THAT(p.Choose(), ElementsAre(1, 0, 0));
}

TEST(Rivals, OfEqualSetsTheOneThatIsHeldStays) {
  Problem p;
  p.wishes = {{4, false}, {8, true}, {4, false}};
  p.Clash(0, 1);
  p.Clash(2, 1);
  EXPECT_THAT(p.Choose(), ElementsAre(0, 1, 0));
  p.wishes = {{4, true}, {8, false}, {4, true}};
  EXPECT_THAT(p.Choose(), ElementsAre(1, 0, 1));
}

TEST(Rivals, OfEqualWishesThatNobodyHoldsTheFirstWins) {
  Problem p;
  p.wishes = {{4, false}, {4, false}, {4, false}};
  p.Clash(0, 1);
  p.Clash(1, 2);
  p.Clash(2, 0);
  EXPECT_THAT(p.Choose(), ElementsAre(1, 0, 0));
}

TEST(Rivals, TheCheapestAlternativeIsTaken) {
  Problem p;
  p.wishes = {{5, false}, {4, true}, {3, true}, {9, true}};
  p.conditions.push_back({0, {{{1}, {2}}, {{3}}, {{1, 3}}}});  // without 1 and 2; or without 3; or without one of 1, 3
  EXPECT_THAT(p.Choose(), ElementsAre(1, 0, 1, 1));
}

TEST(Rivals, AWishWithoutAlternativesLoses) {
  Problem p;
  p.wishes = {{5, false}};
  p.conditions.push_back({0, {}});
  EXPECT_THAT(p.Choose(), ElementsAre(0));
}

TEST(Rivals, SmallGroupsAreDecidedExactly) {
  Rng random(1);
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(i);
    const Problem p = RandomProblem(random, 1 + static_cast<int>(random.Below(Rivals::kMaxExact)));
    const std::vector<char> granted = p.Choose();
    ASSERT_TRUE(p.Feasible(granted));
    ASSERT_EQ(p.Saved(granted), p.BruteForce());
  }
}

TEST(Rivals, LargeGroupsAreNearTheBest) {
  Rng random(2);
  int64_t saved = 0, best = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const Problem p = RandomProblem(random, 16);
    const std::vector<char> granted = p.Choose();
    ASSERT_TRUE(p.Feasible(granted));
    saved += p.Saved(granted);
    best += p.BruteForce();
  }
  EXPECT_GE(saved * 100, best * 99) << saved << " of " << best;
}

// A hundred times two small ones against a large one, each large one beside the next.
TEST(Rivals, LargeGroupsAreDecidedPieceByPiece) {
  Problem p;
  for (int32_t i = 0; i < 100; ++i) {
    p.wishes.insert(p.wishes.end(), {{5, true}, {4, false}, {4, false}, {1, false}});
    p.Clash(4 * i + 1, 4 * i);
    p.Clash(4 * i + 2, 4 * i);
    p.Clash(4 * i + 3, 4 * i);
    if (i > 0) p.conditions.push_back({4 * i + 3, {{{4 * i - 4, 4 * i}}}});
  }
  EXPECT_EQ(p.Saved(p.Choose()), 900);
}

TEST(Rivals, ThousandsAgainstOne) {
  Problem p;
  p.wishes.emplace_back(30, true);
  for (int32_t i = 1; i <= 20000; ++i) {
    p.wishes.emplace_back(4, false);
    p.Clash(i, 0);
  }
  EXPECT_EQ(p.Saved(p.Choose()), 80000);
}

}  // namespace
}  // namespace bufplan
