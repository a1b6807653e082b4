#include "planner/fusion/group_sets.h"

#include <algorithm>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/random.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WeightedGroup Group(std::vector<int32_t> ops, double benefit) {
  WeightedGroup group;
  for (int32_t o : ops) group.ops.emplace_back(o);
  group.benefit = benefit;
  return group;
}

WeightedGroup RandomGroup(Rng& rng, int64_t num_ops, int64_t min_benefit = -2) {
  std::set<int32_t> ops;
  const int64_t first = rng.Between(0, num_ops - 1);
  for (int64_t n = rng.Between(1, 4); n > 0; --n) {
    ops.insert(static_cast<int32_t>(std::min(num_ops - 1, first + rng.Between(0, 4))));
  }
  return Group({ops.begin(), ops.end()}, static_cast<double>(rng.Between(min_benefit, 6)));
}

bool Overlap(const std::vector<WeightedGroup>& groups, const std::vector<int32_t>& set) {
  for (size_t i = 0; i < set.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (OpId o : groups[static_cast<size_t>(set[i])].ops) {
        const std::vector<OpId>& other = groups[static_cast<size_t>(set[j])].ops;
        if (std::find(other.begin(), other.end(), o) != other.end()) return true;
      }
    }
  }
  return false;
}

double Sum(const std::vector<WeightedGroup>& groups, const std::vector<int32_t>& set) {
  double sum = 0;
  for (int32_t g : set) sum += groups[static_cast<size_t>(g)].benefit;
  return sum;
}

// By all subsets.
std::vector<double> Benefits(const std::vector<WeightedGroup>& groups) {
  std::vector<double> sums;
  for (uint32_t mask = 0; mask < uint32_t{1} << groups.size(); ++mask) {
    std::vector<int32_t> set;
    for (size_t i = 0; i < groups.size(); ++i) {
      if ((mask >> i & 1) != 0) set.push_back(static_cast<int32_t>(i));
    }
    if (!Overlap(groups, set)) sums.push_back(Sum(groups, set));
  }
  std::sort(sums.rbegin(), sums.rend());
  return sums;
}

TEST(GroupSets, OfNoGroupsThereIsTheEmptySet) {
  GroupSets sets({});
  EXPECT_THAT(sets.Next()->groups, IsEmpty());
  EXPECT_FALSE(sets.Next().has_value());
}

TEST(GroupSets, TheExampleOfTheHeader) {
  GroupSets sets({Group({0, 1, 2}, 3), Group({0, 1}, 2), Group({2, 3}, 1.5), Group({5, 6}, 1)});
  EXPECT_THAT(sets.Next()->groups, ElementsAre(1, 2, 3));  // 4.5
  EXPECT_THAT(sets.Next()->groups, ElementsAre(0, 3));     // 4
  EXPECT_THAT(sets.Next()->groups, ElementsAre(1, 2));     // 3.5
  EXPECT_TRUE(sets.complete());
}

TEST(GroupSets, GivesEverySetOnceBestFirst) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    std::vector<WeightedGroup> groups;
    for (int64_t n = rng.Between(0, 10); n > 0; --n) groups.push_back(RandomGroup(rng, 24));
    GroupSets sets(groups);
    std::vector<double> sums;
    std::set<std::vector<int32_t>> seen;
    while (const std::optional<GroupSets::Set> set = sets.Next()) {
      ASSERT_TRUE(seen.insert(set->groups).second);
      ASSERT_FALSE(Overlap(groups, set->groups));
      ASSERT_EQ(set->benefit, Sum(groups, set->groups));
      sums.push_back(set->benefit);
    }
    ASSERT_TRUE(sets.complete());
    ASSERT_EQ(sums, Benefits(groups)) << "seed " << seed;
  }
}

// Too many sets to list: the one that comes is the best as long as nothing was forgotten.
TEST(GroupSets, ALargeComponentGivesItsBestSet) {
  int exact = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    std::vector<WeightedGroup> groups;
    for (int64_t n = rng.Between(6, 14); n > 0; --n) groups.push_back(RandomGroup(rng, 10, 1));
    GroupSets sets(groups, /*max_choices=*/1);
    const std::optional<GroupSets::Set> best = sets.Next();
    ASSERT_FALSE(Overlap(groups, best->groups));
    EXPECT_FALSE(sets.complete());
    EXPECT_EQ(best->benefit, Benefits(groups)[0]) << "seed " << seed;
    exact += sets.best_is_exact();
  }
  EXPECT_EQ(exact, 300);
}

// a+b, b+c, c+d, ...: every second one is best if all are worth the same; with 3 2 3 2 .. so is the better half.
TEST(GroupSets, ALongChainIsSolvedExactly) {
  std::vector<WeightedGroup> groups;
  for (int32_t i = 0; i < 10001; ++i) groups.push_back(Group({i, i + 1}, i % 2 == 0 ? 3 : 2));
  GroupSets sets(groups);
  const std::optional<GroupSets::Set> best = sets.Next();
  EXPECT_EQ(best->benefit, 3 * 5001);
  EXPECT_TRUE(sets.best_is_exact());
}

// Many groups on one op and a few around: no state explosion, and a set without overlaps.
TEST(GroupSets, ManyGroupsOnOneOp) {
  std::vector<WeightedGroup> groups;
  for (int32_t i = 0; i < 5000; ++i) groups.push_back(Group({99 - i % 99, 100, 200 + i}, 1 + i % 7));
  GroupSets sets(groups);
  const std::optional<GroupSets::Set> best = sets.Next();
  EXPECT_EQ(best->groups.size(), 1u);
  EXPECT_EQ(best->benefit, 7);
}

TEST(GroupSets, ShareAnOp) {
  const std::vector<OpId> a = {OpId(1), OpId(4), OpId(6)}, b = {OpId(0), OpId(5)}, c = {OpId(2), OpId(6)};
  EXPECT_FALSE(ShareAnOp(a, b));
  EXPECT_TRUE(ShareAnOp(a, c));
  EXPECT_FALSE(ShareAnOp({}, c));
}

}  // namespace
}  // namespace bufplan
