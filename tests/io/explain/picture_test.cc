#include "io/explain/picture.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "io/explain/text_table.h"
#include "tests/io/explain/sample.h"

namespace bufplan {
namespace {

TEST(PictureTest, FewOffsetsGiveExactRows) {
  const SampleProblem s;
  PictureOptions options;
  options.width = 40;
  options.mark_time = 2;
  options.mark_text = "peak";
  EXPECT_EQ(DrawMemory(Layout(s.problem, s.plan), 0, options),
            "  offset\n"
            "      10 |bbbbbbbbbbbbccccccbbbbbbbbbbbb\n"
            "       0 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
            "         +------------------------------> time\n"
            "          0                            4\n"
            "                      ^ peak\n"
            "  a a (10)  b b (10)  c c (10)\n");
}

TEST(PictureTest, TheLaterAndSmallerIsOnTop) {
  const Sample s;
  PictureOptions options;
  options.width = 50;
  EXPECT_EQ(DrawMemory(Layout(s.graph, s.plan), 0, options),
            "  offset\n"
            "     100 |aaaaaaaaaa.....dddddeeeeeeeeeeeeeeeeeeee\n"
            "      60 |.....bbbbbbbbbbbbbbbbbbbb...............\n"
            "      20 |.....bbbbbccccccccccccccc...............\n"
            "       0 |.....bbbbbbbbbbbbbbbbbbbb...............\n"
            "         +----------------------------------------> time\n"
            "          start                                end\n"
            "  a x (100)  b a (100)  c v (40)  d b (100)\n"
            "  e c (100)\n");
}

TEST(PictureTest, TheHighlightedIsNeverPaintedOver) {
  const Sample s;
  const Layout layout(s.graph, s.plan);
  PictureOptions options;
  options.highlight = layout.Find(s.Value("a").value);
  const std::string picture = DrawMemory(layout, 0, options);
  EXPECT_TRUE(absl::StrContains(picture, "# a (100)")) << picture;
  EXPECT_FALSE(absl::StrContains(picture, " v (40)")) << picture;
}

TEST(PictureTest, ManyValuesFitAnyWidth) {
  Problem problem;
  ProblemPlan plan;
  for (int i = 0; i < 300; ++i) {
    Buffer b;
    b.name = absl::StrCat("a rather long name of a buffer ", i);
    b.bytes = 1000 + i;
    b.begin = i;
    b.end = i + 7;
    problem.buffers.push_back(b);
    plan.offsets.push_back((i % 9) * 1400);
  }
  const Layout layout(problem, plan);
  for (size_t width : {40, 80, 100, 200}) {
    PictureOptions options;
    options.width = width;
    const std::string picture = DrawMemory(layout, 0, options);
    for (absl::string_view line : absl::StrSplit(picture, '\n')) EXPECT_LE(DisplayWidth(line), width + 5) << line;
    EXPECT_TRUE(absl::StrContains(picture, "* ")) << picture;
    EXPECT_TRUE(absl::StrContains(picture, " others\n")) << picture;
    // Each letter once in the legend.
    EXPECT_EQ(std::count(picture.begin(), picture.end(), '('), 52) << picture;
  }
}

TEST(PictureTest, ExtremeTimesAndSizes) {
  Problem problem;
  problem.buffers.resize(2);
  problem.buffers[0].name = "all";
  problem.buffers[0].bytes = INT64_MAX;
  problem.buffers[0].begin = INT64_MIN;
  problem.buffers[0].end = INT64_MAX;
  problem.buffers[1].name = "one";
  problem.buffers[1].bytes = 1;
  problem.buffers[1].end = 1;
  const std::string picture = DrawMemory(Layout(problem, {{0, 0}, INT64_MAX, 0, false}), 0);
  EXPECT_TRUE(absl::StrContains(picture, "a all (9,223,372,036,854,775,807)")) << picture;
}

TEST(PictureTest, NothingToDraw) {
  const SampleProblem s;
  const Layout layout(s.problem, s.plan);
  EXPECT_EQ(DrawWindow(layout, {0, {5, 5}, 0, 5}), "");
  EXPECT_EQ(DrawWindow(layout, {0, {0, 5}, 5, 5}), "");
  EXPECT_EQ(DrawMemory(Layout(Problem(), ProblemPlan()), 0), "");
}

}  // namespace
}  // namespace bufplan
