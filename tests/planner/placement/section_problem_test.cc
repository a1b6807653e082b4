#include "planner/placement/section_problem.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/placement/placement_cases.h"

namespace bufplan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SectionProblemTest, KeepsOnlyWhatIsAliveAtOnce) {
  const std::vector<SectionProblem> groups = MakeSectionProblems(FromIntervals({{0, 10, 8}, {3, 40, 8}, {10, 30, 8}}));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].num_sections, 2);
  EXPECT_THAT(groups[0].begin, ElementsAre(0, 0, 1));
  EXPECT_THAT(groups[0].end, ElementsAre(1, 2, 2));
}

TEST(SectionProblemTest, PartsGroups) {
  const std::vector<SectionProblem> groups =
      MakeSectionProblems(FromIntervals({{5, 7, 8}, {0, 3, 8}, {2, 5, 8}, {6, 9, 8}, {4, 4, 0}}));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].storage, ElementsAre(1, 2));
  EXPECT_THAT(groups[1].storage, ElementsAre(0, 3));
  EXPECT_THAT(groups[1].begin, ElementsAre(0, 0));
  EXPECT_THAT(groups[1].end, ElementsAre(1, 1));
  EXPECT_THAT(MakeSectionProblems({}), IsEmpty());
}

TEST(SectionProblemTest, CountsInGranules) {
  // Sizes rounded up to 4 bytes: 12, 24, 36; the alignment 8 leaves 4 of the common 12.
  PlacementProblem problem = FromIntervals({{0, 3, 10}, {0, 3, 24}, {1, 2, 33}}, 4);
  std::vector<SectionProblem> groups = MakeSectionProblems(problem);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].granule_bytes, 12);
  EXPECT_THAT(groups[0].size, ElementsAre(1, 2, 3));
  EXPECT_THAT(groups[0].unused_bytes, ElementsAre(2, 0, 3));
  EXPECT_THAT(groups[0].multiple, ElementsAre(1, 1, 1));

  problem.storages[1].alignment_bytes = 8;
  groups = MakeSectionProblems(problem);
  EXPECT_EQ(groups[0].granule_bytes, 4);
  EXPECT_THAT(groups[0].size, ElementsAre(3, 6, 9));
  EXPECT_THAT(groups[0].multiple, ElementsAre(1, 2, 1));

  problem.storages[1].pinned_offset_bytes = 24;
  groups = MakeSectionProblems(problem);
  EXPECT_EQ(groups[0].granule_bytes, 12);
  EXPECT_THAT(groups[0].multiple, ElementsAre(1, 1, 1));
  EXPECT_THAT(groups[0].pin, ElementsAre(SectionProblem::kNoPin, 2, SectionProblem::kNoPin));
}

TEST(SectionProblemTest, BarsMeetWhereLivesDo) {
  std::mt19937_64 random(5);
  RandomShape shape;
  shape.max_time = 30;
  size_t sections = 0;
  for (int i = 0; i < 300; ++i) {
    const PlacementProblem problem = RandomProblem(random, shape);
    std::vector<int32_t> group_of(problem.storages.size(), -1), bar_of(problem.storages.size(), -1);
    const std::vector<SectionProblem> groups = MakeSectionProblems(problem);
    for (size_t g = 0; g < groups.size(); ++g) {
      sections += static_cast<size_t>(groups[g].num_sections);
      for (size_t bar = 0; bar < groups[g].num_bars(); ++bar) {
        group_of[static_cast<size_t>(groups[g].storage[bar])] = static_cast<int32_t>(g);
        bar_of[static_cast<size_t>(groups[g].storage[bar])] = static_cast<int32_t>(bar);
      }
    }
    for (size_t a = 0; a < problem.storages.size(); ++a) {
      EXPECT_EQ(group_of[a] >= 0, problem.storages[a].num_pieces > 0);
      for (size_t b = 0; b < a; ++b) {
        if (group_of[a] < 0 || group_of[b] < 0) continue;
        bool meet = false;
        if (group_of[a] == group_of[b]) {
          const SectionProblem& group = groups[static_cast<size_t>(group_of[a])];
          const size_t bar_a = static_cast<size_t>(bar_of[a]), bar_b = static_cast<size_t>(bar_of[b]);
          meet = group.begin[bar_a] < group.end[bar_b] && group.begin[bar_b] < group.end[bar_a];
        }
        EXPECT_EQ(meet, problem.Meet(problem.storages[a].first_piece, problem.storages[b].first_piece));
      }
    }
  }
  EXPECT_GT(sections, 600u);
}

TEST(SectionProblemTest, NamesWhatHasNoSections) {
  PlacementProblem problem = FromIntervals({{0, 10, 8}, {3, 40, 8}});
  EXPECT_TRUE(HasSections(problem));
  problem.pieces[0].low = 1;
  EXPECT_FALSE(HasSections(problem));
}

}  // namespace
}  // namespace bufplan
